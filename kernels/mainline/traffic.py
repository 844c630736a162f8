"""One day, Stage by Stage: Home cards are laid, trains advance, trains enter (rules 2.4, 3, 4). Rules, nothing else."""

import numpy as np

from kernels.jit import helper, routine
from kernels.mainline.codes import NO_ANSWER, NO_SLOT, NOBODY, Direction, Event, Home, Laying, Policy, Status
from kernels.mainline.crossing import laying_of, start_region
from kernels.random import draw_at

__all__ = ["LOG_FIELDS", "play_day"]

LOG_FIELDS = 6

_EAST = int(Direction.EAST)
_HOLD = int(Policy.HOLD)
_ANSWERS = int(Policy.ANSWERS)
_REALIGNMENT = int(Home.REALIGNMENT)
_LAID = int(Laying.LAID)
_NO_LEGAL_PLACE = int(Laying.NO_LEGAL_PLACE)
_DAY_OVER = int(Laying.DAY_OVER)
_NOT_DEPARTED = int(Status.NOT_DEPARTED)
_WAITING = int(Status.WAITING)
_ON_CARD = int(Status.ON_CARD)
_ARRIVED = int(Status.ARRIVED)
_NOT_RUN = int(Status.NOT_RUN)
_E_LAYING = int(Event.LAYING)
_E_REALIGNED = int(Event.REALIGNED)
_E_ENTERED = int(Event.ENTERED)
_E_LEFT = int(Event.LEFT)
_E_RULING = int(Event.RULING)
_E_COLLISION = int(Event.COLLISION)
_E_MOVED_UP = int(Event.MOVED_UP)
_NO_SLOT = NO_SLOT
_NOBODY = NOBODY
_NO_ANSWER = NO_ANSWER
_NUMBERS = 10_000  # draw of a ruling: Stage * _NUMBERS + number


@helper
def note(log, stage, event, a, b, c, d):  # type: ignore[no-untyped-def]
    """Append an event to `log` [1 + events, LOG_FIELDS], whose [0, 0] counts them; an empty log keeps none."""
    if log.shape[0] > 0:
        log[0, 0] += 1
        row = log[log[0, 0]]
        row[0] = event
        row[1] = stage
        row[2] = a
        row[3] = b
        row[4] = c
        row[5] = d


@helper
def begin_day(rules, state):  # type: ignore[no-untyped-def]
    """Set `state` to the morning of the day that was dealt: no train has departed and no Home card lies."""
    state.stage = 0
    state.n_queue = 0
    state.n_entries = 0
    state.next_card = 0
    state.n_answered = 0
    state.lacks_answer = 0
    state.collisions = 0
    state.layings[:, :] = 0
    for s in range(rules.n_slots):
        slot = np.uint64(s)
        state.kind[slot] = state.dealt[slot]
        state.modifiers[slot] = 0
        state.n_on[slot] = 0
        state.stopped_until[slot] = 0
        state.jammed[slot] = 0
        state.lost_stages[slot] = 0
    for k in range(rules.n_kinds):
        kind = np.uint64(k)
        for i in range(4):
            state.crossing_stages[kind, np.uint64(i >> 1), np.uint64(i & 1)] = 0
            state.crossings[kind, np.uint64(i >> 1), np.uint64(i & 1)] = 0
    state.n_out = rules.n_trains
    for t in range(rules.n_trains):
        train = np.uint64(t)
        state.status[train] = _NOT_DEPARTED
        state.slot[train] = 0 if rules.direction[train] == _EAST else rules.n_slots - 1
        state.held[train] = 0
        state.in_siding[train] = 0
        state.started[train] = 0
        state.arrival[train] = 0
        if rules.is_extra[train] == 1:
            if state.extra_slot == _NO_SLOT:
                state.status[train] = _NOT_RUN
                state.n_out -= 1
            else:
                state.slot[train] = state.extra_slot


@helper
def lay_on(rules, state, home, s, log):  # type: ignore[no-untyped-def]
    """Lay a Home card on slot `s`, where it is legal."""
    slot = np.uint64(s)
    if home == _REALIGNMENT:
        was = state.kind[slot]
        state.kind[slot] = rules.realigned[np.uint64(was)]
        state.modifiers[slot] = 0
        note(log, state.stage, _E_REALIGNED, s, was, state.kind[slot], 0)
    else:
        state.modifiers[slot] |= np.int64(1) << home


