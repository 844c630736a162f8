"""The same run gives the same bytes: whatever the threads, the chunks, and how often and where it was stopped."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import sim
from kernels.codes import Pairing
from sim.games.dispatch.plan import DispatchPlan
from sim.running import engine, runner
from sim.running.engine import play_pairs
from sim.running.ledger import Ledger
from sim.running.plan import BLOCKS
from sim.running.runner import Amount, Interrupted, play
from sim.stats.sums import BlockSums
from sim.store import RunFolder
from tests.run_tools import SHORT, contents, edited, files_under, interrupting, kept, plan_of_bots, scaled

pytestmark = pytest.mark.usefixtures("no_report")

PAIRINGS = [("greedy", "random"), ("greedy", "greedy"), ("still", "poor"), ("still", "still")]
MATCHES = scaled(3_001, 100)


@pytest.fixture(params=PAIRINGS, ids=" ".join)
def plan(request: pytest.FixtureRequest) -> DispatchPlan:
    return plan_of_bots(*request.param)


def test_running_reproducible__threads_and_chunks_leave_no_trace(plan, tmp_path):
    for with_matches in (False, True):
        found = []
        for place, (threads, chunk_pairs) in enumerate([(1, None), (2, 64), (1, 47), (3, 10**6)]):
            folder = tmp_path / f"{with_matches}-{place}"
            kept(folder, plan, Amount(MATCHES), with_matches=with_matches, threads=threads, chunk_pairs=chunk_pairs)
            found.append(contents(folder))
        assert all(one == found[0] for one in found[1:])
        assert (found[0]["matches"] is not None) == with_matches


@pytest.mark.parametrize("with_matches", [False, True], ids=["sums", "matches"])
@pytest.mark.parametrize("bots", PAIRINGS[:2], ids=" ".join)
def test_running_reproducible__interrupted(bots, with_matches, tmp_path):
    plan, amount = plan_of_bots(*bots), Amount(MATCHES)
    kept(tmp_path / "whole", plan, amount, with_matches=with_matches)
    whole = contents(tmp_path / "whole")
    n_pairs = plan.n_pairs(MATCHES)
    for number, sizes in enumerate([(5, 3), (64, 17), (1, 40)]):
        folder = tmp_path / str(number)
        stops: list[Interrupted] = []
        for attempt in range(1_000):
            how = {"threads": 1 + attempt % 2, "chunk_pairs": max(1, n_pairs * sizes[attempt % 2] // 400)}
            try:
                run = kept(
                    folder, plan, amount, with_matches=with_matches, progress=interrupting(1 + attempt**2), **how
                )
            except Interrupted as stopped:
                stops.append(stopped)
                with pytest.raises(sim.BadInput, match="no finished run"):
                    sim.load_run(folder)
            else:
                break
        assert len(stops) >= 2
        for stopped in stops:
            assert stopped.folder == folder
            assert 0 < stopped.done <= stopped.wanted == 2 * n_pairs
        assert run.manifest["continued_after"] > 0
        assert contents(folder) == whole
        assert not {path.name for path in folder.iterdir()} & {"unfinished.npz", "unfinished.json", "matches.parts"}


def test_running_reproducible__matches_wanted_or_not_wanted_any_more(tmp_path):
    """An unfinished run with matches can go on without them, and one without starts again to have them."""
    plan, amount = plan_of_bots("greedy", "random"), Amount(MATCHES)
    chunk_pairs = plan.n_pairs(MATCHES) // 10
    for first in (False, True):
        for second in (False, True):
            whole, folder = tmp_path / f"{first}-{second}-whole", tmp_path / f"{first}-{second}"
            kept(whole, plan, amount, with_matches=second)
            with pytest.raises(Interrupted):
                kept(folder, plan, amount, with_matches=first, progress=interrupting(5), chunk_pairs=chunk_pairs)
            run = kept(folder, plan, amount, with_matches=second)
            assert (run.manifest["continued_after"] > 0) == (first or not second)
            assert run.manifest["matches_kept"] == second
            assert contents(folder) == contents(whole)
            assert not (folder / "matches.parts").exists()


@pytest.mark.parametrize("where", ["summarise", "write_report", "write_json", "join", "write_sums"])
def test_running_reproducible__interrupted_while_writing_the_results(where, tmp_path, monkeypatch):
    """Nothing is played again: all that was finished is kept."""
    plan, amount = plan_of_bots("greedy", "random"), Amount(MATCHES)
    kept(tmp_path / "whole", plan, amount, with_matches=True)

    def pressed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    place = {
        "summarise": "sim.games.dispatch.plan.summarise",
        "write_report": "sim.reports.page.write_report",
        "write_json": "sim.running.runner.write_json",
        "join": "sim.match_parts.MatchParts.join",
        "write_sums": "sim.store.RunFolder.write_sums",
    }[where]
    with monkeypatch.context() as patch:
        patch.setattr(place, pressed)
        with pytest.raises(Interrupted) as stopped:
            kept(tmp_path / "stopped", plan, amount, with_matches=True)
    assert stopped.value.done == stopped.value.wanted == plan.n_pairs(MATCHES) * plan.n_swaps
    with monkeypatch.context() as patch:
        patch.setattr("sim.games.dispatch.plan.play_rows", pressed)
        run = kept(tmp_path / "stopped", plan, amount, with_matches=True)
    assert run.manifest["matches_per_second"] == 0
    assert contents(tmp_path / "stopped") == contents(tmp_path / "whole")


def test_running_reproducible__an_interruption_never_parts_pairs_from_their_sums():
    """At whatever line of the entry the keyboard strikes."""
    plan = plan_of_bots("random", "random")
    one, two = (Ledger(BlockSums.empty(Pairing.LANES, BLOCKS), []) for _ in range(2))
    play_pairs(plan, one, 3, threads=1)
    play_pairs(plan, two, 5, threads=1)
    for strike in range(200):
        ledger = Ledger(one.sums, [(10, 13)])
        lines = 0

        def strikes(frame, event, arg, at=strike):
            nonlocal lines
            if event == "line":
                lines += 1
                if lines > at:
                    raise KeyboardInterrupt
            return strikes

        before = sys.gettrace()
        sys.settrace(strikes)
        try:
            ledger.add(20, 25, two.sums)
            struck = False
        except KeyboardInterrupt:
            struck = True
        finally:
            sys.settrace(before)
        assert ledger.sums.n_pairs == ledger.n_pairs == sum(stop - start for start, stop in ledger.spans)
        if not struck:
            assert ledger.n_pairs == 8
            break
    else:
        pytest.fail("the entry was struck every time")


def test_running_reproducible__pairs_are_never_entered_twice():
    ledger = Ledger(BlockSums.empty(Pairing.LANES, BLOCKS), [(3, 6)])
    nothing = BlockSums.empty(Pairing.LANES, BLOCKS)
    for start, stop in ((0, 4), (5, 7), (3, 6), (4, 5)):
        with pytest.raises(ValueError, match="played twice"):
            ledger.add(start, stop, nothing)
    ledger.add(8, 9, nothing)
    ledger.add(0, 3, nothing)
    assert ledger.spans == [(0, 6), (8, 9)]
    assert ledger.reach == 9
    assert list(ledger.missing(12)) == [(6, 8), (9, 12)]
    assert list(ledger.missing(7)) == [(6, 7)]
    assert list(ledger.missing(2)) == []


def test_running_reproducible__a_half_width_stops_at_the_same_look_however_often_it_was_interrupted(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(runner, "FIRST_LOOK", scaled(200, 20))
    plan, amount = plan_of_bots("greedy", "random", "crooked"), Amount(scaled(50_000, 400), scaled(4, 16) / 1_000)
    run = kept(tmp_path / "whole", plan, amount, chunk_pairs=10)
    whole = contents(tmp_path / "whole")
    looks, _ = amount.looks(plan)
    assert run.sums.n_pairs in looks[1:]
    for number, step in enumerate((1, 3, 7)):
        folder = tmp_path / str(number)
        wanted = set()
        for _ in range(1_000):
            try:
                kept(folder, plan, amount, chunk_pairs=step * 4 + 1, progress=interrupting(step * 9 + 2), threads=2)
            except Interrupted as stopped:
                wanted.add(stopped.wanted // 2)
            else:
                break
        assert wanted <= set(looks)
        assert contents(folder) == whole


def test_running_reproducible__adding_matches_keeps_those_that_are_there(tmp_path):
    plan = plan_of_bots("greedy", "random")
    few, many = Amount(scaled(400, 20)), Amount(scaled(2_000, 40))
    kept(tmp_path / "few", plan, few, with_matches=True)
    kept(tmp_path / "many", plan, many, with_matches=True)
    few_rows, many_rows = (pq.read_table(tmp_path / name / "matches.parquet") for name in ("few", "many"))
    assert many_rows.slice(0, few.matches) == few_rows


@pytest.mark.parametrize("bots", PAIRINGS, ids=" ".join)
def test_running_reproducible__any_match_is_played_alone(bots, tmp_path):
    plan = plan_of_bots(*bots)
    run = kept(tmp_path / "run", plan, Amount(MATCHES), with_matches=True, chunk_pairs=37)
    rows = pq.read_table(tmp_path / "run" / "matches.parquet")
    n = rows.num_rows
    assert rows["match"].to_pylist() == list(range(n)) == list(range(run.manifest["matches_played"]))
    loaded = sim.load_run(tmp_path / "run")
    rng = np.random.default_rng(1)
    for number in {0, n - 1, *rng.integers(n, size=scaled(60, 6))}:
        row = rows.slice(number, 1).to_pylist()[0]
        assert sim.play_match(loaded, number) == row == sim.play_match(plan, int(number))
    for wrong in (-1, n, True, 1.0, "0", None, 2**70):
        with pytest.raises(sim.BadInput, match=f"must be a whole number from 0 to {n - 1}"):
            sim.play_match(loaded, wrong)


def test_running_reproducible__python_and_command_play_the_same(sim_command, tmp_path):
    words = [] if not SHORT else ["--set", f"dispatches={SHORT['dispatches']}"]
    answer = sim_command("run", "ladder", "--matches", MATCHES, "--seed", 0, "--bots", "random", "--out", "a", *words)
    assert answer.code == 0, answer.err
    sim.run("ladder", matches=MATCHES, seed=0, bots=("random", "random"), overrides=SHORT, out="b")
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


# -- processes that really are stopped --------------------------------------------------------------------------------

PLAYED = scaled(300_000, 400)
WORDS = ["ladder", "--matches", str(PLAYED), "--seed", "7", "--threads", str(scaled(2, 1)), "--keep-matches"]


def start_sim(*words: str, cwd: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "sim", *words],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(Path(sim.__file__).parents[1])},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A shell starts its background jobs with SIGINT ignored, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def wait_for_parts(process: subprocess.Popen[str], folder: Path, n: int) -> None:
    for _ in range(6_000):
        if process.poll() is not None or len(list((folder / "matches.parts").glob("[0-9]*"))) >= n:
            return
        time.sleep(0.01)
    process.kill()
    pytest.fail("nothing was played")


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    folder = tmp_path_factory.mktemp("whole") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sim.reports.page.write_report", lambda run, folder, **beside: None)
        sim.run("ladder", matches=PLAYED, seed=7, out=folder, keep_matches=True)
    return contents(folder)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_running_reproducible__keyboard_interrupt_prints_the_line_that_goes_on(uninterrupted, tmp_path):
    folder = tmp_path / "a folder; with $signs"
    process = start_sim("run", *WORDS, "--out", str(folder), cwd=tmp_path)
    wait_for_parts(process, folder, scaled(3, 1))
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert out == ""
    said, line = err.splitlines()
    assert said.startswith("interrupted after ")
    assert said.endswith(f"; kept in {folder}. This goes on from there:")
    words = shlex.split(line)
    assert words[:2] == ["sim", "run"]
    done = int(said.split()[2].replace(",", ""))
    assert 0 < done <= PLAYED
    again = start_sim(*words[1:], "--json", cwd=tmp_path)
    out, err = again.communicate(timeout=240)
    assert again.returncode == 0, err
    assert out.encode() == (folder / "summary.json").read_bytes()
    assert contents(folder) == uninterrupted
    assert sim.load_run(folder).manifest["continued_after"] >= done
    assert sim.load_run(folder).manifest["command"] == words


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_running_reproducible__killed(uninterrupted, tmp_path):
    folder = tmp_path / "run"
    process = start_sim("run", *WORDS, "--out", str(folder), cwd=tmp_path)
    wait_for_parts(process, folder, scaled(4, 1))
    process.kill()
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    assert not (folder / "manifest.json").exists()
    sim.run("ladder", matches=PLAYED, seed=7, out=folder, keep_matches=True)
    assert contents(folder) == uninterrupted


# -- wherever the process is killed -----------------------------------------------------------------------------------


class AtOnce:
    """An executor that does its work when it is given, so that nothing else happens while a picture is taken."""

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def __enter__(self) -> AtOnce:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def submit(self, work: Callable[..., Any], *given: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(work(*given))
        return done


class Camera:
    """Copies of a run folder as it is before every operation on its files: what a kill there would leave."""

    def __init__(self, folder: Path, album: Path) -> None:
        self.folder = folder
        self.album = album
        self.on = False
        self.seen: set[tuple[tuple[str, str], ...]] = set()

    def __call__(self, event: str, args: tuple[object, ...]) -> None:
        if not self.on or event not in ("open", "os.rename", "os.remove", "os.rmdir", "os.mkdir"):
            return
        place = args[0]
        if not isinstance(place, str) or not os.fspath(place).startswith(str(self.folder)):
            return
        self.on = False
        try:
            held = tuple(files_under(self.folder).items())
            if self.folder.exists() and held not in self.seen:
                self.seen.add(held)
                shutil.copytree(self.folder, self.album / str(len(self.seen)))
        finally:
            self.on = True


def test_running_reproducible__killed_at_any_moment(tmp_path, monkeypatch):
    """Before whatever operation on a file: the same command goes on to the same bytes and leaves nothing behind."""
    monkeypatch.setattr(runner, "SAVE_SECONDS", -1.0)
    monkeypatch.setattr(engine, "ThreadPoolExecutor", AtOnce)
    plan, amount = plan_of_bots("random", "random"), Amount(40)
    folder, album = tmp_path / "run", tmp_path / "album"
    album.mkdir()
    camera = Camera(folder, album)
    sys.addaudithook(camera)
    camera.on = True
    kept(folder, plan, amount, with_matches=True, threads=1, chunk_pairs=7)
    camera.on = False
    whole, names = contents(folder), set(files_under(folder))
    moments = sorted(album.iterdir(), key=lambda path: int(path.name))
    assert len(moments) > 25
    complete = 0
    for moment in moments:
        for with_matches in (True, False):
            copy = tmp_path / "copy"
            shutil.copytree(moment, copy)
            for left in copy.rglob(f"*.{os.getpid()}.tmp"):
                left.rename(left.with_name(left.name.replace(str(os.getpid()), "1")))
            with RunFolder(copy, plan.digest(amount.identity), with_matches=with_matches) as held:
                complete += held.state == "complete"
                if held.state != "complete":
                    play(plan, amount, folder=held)
            found = contents(copy)
            assert found["summary.json"] == whole["summary.json"]
            assert found["sums.npz"] == whole["sums.npz"]
            if with_matches:
                assert found["matches"] == whole["matches"]
                assert set(files_under(copy)) == names
            shutil.rmtree(copy)
    assert complete > 2, "the folder is complete as soon as the manifest is there"


def test_running_reproducible__killed_while_playing_anew(tmp_path, monkeypatch):
    """`again` never leaves a folder that nobody knows what to do with."""
    monkeypatch.setattr(engine, "ThreadPoolExecutor", AtOnce)
    plan, amount = plan_of_bots("random", "random"), Amount(40)
    folder, album = tmp_path / "run", tmp_path / "album"
    album.mkdir()
    kept(folder, plan, amount, with_matches=True)
    whole = contents(folder)
    camera = Camera(folder, album)
    sys.addaudithook(camera)
    camera.on = True
    kept(folder, plan, amount, with_matches=True, again=True, threads=1, chunk_pairs=7)
    camera.on = False
    assert contents(folder) == whole
    for moment in album.iterdir():
        kept(moment, plan, amount, with_matches=True, again=True)
        assert contents(moment) == whole


def test_running_reproducible__a_kept_part_that_is_lost_or_damaged_is_refused(tmp_path):
    plan, amount = plan_of_bots("random", "random"), Amount(40)
    for number, damage in enumerate(("lost", "cut", "other", "all")):
        folder = tmp_path / str(number)
        with pytest.raises(Interrupted):
            kept(folder, plan, amount, with_matches=True, progress=interrupting(2), chunk_pairs=5, threads=1)
        parts = sorted((folder / "matches.parts").iterdir())
        assert len(parts) >= 2
        if damage == "lost":
            parts[0].unlink()
        elif damage == "cut":
            parts[0].write_bytes(parts[0].read_bytes()[:-9])
        elif damage == "other":
            parts[0].write_text("no parquet")
        else:
            shutil.rmtree(folder / "matches.parts")
        before = files_under(folder).get("unfinished.npz")
        with pytest.raises(sim.BadInput, match="use --again to play the run anew"):
            kept(folder, plan, amount, with_matches=True)
        assert before is not None
        assert not (folder / "manifest.json").exists()
        kept(folder, plan, amount, with_matches=True, again=True)
        assert sim.load_run(folder).sums.n_matches == 40


def test_running_reproducible__unfinished_of_another_count_is_another_run(tmp_path):
    plan = plan_of_bots("random", "random")
    with pytest.raises(Interrupted):
        kept(tmp_path / "run", plan, Amount(40), progress=interrupting(1), chunk_pairs=5)
    before = files_under(tmp_path / "run")
    with pytest.raises(sim.BadInput, match="holds another, unfinished run"):
        kept(tmp_path / "run", plan, Amount(42))
    assert files_under(tmp_path / "run") == before
    edited(tmp_path / "run" / "unfinished.json", lambda data: data.clear())
    with pytest.raises(sim.BadInput, match="from another version"):
        kept(tmp_path / "run", plan, Amount(40))
