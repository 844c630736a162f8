"""A self-test of the gate on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.reports.lines import Lines
from sim.studies.selftest import SelfTest

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["print_selftest"]

VERDICTS = {True: "kept", False: "NOT KEPT", None: "not refuted"}


def print_selftest(found: SelfTest, file: str, console: Console) -> None:
    """Print a self-test; the console's width (80 columns at least), colours and encoding are kept to."""
    lines = Lines(console)
    lines.line(lines.text(f"gate of {file}, tried out with its {found.n_figures} figures", "bold"))
    lines.paragraph("Simulated checks on other luck than the baseline's, with the scatter that its figures have.")
    lines.blank()
    rows = []
    for trial in found.trials:
        counts = [f"{trial.verdicts[state]:,}" for state in ("equivalent", "undecided", "drift")]
        bound = "at least" if trial.at_least else "at most"
        counted = trial.verdicts.get(trial.counted, 0)
        promise = f"{trial.counted} {bound} {100 * trial.promised:g}%: {counted:,} of {trial.n:,}"
        rows.append([trial.name, *counts, promise, VERDICTS[trial.shown]])
    styles = ["yellow" if trial.shown is None else "green" if trial.kept else "bold red" for trial in found.trials]
    lines.table(rows, ["moved", "equiv.", "undec.", "drift", "promise", ""], styles)
    lines.blank()
    said = {
        0: "The gate keeps its promises on these figures."
        if all(trial.shown for trial in found.trials)
        else "No promise is refuted on these figures; more --simulations say more.",
        1: "The gate does not keep its promises on these figures: they scatter otherwise than the tests allow for.",
        3: "An unchanged game would pass too seldom: record with more --matches, or give wider deltas.",
    }
    lines.paragraph(said[found.exit_code], "green" if found.exit_code == 0 else "bold red")
