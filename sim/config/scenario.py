"""The models of a dispatch scenario and its map: frozen, in words and units, with the limits of rules 8."""

from __future__ import annotations

import hashlib
import json
from abc import abstractmethod
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, PrivateAttr, Tag

from sim.config.network import network_of
from sim.config.values import OneOf, Pair, Point, Text, Whole, refused, shown

MAX_DISPATCHES = 1_000
MAX_DOLLARS = 10_000
MAX_JUNCTIONS = 62

Dollars: TypeAlias = Annotated[int, Whole("dollars", 0, MAX_DOLLARS)]
Price: TypeAlias = Annotated[int | None, Whole("dollars", 0, MAX_DOLLARS, null=True)]
Label: TypeAlias = Annotated[str, Text("a label")]
Name: TypeAlias = Annotated[str, Text("a name")]
Route: TypeAlias = Annotated[int, OneOf((1, 2))]
Schema: TypeAlias = Annotated[int, OneOf((1,))]
NullIsEmpty = BeforeValidator(lambda value: {} if value is None else value)
"""Null takes back what a scenario further up wrote, since mappings merge."""
Schedule: TypeAlias = Annotated[tuple[Label, ...], Field(min_length=1)]


class Model(BaseModel):
    """What every configuration model shares: frozen, and no key that it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Start(Model):
    """Where a train stands at the start: a node, and the neighbour that it came from (rules 2.2)."""

    at: Label = Field(description="The node where the train stands.")
    from_: Label = Field(alias="from", description="The neighbour from which it arrived there.")


def _start_kind(value: object) -> str:
    return "<place>" if isinstance(value, dict | Start) else "<label>"


class TrainPlan(Model):
    """One of company A's two trains; company B's are the mirror images (rules 1.5)."""

    start: Annotated[
        Annotated[Label, Tag("<label>")] | Annotated[Start, Tag("<place>")], Discriminator(_start_kind)
    ] = Field(description="A terminal, or `at` and `from` for a train that starts at a junction.")
    deliveries: Schedule | None = Field(
        None, description="Destinations of the train's cargoes, in order, from the start again when they run out."
    )
    first_reward: Annotated[int, Whole("", 0, MAX_DISPATCHES)] = Field(
        0, description="Where in `cargo.rewards` the train's first cargo stands, counted from 0."
    )


class RailMap(Model):
    """A map: its tracks, the mirror that gives company B its side, and the trains (rules 1)."""

    schema_version: Schema = Field(alias="schema", description="Version of this format.")
    name: Name = Field(description="What the map is called in reports.")
    tracks: Annotated[tuple[Annotated[tuple[str, str], Pair()], ...], Field(min_length=1)] = Field(
        description="Pairs of nodes, each a two-way track."
    )
    mirror: dict[Label, Label] = Field(
        description="The mirror image of every node; one direction is enough, {} is the identity."
    )
    trains: Annotated[tuple[TrainPlan, ...], Field(min_length=2, max_length=2)] = Field(
        description="Company A's two trains."
    )
    deliveries: Schedule | None = Field(
        None, description="With `cargo.scope: company`, the one queue of destinations of a company."
    )
    initial_routes: Annotated[dict[Label, Route], NullIsEmpty] = Field(
        default_factory=dict, description="The junctions whose switch does not start on Route 1."
    )
    layout: dict[Label, Annotated[tuple[float, float], Point()]] | None = Field(
        None, description="Where each node stands in pictures; laid out automatically when absent."
    )

    def resolved(self) -> dict[str, Any]:
        """The map as plain data with nothing left to defaults; it can be loaded again.

        The mirror has both directions (the identity stays ``{}``), every junction its initial route, and every
        train its `at` and `from`.
        """
        network = network_of(self)
        plain: dict[str, Any] = {
            "schema": self.schema_version,
            "name": self.name,
            "tracks": [list(track) for track in self.tracks],
            "mirror": dict(sorted(network.mirror.items())) if self.mirror else {},
            "trains": [
                {
                    "start": {"at": at, "from": came_from},
                    "deliveries": None if train.deliveries is None else list(train.deliveries),
                    "first_reward": train.first_reward,
                }
                for train, (at, came_from) in zip(self.trains, network.starts, strict=True)
            ],
            "deliveries": None if self.deliveries is None else list(self.deliveries),
            "initial_routes": dict(network.initial_routes),
            "layout": None if self.layout is None else {node: list(self.layout[node]) for node in sorted(self.layout)},
        }
        return plain

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is legal but seldom meant."""
        if self.mirror:
            return ()
        return (
            f"map {self.name}: the mirror is the identity ({{}}), so both companies start on the same nodes "
            "with the same deliveries",
        )

    def _repr_html_(self) -> str:
        from sim.reports.notebook import map_html

        return map_html(self)


