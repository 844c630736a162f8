"""For teams that live in pytest: one line that fails when the balance of a scenario has moved."""

from __future__ import annotations

from pathlib import Path

from sim.config.errors import BadInput
from sim.studies.baseline_file import read_baseline
from sim.studies.check import check
from sim.studies.check_entry import entries_of
from sim.studies.check_result import Checked, Undecided

__all__ = ["assert_balance"]


def assert_balance(
    scenario: str | Path,
    *,
    baseline: str | Path,
    undecided: str = "fail",
    budget: float | None = None,
    threads: int | None = None,
) -> Checked:
    """Fail unless a scenario plays as its baseline says: `sim check` for one scenario, as an assertion.

    Parameters
    ----------
    scenario
        The scenario's file, or the name of a shipped one, as `sim baseline record` was given it.
    baseline
        The baseline's file. Its promises allow for all of its figures, also those of other scenarios.
    undecided
        "fail", or "warn": an undecided check passes.
    budget
        Seconds that the matches may take; None: as long as it takes.
    threads
        One for each core when absent.

    Returns
    -------
    Checked
        Every figure, for further assertions.

    Raises
    ------
    AssertionError
        When a figure has drifted or, with "fail", when it is undecided; the message is the table of `sim check`.
    BadInput
        When the baseline is not usable, or holds nothing of this scenario: a check that measured nothing never passes.
    """
    __tracebackhide__ = True  # pytest shows the line of the test and the message, not what is in here
    if undecided not in ("fail", "warn"):
        raise BadInput.of(f"undecided is {undecided!r}; must be fail or warn")
    file = Path(baseline)
    try:
        names = [(one.source, one.bots) for one in entries_of(read_baseline(file), file, scenario)]
        found = check(
            file,
            undecided=Undecided(undecided),
            budget=budget,
            threads=threads,
            only=lambda entry: (entry.source, entry.bots) in names,
        )
    except BadInput as error:
        raise BadInput(error.problems) from None
    if not found.passed:
        raise AssertionError(f"the balance of {scenario} has moved\n{_table(found)}")
    return found


def _table(found: Checked) -> str:
    import io

    from rich.console import Console

    from sim.reports.check_terminal import print_check

    screen = io.StringIO()
    print_check(found, Console(file=screen, width=100, highlight=False, markup=False, emoji=False))
    return screen.getvalue()
