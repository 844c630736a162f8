"""What a comparison leaves: what changed, what moved and by how much; read back from its folder."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.config.errors import BadInput
from sim.files import read_of_schema
from sim.stats.differences import Difference, Verdict
from sim.stats.figures import Estimate
from sim.store import MANIFEST_SCHEMA
from sim.studies.changes import Change

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["COMPARE_SCHEMA", "RESULT", "STUDY", "Comparison", "Variant", "load_comparison"]

STUDY = "compare"
"""What the manifest says it is."""

RESULT = "compare.json"
COMPARE_SCHEMA = 1


@dataclass(frozen=True)
class Variant:
    """A variant set against the base.

    Attributes
    ----------
    label
        What it is called.
    pairing
        Who played it.
    paired
        Whether it was played on the base's luck, block by block.
    changes
        Keys of the scenario that differ.
    differences
        Every figure.
    flipped, changed
        Shares of the matches that had another winner, and of those that ended otherwise in any figure; None where
        matches have no counterpart, or were not looked at one by one; the first also where nobody wins.
    """

    label: str
    pairing: str
    paired: bool
    changes: tuple[Change, ...]
    differences: tuple[Difference, ...] = field(repr=False)
    flipped: Estimate | None = None
    changed: Estimate | None = None

    def __getitem__(self, metric: str) -> Difference:
        """The difference of a figure by its core name, such as ``variant["shared"]``."""
        for found in self.differences:
            if found.metric == metric:
                return found
        raise KeyError(f"{metric} is no figure of this comparison")

    def shown(self, metric: str) -> str:
        """The change of a figure with its interval, as the tool prints it."""
        from sim.reports.compare_terminal import change_of

        return change_of(self[metric])

    def with_verdict(self, verdict: Verdict) -> tuple[Difference, ...]:
        """The figures of which this is known."""
        return tuple(found for found in self.differences if found.verdict is verdict)

    @property
    def inert(self) -> bool:
        """Whether every match ended exactly as before, in every figure."""
        if self.changed is not None:
            return self.changed.value == 0
        return all(found.verdict is Verdict.IDENTICAL for found in self.differences)

    def as_dict(self) -> dict[str, Any]:
        """The entry of `compare.json`."""
        return {
            "label": self.label,
            "pairing": self.pairing,
            "paired": self.paired,
            "inert": self.inert,
            "changes": [change.as_dict() for change in self.changes],
            "flipped": None if self.flipped is None else self.flipped.as_dict(),
            "changed": None if self.changed is None else self.changed.as_dict(),
            "differences": [found.as_dict() for found in self.differences],
        }

    @classmethod
    def read(cls, told: dict[str, Any]) -> Variant:
        """A variant as `as_dict` gave it."""
        shares = (None if told[key] is None else Estimate(**told[key]) for key in ("flipped", "changed"))
        return cls(
            told["label"],
            told["pairing"],
            told["paired"],
            tuple(Change(**change) for change in told["changes"]),
            tuple(Difference.read(found) for found in told["differences"]),
            *shares,
        )


@dataclass(frozen=True)
class Comparison:
    """A finished comparison of scenarios.

    Attributes
    ----------
    base
        What the base is called.
    pairing
        Who played it.
    variants
        Each set against the base.
    manifest
        Provenance, as in the folder.
    notes
        Sentences that a reader must know beside the figures.
    folder
        Where it is kept; None when nothing was written.
    """

    base: str
    pairing: str
    variants: tuple[Variant, ...] = field(repr=False)
    manifest: dict[str, Any] = field(repr=False)
    notes: tuple[str, ...] = ()
    folder: Path | None = field(default=None, compare=False)

    def __getitem__(self, label: str | int) -> Variant:
        """A variant by its label, or by its place counted from 0."""
        if isinstance(label, int):
            return self.variants[label]
        for variant in self.variants:
            if variant.label == label:
                return variant
        raise KeyError(f"{label} is no variant; there are {', '.join(variant.label for variant in self.variants)}")

    @property
    def level(self) -> float:
        """Confidence of the intervals."""
        return float(self.manifest["level"])

    def result(self) -> dict[str, Any]:
        """What `compare.json` holds."""
        return {
            "schema": COMPARE_SCHEMA,
            "level": self.level,
            "base": {"label": self.base, "pairing": self.pairing, "matches": self.manifest["matches_played_base"]},
            "variants": [variant.as_dict() for variant in self.variants],
        }

    @property
    def differences_frame(self) -> pd.DataFrame:
        """All differences as a table: one row a figure and variant."""
        import pandas as pd

        return pd.DataFrame(
            [{"variant": one.label, **found.as_dict()} for one in self.variants for found in one.differences]
        )

    def _repr_html_(self) -> str:
        from sim.reports.notebook import comparison_html

        return comparison_html(self)


def load_comparison(folder: str | Path) -> Comparison:
    """Read the folder of a finished comparison.

    Raises
    ------
    BadInput
        When it holds none, one of another schema, or a damaged one.
    """
    path = Path(folder)
    manifest = read_of_schema(path / "manifest.json", MANIFEST_SCHEMA)
    if manifest.get("study") != STUDY:
        raise BadInput.of(f"{path} holds no comparison")
    told = read_of_schema(path / RESULT, COMPARE_SCHEMA)
    try:
        found = Comparison(
            base=told["base"]["label"],
            pairing=told["base"]["pairing"],
            variants=tuple(Variant.read(variant) for variant in told["variants"]),
            manifest=manifest,
            notes=tuple(manifest["notes"]),
            folder=path,
        )
        if found.result() != told:
            raise ValueError(f"{RESULT} does not agree with itself")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadInput.of(f"{path} is damaged: {error}") from None
    return found
