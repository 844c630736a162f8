"""Where a figure of a day stands in its row: the columns behind `kernels.mainline.codes.Column`, by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kernels.mainline.codes import N_COLUMNS, N_HOME, N_LAYINGS, Direction, Home, Laying, Speed
from kernels.mainline.layout import MAX_SLOTS, PER_KIND, row_width

__all__ = ["Columns"]

_CARDS = N_COLUMNS
_UPS = N_COLUMNS + MAX_SLOTS
_LAYINGS = N_COLUMNS + 2 * MAX_SLOTS
_KINDS = _LAYINGS + N_HOME * N_LAYINGS


@dataclass(frozen=True)
class Columns:
    """Columns of the rows of a scenario, whose kinds of card are `kinds`, in the order of axis `k`."""

    kinds: tuple[str, ...]

    @property
    def width(self) -> int:
        """Columns of a row."""
        return row_width(len(self.kinds))

    def card(self, slot: int) -> int:
        """Kind + 1 of the card dealt to a slot, counted from 0."""
        return _CARDS + slot

    def up(self, slot: int) -> int:
        """Direction + 1 of the grade dealt to a slot; 0: no grade."""
        return _UPS + slot

    def laying(self, home: Home, laying: Laying) -> int:
        """Home cards of a kind that came to this."""
        return _LAYINGS + home * N_LAYINGS + laying

    def dealt(self, kind: str) -> int:
        """Cards of a kind that were dealt."""
        return _KINDS + PER_KIND * self.kinds.index(kind)

    def crossing(self, kind: str, direction: Direction, speed: Speed) -> int:
        """Stages of finished crossings; their number is 4 columns further on."""
        return self.dealt(kind) + 1 + 2 * direction + speed

    def crossings(self, kind: str, direction: Direction, speed: Speed) -> int:
        """Number of finished crossings."""
        return self.crossing(kind, direction, speed) + 4

    def groups(self) -> Iterator[tuple[str, Direction, Speed]]:
        """Every kind, direction and class, in the order of the columns."""
        for kind in self.kinds:
            for direction in Direction:
                for speed in Speed:
                    yield kind, direction, speed
