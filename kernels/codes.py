"""Every code that stands for a word inside the kernels, each absent value named.

The kernels read these as plain int64 constants; `sim.lowering` is the only other place that turns words into them.
"""

from enum import IntEnum, unique


@unique
class Company(IntEnum):
    """The two seats (axis `c`)."""

    A = 0
    B = 1


@unique
class Route(IntEnum):
    """Position of a junction's switch: the value of its bit in `state.routes` (rules 1.3)."""

    ONE = 0
    TWO = 1


@unique
class Move(IntEnum):
    """First tick of the ordered train (rules 3.1)."""

    FORWARD = 0
    REVERSE = 1


@unique
class Invest(IntEnum):
    """Investment field of an order: nothing, an upgrade of train 1 or 2, or a siding at `SIDING + junction`."""

    NONE = 0
    UPGRADE_1 = 1
    UPGRADE_2 = 2
    SIDING = 3


@unique
class CargoScope(IntEnum):
    """Who draws from a schedule: each train from its own, or both from the company's queue (rules 2.3, 2.4)."""

    TRAIN = 0
    COMPANY = 1


@unique
class Pairing(IntEnum):
    """What the second match of a pair swaps (`swap` 1); match = 2 * pair + swap."""

    SEATS = 0  # unequal bots: the first bot sits in seat B; luck lanes stay with the seats
    LANES = 1  # equal bots: the seats draw from each other's lane
    SINGLE = 2  # there is no second match


@unique
class Illegal(IntEnum):
    """Why an order is illegal (rules 3.3), in the order in which it is looked for."""

    NO = 0
    MALFORMED = 1  # not a packed order at all
    UNKNOWN_JUNCTION = 2  # toggles or builds at a junction that the map has not
    NOT_ON_OFFER = 3  # the investment's cost is null
    ALREADY_UPGRADED = 4
    ALREADY_OWNED = 5  # the company owns a siding there
    TOO_EXPENSIVE = 6  # not affordable from the cash held before the dispatch


@unique
class Outcome(IntEnum):
    """How a match ended (rules 5); every played match has exactly one."""

    A_ON_POINTS = 0
    B_ON_POINTS = 1
    A_ON_CASH = 2
    B_ON_CASH = 3
    SHARED = 4
    ILLEGAL = 5  # a bot gave an illegal order: counted, and in no other figure
    PARTNER_ILLEGAL = 6  # ended legally, but the other match of its pair did not: in no other figure either
    UNFINISHED = 7  # a recorded match with dispatches still to come


@unique
class Column(IntEnum):
    """Columns of a match's row (axis `k`), all int32. `_A` and `_B` are seats."""

    OUTCOME = 0  # an `Outcome`
    POINTS_A = 1
    POINTS_B = 2
    CASH_A = 3  # dollars left at the end
    CASH_B = 4
    DELIVERIES_A = 5
    DELIVERIES_B = 6
    UPGRADES_A = 7  # upgrades bought
    UPGRADES_B = 8
    SIDINGS_A = 9  # sidings bought
    SIDINGS_B = 10
    PICK_UPGRADE_A = 11  # 1 when at least one was bought
    PICK_UPGRADE_B = 12
    PICK_SIDING_A = 13
    PICK_SIDING_B = 14
    HEAD_ONS = 15  # events 4.4 a
    JUNCTION_CONFLICTS = 16  # events 4.4 b
    SHARED_ARRIVALS = 17  # events 4.4 c, with or without a toll
    CANCELLED_TOGGLES = 18  # both companies toggled the same junction
    STUCK_A = 19  # dispatches in which no train of the company came nearer to the destination it had
    STUCK_B = 20
    TOLLS_A = 21  # dollars that A paid
    TOLLS_B = 22
    IDLE_A = 23  # orders whose train ended at the node where it began
    IDLE_B = 24
    DRAWS_A = 25  # 32-bit draws taken by the bot in the seat
    DRAWS_B = 26
    ILLEGAL_DISPATCH = 27  # counted from 1; 0: none
    ILLEGAL_COMPANY = 28  # a `Company`; 0 with ILLEGAL_DISPATCH 0
    ILLEGAL_REASON = 29  # an `Illegal`


NO_TOGGLE = -1  # no junction is toggled
NO_COST = -1  # a null cost: not on offer
N_OUTCOMES = len(Outcome)
N_COLUMNS = len(Column)
POISON = -(2**31)  # fills a row before it is played: a row that nobody wrote is seen
