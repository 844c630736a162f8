"""Every code of the mainline game that stands for a word, each absent value named."""

from enum import IntEnum, unique


@unique
class Direction(IntEnum):
    """Which way a train runs (rules 2.3), and which way is up."""

    EAST = 0
    WEST = 1


@unique
class Speed(IntEnum):
    """A train's class (rules 2.2 b)."""

    FAST = 0
    SLOW = 1


@unique
class Policy(IntEnum):
    """Who answers whether a train may enter a full card (rules 3.2)."""

    HOLD = 0  # never
    ADMIT = 1  # with a chance, drawn
    ANSWERS = 2  # recorded answers, in the order asked


@unique
class Home(IntEnum):
    """Home cards (rules 4)."""

    BRAKEMAN = 0
    AIRBRAKES = 1
    HELPERS = 2
    REALIGNMENT = 3


@unique
class Laying(IntEnum):
    """What became of a Home card; refusals in the order in which they are looked for."""

    LAID = 0
    NO_LEGAL_PLACE = 1  # kept
    DAY_OVER = 2  # kept
    WRONG_CARD = 3
    ALREADY_THERE = 4
    NO_BRAKEMAN = 5
    OCCUPIED = 6


@unique
class Status(IntEnum):
    """Where a train is."""

    NOT_DEPARTED = 0
    WAITING = 1  # off the cards: at a Division Point or an Office, an Extra beside its card
    ON_CARD = 2
    ARRIVED = 3
    NOT_RUN = 4  # an Extra for which no card was dealt


@unique
class Event(IntEnum):
    """What a log of a day holds: code, Stage, and up to four numbers."""

    LAYING = 0  # place in the hand, `Laying`, slot or NO_SLOT
    REALIGNED = 1  # slot, kind before, kind after
    ENTERED = 2  # train, slot, Stages held before it, start region
    LEFT = 3  # train, slot
    RULING = 4  # train, slot, 1 when admitted, or NO_ANSWER: there is none, and the day stops
    COLLISION = 5  # slot, train that was let in
    MOVED_UP = 6  # train, slot: out of the siding


@unique
class Column(IntEnum):
    """First columns of a day's row (axis `k`), all int32; `layout.row_width` says what follows."""

    UNFINISHED_DAY = 0  # 1: some train was still out after `max_stages`
    STAGES = 1  # length of the day
    COLLISIONS = 2
    NOT_RUN = 3  # Extras for which no card was dealt
    UNFINISHED = 4  # trains still out
    UNEVENNESS = 5  # Stages lost at the worst seat minus at the best
    GRADES = 6  # cards with an orientation, as dealt
    GRADES_EAST = 7  # of these, those whose up is east
    TRIP_EAST = 8  # Stages of whole runs that arrived, eastbound
    TRIP_WEST = 9
    TRIPS_EAST = 10  # whole runs that arrived
    TRIPS_WEST = 11
    HELD_EAST = 12  # Stages held of trains that arrived
    HELD_WEST = 13
    ARRIVED_EAST = 14  # trains that arrived, Extras too
    ARRIVED_WEST = 15
    GAP = 16  # trip of the one minus trip of the other, over all pairs of an eastbound and a westbound whole run
    GAP_PAIRS = 17
    SAVED_BRAKEMAN = 18  # Stages saved over whole runs that arrived with and without the Home card
    SAVED_AIRBRAKES = 19
    SAVED_HELPERS = 20
    SAVED_REALIGNMENT = 21
    COMPARED_BRAKEMAN = 22  # those whole runs; 0 where the hand has no such card
    COMPARED_AIRBRAKES = 23
    COMPARED_HELPERS = 24
    COMPARED_REALIGNMENT = 25


N_COLUMNS = len(Column)
N_HOME = len(Home)
N_LAYINGS = len(Laying)
NO_SLOT = -1  # on no slot; in a hand: the first legal one
NO_KIND = -1  # nothing that it could be realigned to; no fixed card
DRAWN = -1  # an orientation that is drawn
NOBODY = -1
NO_ANSWER = -1
