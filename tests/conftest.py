"""What tests share: kernels may be plain, run folders may do without a report, and commands are given in process."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is loaded, as the command line does

from kernels.jit import PLAIN


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave what is marked `compiled` to the run with compiled kernels, which checks all of it.

    The plain run is there for coverage. It plays a thousand times slower, so that a test of thousands of matches, or of
    a bot that thinks, would take hours; and machine code, its cache and its speed are not there to be tested.
    """
    if PLAIN:
        for item in items:
            if item.get_closest_marker("compiled"):
                item.add_marker(pytest.mark.skip(reason="needs compiled kernels; the compiled run has it"))


@pytest.fixture(scope="session", autouse=True)
def fewer_pairs() -> Iterator[None]:
    """Baselines may be recorded with a handful of matches where kernels are plain."""
    with pytest.MonkeyPatch.context() as patch:
        if PLAIN:
            for module in ("sim.studies.record", "sim.studies.baseline_file"):
                patch.setattr(f"{module}.FEWEST_PAIRS", 2)
        yield


@pytest.fixture
def no_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run folders get a stand-in for the report, which takes longer than the run."""

    def stand_in(run: object, folder: Path, **beside: object) -> None:
        (folder / "report.html").write_text("a report", encoding="utf-8")

    monkeypatch.setattr("sim.reports.page.write_report", stand_in)


@pytest.fixture
def fewer_sequels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Matches are explained with few sequels: plain kernels play a few hundred dispatches a second."""
    from sim.studies import story

    few = {"CHANCE_LUCKS": (256, 4), "SCREEN_LUCKS": (64, 2), "CHECK_LUCKS": (512, 4), "MOST_CHECKED": (12, 2)}
    for name, (compiled, plain) in few.items():
        monkeypatch.setattr(story, name, plain if PLAIN else compiled)


@pytest.fixture
def no_mainline_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same for the mainline game."""

    def stand_in(run: object, folder: Path) -> None:
        (folder / "report.html").write_text("a report", encoding="utf-8")

    monkeypatch.setattr("sim.reports.mainline.page.write_report", stand_in)


@dataclass(frozen=True)
class Answer:
    """What a command did: exit code, standard output, standard error."""

    code: int
    out: str
    err: str


@pytest.fixture
def sim_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Callable[..., Answer]:
    """`sim` in this process, in a new folder of its own: call it with the words of the command line."""
    from sim.cli import main

    monkeypatch.chdir(tmp_path)

    def command(*words: object) -> Answer:
        monkeypatch.setattr(sys, "argv", ["sim", *map(str, words)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        code = ended.value.code
        return Answer(code if isinstance(code, int) else int(code is not None), said.out, said.err)

    return command
