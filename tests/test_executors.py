"""Who plays the parts of a sweep: threads, processes or a cluster leave the same bytes, whoever dies in between."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sim
from kernels.jit import PLAIN
from sim.api import make_plan
from sim.bots import NO_TOGGLE, Invest, below, bot, pack_order
from sim.catalogue import player
from sim.config.errors import BadInput
from sim.running.chunks import Chunk
from sim.running.executors import executor_of
from sim.running.executors.cluster import Cluster
from sim.running.executors.errands import TRIES, Answer, errand_of, mismatch, play_errand, played_of, software
from sim.running.executors.processes import Processes
from sim.running.parts import Part, play_part
from sim.store import RunFolder
from sim.studies.sweep import play_sweep, sweep
from sim.studies.sweep_plan import SweepPlan, make_sweep_plan
from sim.studies.sweep_rows import ROWS_FILE
from tests.run_tools import interrupting

ROOT = Path(sim.__file__).parents[1]
compiled_only = pytest.mark.skipif(PLAIN, reason="a process of its own, and thousands of matches")

OWN = """\
from helping import drawn
from sim.bots import NO_TOGGLE, Invest, bot, pack_order


@bot()
def own(rules, state, c, params, stream):
    return pack_order(drawn(stream), 0, NO_TOGGLE, Invest.NONE)
"""
HELPING = "from sim.bots import below, helper\n\n@helper\ndef drawn(stream):\n    return below(stream, 2)\n"
DEADLY = """\
import multiprocessing, os, signal
from sim.bots import NO_TOGGLE, Invest, below, bot, pack_order

if multiprocessing.parent_process() is not None:
    os.kill(os.getpid(), signal.SIGKILL)


@bot()
def deadly(rules, state, c, params, stream):
    return pack_order(below(stream, 2), 0, NO_TOGGLE, Invest.NONE)
