"""What a value study leaves: values with their intervals, prices and verdicts; read back from its folder."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.config.errors import BadInput
from sim.config.loading import load_scenario
from sim.config.scenario import AnyScenario
from sim.files import read_of_schema, told, write_json
from sim.stats.worth import Crossing, Price
from sim.store import MANIFEST_SCHEMA, RunFolder

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "FIGURES",
    "RESULT",
    "STUDY",
    "VALUE_SCHEMA",
    "BotPrice",
    "ValueStudy",
    "Verdict",
    "Worth",
    "keep_value",
    "load_value",
]

STUDY = "value"
"""What the manifest says it is."""

RESULT = "value.json"
VALUE_SCHEMA = 1

FIGURES: dict[str, tuple[str, str]] = {
    "knockout.score": ("share difference", "score that the bot loses against itself when it may not"),
    "knockout.points": ("points", "points that the bot falls behind itself when it may not"),
    "interaction.score": (
        "share difference",
        "score that upgrade and siding gain together, beyond what each gains alone",
    ),
    "interaction.points": ("points", "points that upgrade and siding gain together, beyond what each gains alone"),
    "pick": ("share", "matches in which a side buys at least one, nobody being restricted"),
    "timing.score": (
        "share difference",
        "score of the one purchase that is forced at a dispatch, or the first later one at which it is affordable, "
        "above that of a bot to which its kind is forbidden",
    ),
    "scan.score": (
        "share difference",
        "the same of a purchase forced as soon as affordable, others free, at a cost",
    ),
    "scan.pick": ("share", "matches in which an unrestricted side buys one, at a cost"),
    "worth": ("Stages", "Stages that a Home card of the hand saves a whole run: the same deal without and with it"),
    "price": ("dollars", "cost at which the forced purchase is worth nothing more"),
    "headroom": ("dollars", "price minus today's cost"),
}
"""Unit and meaning of each figure."""


@dataclass(frozen=True)
class Worth:
    """One figure of one bot.

    Attributes
    ----------
    bot
        Who was restricted.
    subject
        What it is about: `upgrade`, `siding`, `both`, `hostile toggles`, a purchase such as `siding:a`, a place such as
        `junction:a` or `track:a - b`; or a card.
    figure
        One of `FIGURES`.
    at
        Dispatch of a timing, cost of a scan [dollars]; None for others.
    value, low, high
        The figure and its interval; None where there is none.
    n, n_units
        Matches that it rests on, and the pairs that they belong to.
    method
        How the interval came about.
    gain
        Of a knockout: how many times the matches it would have taken without pairs and common luck.
    """

    bot: str
    subject: str
    figure: str
    at: int | None
    value: float | None
    low: float | None
    high: float | None
    n: int
    n_units: int
    method: str
    gain: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """The entry of `value.json`."""
        return asdict(self)


@dataclass(frozen=True)
class BotPrice:
    """The indifference price of a kind for one bot.

    Attributes
    ----------
    bot, kind
        Whose price, and of what.
    item
        The purchase that was forced, the best of its kind for this bot.
    price
        What was found.
    """

    bot: str
    kind: str
    item: str
    price: Price

    def as_dict(self) -> dict[str, Any]:
        """The entry of `value.json`."""
        told = asdict(self.price) | {"kind": self.price.kind.name.lower(), "further": list(self.price.further)}
        return {"bot": self.bot, "subject": self.kind, "item": self.item, "price": told}

    @classmethod
    def read(cls, told: dict[str, Any]) -> BotPrice:
        """A price as `as_dict` gave it."""
        price = told["price"]
        kind, further = Crossing[price["kind"].upper()], tuple(price["further"])
        return cls(told["bot"], told["subject"], told["item"], Price(**{**price, "kind": kind, "further": further}))


@dataclass(frozen=True)
class Verdict:
    """What the panel says of a subject.

    Attributes
    ----------
    subject
        As of `Worth`.
    verdict
        `trap`, `dominated`, `fair`, `mandatory`, `depends on the bot` or `undecided`; of a card `worth it`, `trap` or
        `undecided`.
    agree
        How many bots say so (of `depends on the bot`: how many say the same at most).
    votes
        What each bot says.
    buyers
        Bots that buy it.
    """

    subject: str
    verdict: str
    agree: int
    votes: dict[str, str]
    buyers: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """The entry of `value.json`."""
        return asdict(self) | {"buyers": list(self.buyers)}


@dataclass(frozen=True)
class ValueStudy:
    """A finished value study.

    Attributes
    ----------
    scenario
        As it was played, resolved.
    bots
        The panel, in the order asked for.
    worths, prices, verdicts
        What was found.
    manifest
        Provenance, as in the folder; `study` is the study file.
    notes
        Sentences that a reader must know beside the figures.
    folder
        Where it is kept; None when nothing was written.
    """

    scenario: AnyScenario = field(compare=False, repr=False)
    bots: tuple[str, ...]
    worths: tuple[Worth, ...] = field(repr=False)
    prices: tuple[BotPrice, ...] = field(repr=False)
    verdicts: tuple[Verdict, ...] = field(repr=False)
    manifest: dict[str, Any] = field(repr=False)
    notes: tuple[str, ...] = ()
    folder: Path | None = field(default=None, compare=False)

    def worth(self, bot: str, subject: str, figure: str = "knockout.score", at: int | None = None) -> Worth:
        """One figure, such as ``found.worth("greedy", "upgrade")``."""
        for one in self.worths:
            if (one.bot, one.subject, one.figure, one.at) == (bot, subject, figure, at):
                return one
        raise KeyError(f"{figure} of {subject} for {bot} is no figure of this study")

    def price(self, bot: str, kind: str) -> Price:
        """Indifference price of `upgrade` or `siding` for a bot."""
        for one in self.prices:
            if (one.bot, one.kind) == (bot, kind):
                return one.price
        raise KeyError(f"there is no price of {kind} for {bot}")

    def verdict(self, subject: str) -> Verdict:
        """What the panel says of a subject."""
        for one in self.verdicts:
            if one.subject == subject:
                return one
        raise KeyError(f"there is no verdict on {subject}; there are {', '.join(v.subject for v in self.verdicts)}")

    @property
    def level(self) -> float:
        """Confidence of the intervals."""
        return float(self.manifest["level"])

    def result(self) -> dict[str, Any]:
        """What `value.json` holds."""
        return {
            "schema": VALUE_SCHEMA,
            "level": self.level,
            "bots": list(self.bots),
            "worths": [one.as_dict() for one in self.worths],
            "prices": [one.as_dict() for one in self.prices],
            "verdicts": [one.as_dict() for one in self.verdicts],
        }

    @property
    def worths_frame(self) -> pd.DataFrame:
        """All figures as a table."""
        import pandas as pd

        return pd.DataFrame([one.as_dict() for one in self.worths])

    def _repr_html_(self) -> str:
        from sim.reports.notebook import value_html

        return value_html(self)


def keep_value(found: ValueStudy, folder: RunFolder) -> None:
    """Write a finished study; the manifest last, since it is what says that the rest is there."""
    from sim.reports.value_page import write_value_report
    from sim.reports.value_tables import write_value_tables

    with told(folder.path):
        write_json(folder.path / RESULT, found.result())
        write_value_tables(found, folder.path / "tables")
        write_value_report(found, folder.path)
        write_json(folder.path / "manifest.json", found.manifest)
    folder.clear_unfinished()


def load_value(folder: str | Path) -> ValueStudy:
    """Read the folder of a finished value study.

    Raises
    ------
    BadInput
        When it holds none, one of another schema, or a damaged one.
    """
    path = Path(folder)
    manifest = read_of_schema(path / "manifest.json", MANIFEST_SCHEMA)
    if manifest.get("study") != STUDY:
        raise BadInput.of(f"{path} holds no value study")
    said = read_of_schema(path / RESULT, VALUE_SCHEMA)
    try:
        found = ValueStudy(
            scenario=load_scenario(manifest["scenario"], bots=False),
            bots=tuple(said["bots"]),
            worths=tuple(Worth(**one) for one in said["worths"]),
            prices=tuple(BotPrice.read(one) for one in said["prices"]),
            verdicts=tuple(Verdict(**{**one, "buyers": tuple(one["buyers"])}) for one in said["verdicts"]),
            manifest=manifest,
            notes=tuple(manifest["notes"]),
            folder=path,
        )
        if found.result() != said:
            raise ValueError(f"{RESULT} does not agree with itself")
    except BadInput as error:
        raise BadInput.of(f"{path / 'manifest.json'} is damaged: in its scenario, {error.problems[0]}") from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadInput.of(f"{path} is damaged: {error}") from None
    return found