@helper
def try_card(rules, state, h, log):  # type: ignore[no-untyped-def]
    """Try Home card `h` of the hand, once: on its slot, or on the westernmost where it is legal now (rules 4)."""
    home = rules.hand_card[np.uint64(h)]
    s = rules.hand_slot[np.uint64(h)]
    if s == _NO_SLOT:
        verdict = np.int64(_NO_LEGAL_PLACE)
        for place in range(rules.n_slots):
            if laying_of(rules, state, home, place) == _LAID:
                verdict = np.int64(_LAID)
                s = np.int64(place)
                break
    else:
        verdict = np.int64(laying_of(rules, state, home, s))
    if verdict == _LAID:
        lay_on(rules, state, home, s, log)
    state.layings[np.uint64(home), np.uint64(verdict)] += 1
    note(log, state.stage, _E_LAYING, h, verdict, s, 0)


@helper
def lay_home_cards(rules, state, without, log):  # type: ignore[no-untyped-def]
    """Lay the Home cards that are due (rules 2.4, step 1); those of the kind `without` are left out of the hand."""
    while state.next_card < rules.n_hand and rules.hand_stage[np.uint64(state.next_card)] == state.stage:
        if rules.hand_card[np.uint64(state.next_card)] != without:
            try_card(rules, state, state.next_card, log)
        state.next_card += 1


@helper
def come(rules, state, t):  # type: ignore[no-untyped-def]
    """Let train `t` wait from now on, last in the common order; in one Stage to be called by rising number."""
    train = np.uint64(t)
    state.status[train] = _WAITING
    state.came[train] = state.stage
    state.queue[np.uint64(state.n_queue)] = t
    state.n_queue += 1


@helper
def leave_card(rules, state, t, log):  # type: ignore[no-untyped-def]
    """Take train `t` off its card and to the next place; true when it has arrived."""
    train = np.uint64(t)
    s = state.slot[train]
    slot = np.uint64(s)
    kind = np.uint64(state.kind[slot])
    state.n_on[slot] -= 1
    if state.n_on[slot] == 0:
        state.jammed[slot] = 0
    stages = state.stage - state.entry[train]
    direction = rules.direction[train]
    state.lost_stages[slot] += state.held_here[train] + stages - 1
    state.crossing_stages[kind, np.uint64(direction), np.uint64(rules.speed[train])] += stages
    state.crossings[kind, np.uint64(direction), np.uint64(rules.speed[train])] += 1
    note(log, state.stage, _E_LEFT, t, s, 0, 0)
    s += 1 if direction == _EAST else -1
    state.slot[train] = s
    if 0 <= s < rules.n_slots:
        return False
    state.status[train] = _ARRIVED
    state.arrival[train] = state.stage
    state.n_out -= 1
    return True


@helper
def advance(rules, state, log):  # type: ignore[no-untyped-def]
    """Move all trains on cards by one region, take those past their last off, let trains depart (rules 2.4, step 2)."""
    sidings = False
    for t in range(rules.n_trains):
        train = np.uint64(t)
        status = state.status[train]
        if status == _ON_CARD:
            slot = np.uint64(state.slot[train])
            if state.stopped_until[slot] >= state.stage:
                continue
            if state.in_siding[train] == 1:
                sidings = True
                continue
            state.region[train] += 1
            if state.region[train] == rules.regions[np.uint64(state.kind[slot])]:
                if not leave_card(rules, state, t, log):
                    come(rules, state, t)
        elif status == _NOT_DEPARTED and state.departs[train] == state.stage:
            come(rules, state, t)
    if sidings:
        for s in range(rules.n_slots):
            if state.stopped_until[np.uint64(s)] < state.stage:
                move_up(rules, state, s, log)


@helper
def move_up(rules, state, s, log):  # type: ignore[no-untyped-def]
    """Move the first to have entered of the trains in the siding of slot `s` up, if the region there is free."""
    first = np.int64(_NOBODY)
    for t in range(rules.n_trains):
        train = np.uint64(t)
        if state.status[train] == _ON_CARD and state.slot[train] == s and state.in_siding[train] == 1:
            if first == _NOBODY or state.order[train] < state.order[np.uint64(first)]:
                first = np.int64(t)
    if first == _NOBODY:
        return
    region = state.region[np.uint64(first)] + 1
    for t in range(rules.n_trains):
        train = np.uint64(t)
        if state.status[train] == _ON_CARD and state.slot[train] == s and state.in_siding[train] == 0:
            if state.region[train] == region:
                return
    state.region[np.uint64(first)] = region
    state.in_siding[np.uint64(first)] = 0
    note(log, state.stage, _E_MOVED_UP, first, s, 0, 0)