"""


def written(folder: Path, bots: str = "[greedy, own.py:own]", matches: int = 4_000) -> Path:
    """A sweep of six cells, one bot of which stands in two files."""
    (folder / "own.py").write_text(OWN)
    (folder / "helping.py").write_text(HELPING)
    (folder / "deadly.py").write_text(DEADLY)
    path = folder / "own.yaml"
    keys = f"{{economy.toll: [0, 1, 2], bots: [{bots}, [greedy, greedy]]}}"
    path.write_text(f"schema: 1\nscenario: standard\nkeys: {keys}\ndesign: grid\nmatches: {matches}\nseed: 3\n")
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("executors")


@pytest.fixture(scope="module")
def rows(folder) -> bytes:
    """What one thread leaves."""
    sweep(written(folder), out=folder / "one", threads=1)
    return (folder / "one" / ROWS_FILE).read_bytes()


def at_call(n: int, act: Callable[[], None]) -> Callable[[int, int], None]:
    """A progress callback that does something at its n-th call."""
    calls = 0

    def progress(done: int, wanted: int) -> None:
        nonlocal calls
        calls += 1
        if calls == n:
            act()

    return progress


def _alive(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _blocks(path: Path) -> dict[tuple[str, int], Any]:
    import pyarrow.parquet as pq

    found: dict[tuple[str, int], Any] = {}
    for row in pq.read_table(path).to_pylist():
        place = row["cell"], row["block"]
        assert place not in found
        found[place] = row
    return found


# -- what travels -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bots", [("greedy", "random"), ("thrifty", "random"), None])
def test_errands__a_plan_arrives_as_it_was_sent(bots):
    define = {"thrifty": {"bot": "greedy", "invest": "upgrade", "forbid": ["siding:aE"]}}
    plan = (
        make_plan("two-players", seed=2)
        if bots is None
        else make_plan("standard", bots=bots, seed=2, overrides={"define": define, "dispatches": 3})
    )
    _ = plan.rules
    again = pickle.loads(pickle.dumps(plan))
    assert again == plan
    assert again.digest({}) == plan.digest({})
    part = Part(0, plan, 1, 2)
    here, there = play_part(part), played_of(part, play_errand(errand_of(part)))
    assert here is not None
    assert here.sums.n_matches > 0
    for name, array in here.sums.as_arrays().items():
        assert np.array_equal(array, there.sums.as_arrays()[name]), name


def test_errands__a_bot_of_a_file_travels_with_its_sources(tmp_path):
    written(tmp_path)
    sent = player("own.py:own", folder=tmp_path)
    packed = pickle.dumps(sent)
    assert pickle.loads(packed).bot is sent.bot, "where the file is, its machine code is used again"
    shutil.rmtree(tmp_path)
    there = pickle.loads(packed)
    assert there.identity == sent.identity
    assert there.bot is not sent.bot
    rows = [
        make_plan("standard", bots=(one, "random"), seed=1, overrides={"dispatches": 3}).play_rows(Chunk(0, 8))
        for one in (sent, there)
    ]
    assert np.array_equal(*rows)


def test_errands__a_file_that_was_edited_is_told_of(tmp_path):
    written(tmp_path)
    sent = player("own.py:own", folder=tmp_path)
    (tmp_path / "helping.py").write_text(HELPING.replace("2)", "1)"))
    with pytest.raises(BadInput, match=r"own\.py has changed since"):
        pickle.dumps(sent)


def test_errands__a_function_of_a_notebook_cannot_travel():
    @bot()
    def typed(rules, state, c, params, stream):
        return pack_order(below(stream, 2), 0, NO_TOGGLE, Invest.NONE)

    plan = make_plan("standard", bots=(typed, "greedy"), seed=1)
    with pytest.raises(BadInput, match=r"typed is a function of a notebook .* must be in a file of its own"):
        Processes(1).check([plan])


def test_errands__another_version_is_refused():
    part = Part(0, make_plan("standard", bots=("random", "random"), seed=1), 0, 1)
    errand = errand_of(part)
    for name in software():
        other = errand._replace(software={**software(), name: "another"})
        answer = play_errand(other)
        assert answer.arrays is None
        with pytest.raises(BadInput, match=f"{name} .* instead of another; must be the same installation"):
            played_of(part, answer)
    assert mismatch(software(), software()) is None
    assert mismatch(software(), {}) is not None


def test_errands__an_error_is_the_cells_own():
    part = Part(3, make_plan("standard", bots=("random", "random"), seed=1), 0, 1)
    assert played_of(part, Answer(error="it raised")).error == "it raised"
    with pytest.raises(ValueError, match="lack the array"):
        played_of(part, Answer(arrays={}))


# -- who plays --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"processes": 0}, "processes is 0; must be a whole number from 1 to 1024"),
        ({"processes": True}, "processes is True"),
        ({"processes": 2, "threads": 1}, "threads and processes are both given"),
        ({"cluster": "tcp://a:1", "processes": 2}, "processes and cluster are both given"),
        ({"cluster": "local", "threads": 2}, "threads and cluster are both given"),
        ({"cluster": "8786"}, "cluster is '8786'; must be the address of a scheduler"),
        ({"cluster": "tcp://a b"}, "must be the address"),
    ],
)
def test_executors__what_is_refused(given, message):
    with pytest.raises(BadInput, match=message):
        executor_of(**given)


def test_executors__in_words():
    found = [executor_of(**one).words for one in ({"threads": 3}, {"processes": 2}, {"cluster": "tcp://a:1"})]
    assert found == ["3 threads", "2 processes", "a cluster"]
    assert executor_of(cluster="local", processes=2).words == "a local cluster of 2 processes"


@pytest.mark.compiled
@compiled_only
def test_processes__leave_the_same_bytes(folder, rows):
    found = sweep(written(folder), out=folder / "two", processes=2)
    assert (folder / "two" / ROWS_FILE).read_bytes() == rows
    assert found.manifest["played_by"] == "2 processes"
    assert not found.failed
    threads = sweep(written(folder), out=folder / "threads", threads=2)
    assert (folder / "threads" / ROWS_FILE).read_bytes() == rows
    assert threads.result() == found.result()


@pytest.mark.compiled
@compiled_only
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_processes__one_that_is_killed_is_replaced(folder, rows):
    """In mid-sweep; then the keyboard; then it goes on. No part is lost, none is there twice."""
    plan, where = make_sweep_plan(written(folder)), folder / "killed"
    workers = Processes(2)
    pids: set[int] = set()

    def kill() -> None:
        pids.update(one.process.pid or 0 for one in workers.workers)
        for worker in workers.workers:
            os.kill(worker.process.pid or 0, signal.SIGKILL)

    def progress(done: int, wanted: int) -> None:
        for one in both:
            one(done, wanted)

    both = [at_call(3, kill), interrupting(8)]
    with RunFolder(where, plan.digest) as held, pytest.raises(sim.Interrupted) as stopped:
        play_sweep(plan, executor=workers, folder=held, progress=progress)
    assert 0 < stopped.value.done < stopped.value.wanted
    assert len(pids) == 2
    assert workers.workers == []
    found = sweep(written(folder), out=where, processes=2, resume=True)
    assert (where / ROWS_FILE).read_bytes() == rows
    assert not found.failed


@pytest.mark.compiled
@compiled_only
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_processes__a_part_that_kills_them_is_an_error_of_its_cell(folder):
    path = written(folder, "[greedy, deadly.py:deadly]", matches=64)
    path.write_text(path.read_text().replace("[0, 1, 2]", "[1]"))
    found = sweep(path, processes=2, out=folder / "deadly")
    assert [cell.error for cell in found.cells] == [f"the process that played it died, {TRIES} times", None]
    assert len(_blocks(folder / "deadly" / ROWS_FILE)) == 2 + 32, "an error for each part, the others block by block"


def ending(connection: Any) -> None:
    """A process that does not start."""
    sys.exit(7)


@pytest.mark.compiled
@compiled_only
def test_processes__that_cannot_start_are_told_of(folder, monkeypatch):
    monkeypatch.setattr("sim.running.executors.processes._serve", ending)
    with pytest.raises(BadInput, match=r"end as they start \(exit code 7\)"):
        sweep(written(folder, matches=64), processes=1)


KILLED = """
import sim.studies.sweep as s
s.SAVE_SECONDS = 0
s.sweep({file!r}, out={out!r}, processes=2, matches=60_000)
"""


@pytest.mark.compiled
@compiled_only
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes")
def test_processes__end_when_who_started_them_is_killed(folder):
    """SIGKILL in mid-sweep: what was kept counts, and the rest is played by whoever goes on."""
    path, where = written(folder), folder / "orphans"
    code = KILLED.format(file=str(path), out=str(where))
    driver = subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(ROOT)})
    children: list[str] = []
    try:
        until = time.monotonic() + 60
        while len(list((where / "blocks").glob("*"))) < 2:
            assert driver.poll() is None
            assert time.monotonic() < until
            time.sleep(0.02)
        children = Path(f"/proc/{driver.pid}/task/{driver.pid}/children").read_text().split()
    finally:
        driver.kill()
        driver.wait()
    assert len(children) >= 2
    until = time.monotonic() + 20
    while any(_alive(pid) for pid in children):
        assert time.monotonic() < until
        time.sleep(0.05)
    assert not (where / ROWS_FILE).exists()
    for place in (where, folder / "whole"):
        sweep(path, out=place, matches=60_000, threads=2, resume=True)
    assert (where / ROWS_FILE).read_bytes() == (folder / "whole" / ROWS_FILE).read_bytes()


# -- a cluster --------------------------------------------------------------------------------------------------------


class DaskHere:
    """A scheduler and two workers, each a process, on loopback."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.running: list[subprocess.Popen[bytes]] = []
        told = folder / "scheduler.json"
        loop = ("--host", "127.0.0.1", "--no-dashboard")
        self.scheduler = self.start("scheduler", *loop, "--port", "0", "--scheduler-file", told)
        until = time.monotonic() + 60
        while not told.exists() or not told.read_text().strip():
            assert self.scheduler.poll() is None
            assert time.monotonic() < until
            time.sleep(0.05)
        self.address = json.loads(told.read_text())["address"]
        self.workers = [self.worker("one"), self.worker("two")]

    def worker(self, name: str, **environment: str) -> subprocess.Popen[bytes]:
        """One more worker."""
        how = ("--host", "127.0.0.1", "--no-dashboard", "--nthreads", "1", "--no-nanny", "--name", name)
        return self.start("worker", self.address, *how, **environment)

    def start(self, *words: object, **environment: str) -> subprocess.Popen[bytes]:
        """`dask` with these words, in a folder of its own."""
        place = self.folder / f"{len(self.running)}"
        place.mkdir()
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *map(str, words)],
            cwd=place,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "", **environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.running.append(process)
        return process

    def end(self) -> None:
        """End all of it."""
        for process in self.running:
            process.kill()
        for process in self.running:
            process.wait()