class Economy(Model):
    """Money (rules 2.1, 3.2 and 4)."""

    starting_cash: Dollars = Field(4, description="Cash of each company before the first dispatch [dollars].")
    income: Dollars = Field(1, description="What each company gets after the movement of every dispatch [dollars].")
    upgrade_cost: Price = Field(8, description="Price of a train's upgrade [dollars]; null: not on offer.")
    upgraded_speed: Annotated[int, Whole("ticks", 1, 16)] = Field(
        2, description="Speed of an upgraded train [ticks of movement a dispatch]."
    )
    siding_cost: Price = Field(3, description="Price of a siding at a junction [dollars]; null: not on offer.")
    toll: Dollars = Field(
        1, description="What a company pays for a shared arrival at a siding that only the other owns [dollars]."
    )


class Cargo(Model):
    """What deliveries are worth and who shares the queue (rules 2.3 and 2.4)."""

    rewards: Annotated[tuple[Annotated[int, Whole("points", 0, 1_000)], ...], Field(min_length=1, max_length=64)] = (
        Field((3, 4, 5), description="Rewards of successive cargoes, again and again [points, and dollars].")
    )
    scope: Annotated[Literal["train", "company"], OneOf(("train", "company"))] = Field(
        "train", description="Whether each train has its own schedule, or a company's two draw from one queue."
    )


def _both_seats(bots: dict[str, str]) -> dict[str, str]:
    odd = [seat for seat in bots if seat not in ("A", "B")]
    if odd:
        raise refused(f"has the seat {shown(odd[0])}; must have the seats A and B and no other")
    if len(bots) != 2:
        given = f"only the seat {next(iter(bots))}" if bots else "no seats"
        raise refused(f"has {given}; must have both A and B, or be left out")
    return dict(sorted(bots.items()))


def _names_bot(definition: dict[str, Any]) -> dict[str, Any]:
    if "bot" not in definition:
        raise refused("has no bot; must name the bot that it is a variant of, as in bot: greedy")
    Text("a bot's name").check(definition["bot"])
    return definition


Definition: TypeAlias = Annotated[dict[Name, Any], AfterValidator(_names_bot)]


class AnyScenario(Model):
    """What the scenarios of all games share."""

    schema_version: Schema = Field(alias="schema", description="Version of this format.")
    game: str = Field(description="The game.")
    name: Name = Field(description="What the scenario is called in reports and run folders.")
    _folder: Path = PrivateAttr(Path())

    @property
    def folder(self) -> Path:
        """Where the paths that it writes start: the folder of the scenario's file."""
        return self._folder

    def in_folder(self, folder: Path) -> Self:
        """The same scenario, with its paths in a folder; it says so itself nowhere."""
        self._folder = folder
        return self

    @abstractmethod
    def resolved(self) -> dict[str, Any]:
        """The scenario as plain data with everything in place and explicit; it can be loaded again."""

    @property
    def digest(self) -> str:
        """SHA-256 of the resolved scenario as canonical JSON, in hexadecimal."""
        text = json.dumps(self.resolved(), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(text.encode("ascii")).hexdigest()

    @property
    @abstractmethod
    def warnings(self) -> tuple[str, ...]:
        """What is legal but seldom meant."""


class Scenario(AnyScenario):
    """Everything that a match of the dispatch game is played with; only the bots may be missing."""

    game: Annotated[Literal["dispatch"], OneOf(("dispatch",))] = Field(description="The game.")
    dispatches: Annotated[int, Whole("dispatches", 1, MAX_DISPATCHES)] = Field(
        24, description="Length of a match [dispatches]."
    )
    economy: Economy = Field(default_factory=Economy, description="Money.")
    cargo: Cargo = Field(default_factory=Cargo, description="Cargo.")
    map: RailMap = Field(description="The map: a path beside the file that writes it, or the map in place.")
    bots: Annotated[dict[Name, Name], AfterValidator(_both_seats)] | None = Field(
        None,
        description="Who plays seat A (first) and B (second): a shipped bot, one of `define`, or `file.py:function`.",
    )
    define: Annotated[dict[Name, Definition], NullIsEmpty] = Field(
        default_factory=dict,
        description="Own variants of bots: a name, its `bot` (shipped or `file.py:function`), and parameters.",
    )

    def resolved(self) -> dict[str, Any]:
        """The scenario as plain data with everything in place and explicit; it can be loaded again."""
        return {
            "schema": self.schema_version,
            "game": self.game,
            "name": self.name,
            "dispatches": self.dispatches,
            "economy": self.economy.model_dump(),
            "cargo": {"rewards": list(self.cargo.rewards), "scope": self.cargo.scope},
            "map": self.map.resolved(),
            "bots": None if self.bots is None else dict(self.bots),
            "define": json.loads(json.dumps(self.define)),
        }

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is legal but seldom meant."""
        return self.map.warnings
