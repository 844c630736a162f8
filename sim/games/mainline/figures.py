"""Every figure of the mainline game, defined once: how it is counted, in what unit, and between what limits."""

from __future__ import annotations

from collections.abc import Callable

from kernels.mainline.codes import Column, Home, Laying
from sim.config.mainline import MainlineScenario
from sim.games.mainline.columns import Columns
from sim.games.mainline.lowering import DIRECTIONS, HOMES
from sim.games.mainline.sums import DaySums
from sim.stats.figures import Kind, MetricDefinition, Totals

__all__ = ["homes_of", "metrics_of"]

STAGES = "Stages"
LONG_DAY = ("trains", "max_stages")

Measure = Callable[[DaySums], Totals]


def homes_of(scenario: MainlineScenario) -> list[str]:
    """Kinds of Home card in the hand, each once, in the order of the rules."""
    held = {card.card for card in scenario.hands}
    return [home for home in HOMES if home in held]


def metrics_of(scenario: MainlineScenario) -> dict[str, MetricDefinition]:
    """Every figure of a scenario by its core name, in the order in which they are listed."""
    columns = Columns(scenario.kinds)
    listed = [
        *_of_deals(scenario, columns),
        *_of_crossings(columns),
        *_of_trips(),
        *_of_days(),
        *_of_hands(scenario, columns),
    ]
    return {definition.name: definition for definition in listed}


def _a_day(column: int) -> Measure:
    """Mean of a column over days."""
    return lambda days: Totals(days.sums[:, column], days.pairs, days.pairs)


def _each(total: int, number: int) -> Measure:
    """Mean of one column over what another counts, such as trains; it rests on the days that have any."""
    return lambda days: Totals(days.sums[:, total], days.sums[:, number], days.seen[:, number], ratio=True)


def _of_deals(scenario: MainlineScenario, columns: Columns) -> list[MetricDefinition]:
    def dealt(kind: str) -> Measure:
        return lambda days: Totals(days.seen[:, columns.dealt(kind)], days.pairs, days.pairs)

    found = [
        MetricDefinition(
            f"dealt.{kind}", Kind.PROPORTION, "share", f"deals with at least one {kind.replace('_', ' ')}", dealt(kind)
        )
        for kind in columns.kinds
        if kind in (scenario.deal or ()) or (kind in scenario.deck and scenario.deck[kind].copies > 0)
    ]
    if any(scenario.card(kind).grade for kind in columns.kinds):
        found.append(
            MetricDefinition(
                "orientation.east",
                Kind.PROPORTION,
                "share",
                "dealt grades whose up is east",
                _each(Column.GRADES_EAST, Column.GRADES),
            )
        )
    return found


def _of_crossings(columns: Columns) -> list[MetricDefinition]:
    return [
        MetricDefinition(
            f"crossing_stages.{kind}.{direction.name.lower()}.{speed.name.lower()}",
            Kind.MEAN,
            STAGES,
            f"Stages from entry to leaving of a {speed.name.lower()} {direction.name.lower()}bound train on "
            f"{kind.replace('_', ' ')}, finished crossings",
            _each(columns.crossing(kind, direction, speed), columns.crossings(kind, direction, speed)),
            ("max_stages",),
        )
        for kind, direction, speed in columns.groups()
    ]


def _of_trips() -> list[MetricDefinition]:
    found = []
    for name, words, total, number in (
        ("trip_stages", "Stages from departure to arrival of a whole run", Column.TRIP_EAST, Column.TRIPS_EAST),
        ("held_stages", "Stages that a train that arrived waited off the cards", Column.HELD_EAST, Column.ARRIVED_EAST),
    ):
        for way, direction in DIRECTIONS.items():
            found.append(
                MetricDefinition(
                    f"{name}.{way}",
                    Kind.MEAN,
                    STAGES,
                    f"{words}, {way}bound",
                    _each(total + direction, number + direction),
                    ("max_stages",),
                )
            )
    found.append(
        MetricDefinition(
            "trip_gap",
            Kind.MEAN,
            STAGES,
            "trip of an eastbound minus trip of a westbound whole run of the same day",
            _each(Column.GAP, Column.GAP_PAIRS),
            ("max_stages",),
            signed=True,
        )
    )
    return found


def _of_days() -> list[MetricDefinition]:
    def mean(name: str, unit: str, words: str, column: Column, bound: tuple[str | int, ...]) -> MetricDefinition:
        return MetricDefinition(name, Kind.MEAN, unit, words, _a_day(column), bound)

    return [
        mean("collisions", "count", "trains let onto a full card (rules 3.2), a day", Column.COLLISIONS, LONG_DAY),
        mean("extras_not_run", "count", "Extras without a card to start on, a day", Column.NOT_RUN, ("trains",)),
        mean("unfinished", "count", "trains still out after max_stages, a day", Column.UNFINISHED, ("trains",)),
        mean(
            "district_unevenness",
            STAGES,
            "Stages lost on the two cards beside an Office, worst seat minus best, a day",
            Column.UNEVENNESS,
            LONG_DAY,
        ),
    ]


def _of_hands(scenario: MainlineScenario, columns: Columns) -> list[MetricDefinition]:
    def of(home: str) -> tuple[MetricDefinition, MetricDefinition]:
        code = Home(HOMES[home])
        return (
            MetricDefinition(
                f"worth.{home}",
                Kind.MEAN,
                STAGES,
                f"Stages that the {home} of the hand saves a whole run: the same deal without and with it",
                _each(Column.SAVED_BRAKEMAN + code, Column.COMPARED_BRAKEMAN + code),
                ("max_stages",),
                signed=True,
            ),
            MetricDefinition(
                f"laid.{home}",
                Kind.MEAN,
                "count",
                f"Home cards {home} that found a place, a day",
                _a_day(columns.laying(code, Laying.LAID)),
                ("hand",),
            ),
        )

    pairs = [of(home) for home in homes_of(scenario)]
    return [worth for worth, _ in pairs] + [laid for _, laid in pairs]