@pytest.fixture
def dask(tmp_path) -> Iterator[DaskHere]:
    pytest.importorskip("distributed")
    (tmp_path / "dask").mkdir()
    here = DaskHere(tmp_path / "dask")
    try:
        yield here
    finally:
        here.end()


@pytest.mark.compiled
@compiled_only
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_cluster__leaves_the_same_bytes_whoever_dies(folder, rows, dask, monkeypatch):
    """Two workers play; then one is killed in mid-sweep; then nobody is left; then one of another version comes."""
    plan = make_sweep_plan(written(folder))

    def played(name: str, **how: Any) -> bytes:
        with RunFolder(folder / name, plan.digest) as held:
            found = play_sweep(plan, executor=executor_of(cluster=dask.address), folder=held, **how)
        assert found is not None
        assert not found.failed
        return (folder / name / ROWS_FILE).read_bytes()

    assert played("cluster") == rows
    assert played("cluster-killed", progress=at_call(3, dask.workers[0].kill)) == rows
    monkeypatch.setattr("sim.running.executors.cluster.GONE_SECONDS", 1.0)
    with pytest.raises(BadInput, match="has no workers any more; what was played is kept"):
        played("cluster-alone", progress=at_call(3, dask.workers[1].kill))
    dask.worker("other", NUMBA_OPT="2", DISPATCH_BALANCE_CACHE=str(folder / "cache"))
    with pytest.raises(BadInput, match=r"worker tcp://.* cannot play this sweep: it has kernels .* instead of"):
        played("cluster-other")
    found = sweep(written(folder), out=folder / "cluster-alone", threads=1, resume=True)
    assert (folder / "cluster-alone" / ROWS_FILE).read_bytes() == rows
    assert not found.failed