@helper
def enter_card(rules, state, t, start, siding, log):  # type: ignore[no-untyped-def]
    """Put train `t` onto the card before it, in region `start`, or in the siding."""
    train = np.uint64(t)
    slot = np.uint64(state.slot[train])
    held = state.stage - state.came[train]
    state.status[train] = _ON_CARD
    state.region[train] = start
    state.in_siding[train] = siding
    state.order[train] = state.n_entries
    state.n_entries += 1
    state.entry[train] = state.stage
    state.held_here[train] = held
    state.held[train] += held
    state.started[train] = 1
    state.n_on[slot] += 1
    note(log, state.stage, _E_ENTERED, t, state.slot[train], held, start)


@helper
def ruling(rules, state, t, luck, answers, log):  # type: ignore[no-untyped-def]
    """Whether the Superintendent lets train `t` onto the full card before it (rules 3.2)."""
    if rules.policy == _HOLD:
        return False
    if rules.policy == _ANSWERS:
        if state.n_answered >= answers.shape[0]:
            if state.lacks_answer == 0:
                note(log, state.stage, _E_RULING, t, state.slot[np.uint64(t)], _NO_ANSWER, 0)
            state.lacks_answer = 1
            return False
        admitted = answers[state.n_answered] != 0
        state.n_answered += 1
    else:
        admitted = draw_at(luck, _NUMBERS * state.stage + rules.number[np.uint64(t)]) < rules.admit_below
    note(log, state.stage, _E_RULING, t, state.slot[np.uint64(t)], 1 if admitted else 0, 0)
    return admitted


@helper
def enters(rules, state, t, luck, answers, log):  # type: ignore[no-untyped-def]
    """Let waiting train `t` onto the card before it, if it may; true when it did (rules 2.2 d, 3.1 to 3.3)."""
    train = np.uint64(t)
    slot = np.uint64(state.slot[train])
    if rules.is_extra[train] == 1 and state.started[train] == 0:
        if state.n_on[slot] > 0:
            return False
        enter_card(rules, state, t, 0, 0, log)
        return True
    if state.jammed[slot] == 1:
        return False
    kind = np.uint64(state.kind[slot])
    start = start_region(rules, state, t, state.slot[train])
    if state.n_on[slot] < rules.holds_trains[kind]:
        if rules.has_siding[kind] == 1 and state.n_on[slot] > 0:
            enter_card(rules, state, t, max(start - 1, 0), 1, log)
        else:
            enter_card(rules, state, t, start, 0, log)
        return True
    if not ruling(rules, state, t, luck, answers, log):
        return False
    enter_card(rules, state, t, start, 0, log)
    state.collisions += 1
    state.jammed[slot] = 1
    state.stopped_until[slot] = state.stage + rules.collision_delay_stages
    note(log, state.stage, _E_COLLISION, state.slot[train], t, 0, 0)
    return True


@helper
def let_enter(rules, state, luck, answers, log):  # type: ignore[no-untyped-def]
    """Let waiting trains enter, in the common order, each seen by those after it (rules 2.4, step 3)."""
    kept = 0
    for q in range(state.n_queue):
        t = state.queue[np.uint64(q)]
        if not enters(rules, state, t, luck, answers, log):
            state.queue[np.uint64(kept)] = t
            kept += 1
    state.n_queue = kept


@routine
def play_day(rules, state, luck, without, answers, log):  # type: ignore[no-untyped-def]
    """Play the day that `deal.deal_division` has dealt into `state` (rules 2.4, 2.5, 3, 4).

    Parameters
    ----------
    luck
        Stream placed at the rulings of this deal.
    without
        A `Home`: the day is played without such cards in the hand; NOBODY: with the whole hand.
    answers
        int64 [n], rulings in the order asked, read with `Policy.ANSWERS` only; where they run out the day stops and
        `state.lacks_answer` is 1.
    log
        int64 [1 + events, LOG_FIELDS] or, to keep no events, (0, LOG_FIELDS).
    """
    begin_day(rules, state)
    if log.shape[0] > 0:
        log[0, 0] = 0
    while state.n_out > 0 and state.stage < rules.max_stages and state.lacks_answer == 0:
        state.stage += 1
        lay_home_cards(rules, state, without, log)
        advance(rules, state, log)
        let_enter(rules, state, luck, answers, log)
    for h in range(state.next_card, rules.n_hand):
        home = rules.hand_card[np.uint64(h)]
        if home != without:
            state.layings[np.uint64(home), np.uint64(_DAY_OVER)] += 1
            note(log, state.stage, _E_LAYING, h, _DAY_OVER, rules.hand_slot[np.uint64(h)], 0)