@pytest.mark.slow
@pytest.mark.compiled
@compiled_only
def test_cluster__of_this_machine_leaves_the_same_bytes(folder, rows):
    pytest.importorskip("distributed")
    found = sweep(written(folder), out=folder / "local", cluster="local", processes=2)
    assert (folder / "local" / ROWS_FILE).read_bytes() == rows
    assert found.manifest["played_by"] == "a local cluster of 2 processes"


@pytest.mark.compiled
@compiled_only
def test_cluster__that_is_not_there(folder, sim_command, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("sim.running.executors.cluster.ANSWERS_SECONDS", 0.3)
    path = written(folder, matches=64)
    done = sim_command("sweep", path, "--out", folder / "nobody", "--cluster", "tcp://127.0.0.1:1")
    assert done.code == 2
    assert "no scheduler answers at tcp://127.0.0.1:1" in done.err
    assert not (folder / "nobody").exists()


def test_cluster__does_not_wait_for_a_result_that_died_with_its_worker(monkeypatch):
    """A future that was done goes back to waiting when its worker dies before the result was fetched."""

    class Waiting:
        def result(self, timeout: float) -> Any:
            raise TimeoutError

    class Alone:
        status = "running"

        def nthreads(self) -> dict[str, int]:
            return {}

    monkeypatch.setattr("sim.running.executors.cluster.GONE_SECONDS", 0.0)
    cluster = Cluster("tcp://127.0.0.1:1", 1)
    cluster._client = Alone()
    with pytest.raises(BadInput, match="has no workers any more; what was played is kept"):
        cluster._result(Waiting())
    Alone.status = "closed"
    with pytest.raises(BadInput, match=r"the scheduler at tcp://127\.0\.0\.1:1 is gone"):
        cluster._result(Waiting())


def test_cluster__needs_dask(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(BadInput, match=r"pip install 'dispatch-balance\[cluster\]'"), executor_of(cluster="local"):
        pass


@pytest.mark.compiled
@compiled_only
def test_shards__merged_are_what_one_thread_leaves(folder, rows):
    """Each played by others."""
    plan: SweepPlan = make_sweep_plan(written(folder))
    for number, how in ((1, {"threads": 1}), (2, {"threads": 2}), (3, {"processes": 1})):
        with RunFolder(folder / f"shard{number}", plan.digest) as held:
            play_sweep(plan, folder=held, shard=(number, 3), executor=executor_of(**how))
    with RunFolder(folder / "merged", plan.digest) as held:
        play_sweep(plan, folder=held, merge=[folder / f"shard{number}" for number in (2, 3, 1)])
    assert (folder / "merged" / ROWS_FILE).read_bytes() == rows
