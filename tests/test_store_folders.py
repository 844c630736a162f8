"""Run folders: what is there is continued, shown or refused; nothing of anybody else's is touched, nothing lost."""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sim
from sim.files import read_json, write_atomically
from sim.reading import load_run
from sim.running.runner import Amount, Interrupted
from sim.store import RunFolder, folder_name, read_sums
from tests.run_tools import contents, edited, files_under, interrupting, kept, plan_of_bots, scaled

pytestmark = pytest.mark.usefixtures("no_report")

WORDS = ["run", "standard", "--matches", "20", "--seed", "3", "--set", "dispatches=3", "--out"]


# -- what is there already --------------------------------------------------------------------------------------------


def test_store_folders__a_complete_run_is_said_and_printed(sim_command, tmp_path):
    first = sim_command(*WORDS, "run")
    before = files_under(tmp_path / "run")
    second = sim_command(*WORDS, "run")
    assert (first.code, first.err) == (0, "")
    assert second.code == 0
    assert second.err == "This run is complete already in run; --again plays it anew.\n"
    assert second.out == first.out
    assert files_under(tmp_path / "run") == before
    as_json = sim_command(*WORDS, "run", "--json")
    assert as_json.code == 0
    assert as_json.out.encode() == (tmp_path / "run" / "summary.json").read_bytes()


def test_store_folders__again_plays_anew(sim_command, tmp_path):
    sim_command(*WORDS, "run")
    before = contents(tmp_path / "run")
    started = sim.load_run(tmp_path / "run").manifest["started"]
    edited(tmp_path / "run" / "manifest.json", lambda data: data.update(started="long ago"))
    (tmp_path / "run" / "figures").mkdir()
    (tmp_path / "run" / "figures" / "old.svg").touch()
    answer = sim_command(*WORDS, "run", "--again")
    assert (answer.code, answer.err) == (0, "")
    assert contents(tmp_path / "run") == before
    assert sim.load_run(tmp_path / "run").manifest["started"] >= started
    assert not (tmp_path / "run" / "figures").exists()


def test_store_folders__matches_wanted_later_are_played_for(sim_command, tmp_path):
    sim_command(*WORDS, "run")
    before = contents(tmp_path / "run")
    answer = sim_command(*WORDS, "run", "--keep-matches")
    assert (answer.code, answer.err) == (0, "")
    after = contents(tmp_path / "run")
    assert after["matches"].num_rows == 20
    assert {**after, "matches": None} == before
    assert "complete already" in sim_command(*WORDS, "run", "--keep-matches").err
    assert "complete already" in sim_command(*WORDS, "run").err
    assert contents(tmp_path / "run") == after


@pytest.mark.parametrize("held", ["another run", "another unfinished run", "foreign", "file", "hidden", "schema"])
def test_store_folders__anything_else_is_refused_and_untouched(held, sim_command, tmp_path):
    run = tmp_path / "run"
    if held == "another run":
        kept(run, plan_of_bots("random", "random"), Amount(4))
        said = f"run holds another run (digest {sim.load_run(run).manifest['digest'][:12]}, this one is "
    elif held == "another unfinished run":
        with pytest.raises(Interrupted):
            kept(run, plan_of_bots("random", "random"), Amount(40), progress=interrupting(2), chunk_pairs=4)
        said = "run holds another, unfinished run (digest "
    elif held == "file":
        run.write_text("a file")
        said = "run is a file; must be a folder, new or of this run"
    elif held == "schema":
        sim_command(*WORDS, "run")
        edited(run / "manifest.json", lambda data: data.update(schema=2))
        said = "run/manifest.json is of schema 2, from another version; must be 1"
    else:
        run.mkdir()
        (run / (".git" if held == "hidden" else "letters.txt")).write_text("mine")
        said = f"run holds something else ({'.git' if held == 'hidden' else 'letters.txt'}); name another --out"
    before = files_under(tmp_path)
    for more in ([], ["--keep-matches"], ["--json"], ["--again"]):
        answer = sim_command(*WORDS, "run", *more)
        assert answer.code == 2
        assert answer.out == ""
        assert answer.err.startswith(said)
        assert answer.err.count("\n") == 1
        assert files_under(tmp_path) == before


def test_store_folders__an_empty_folder_is_as_good_as_none(sim_command, tmp_path):
    (tmp_path / "run").mkdir()
    assert sim_command(*WORDS, "run").code == 0


def test_store_folders__the_default_folder_names_scenario_and_digest(sim_command, tmp_path):
    assert sim_command(*WORDS[:-1], "--set", "name='Fünf Züge / v2 [x]'").code == 0
    (folder,) = (tmp_path / "reports" / "runs").iterdir()
    digest = sim.load_run(folder).manifest["digest"]
    assert folder.name == f"Fünf-Züge-v2-x-{digest[:12]}"
    assert "complete already in reports/runs/F" in sim_command(*WORDS[:-1], "--set", "name='Fünf Züge / v2 [x]'").err


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("standard", "standard"),
        ("../../etc", "etc"),
        ("...", "run"),
        ("", "run"),
        ("a b\tc", "a-b-c"),
        ("x" * 100, "x" * 60),
        ("-rf", "rf"),
        ("\u6771\u4eac", "\u6771\u4eac"),
    ],
)
def test_store_folders__names_are_safe(name, expected):
    assert folder_name(name, "0123456789abcdef") == f"{expected}-0123456789ab"


def test_store_folders__bad_input_makes_no_folder(sim_command, tmp_path):
    for words in (["--bots", "nobody"], ["--seed", "-1"], ["--matches", "0"], ["--threads", "0"], ["--set", "x=1"]):
        assert sim_command("run", "standard", "--out", "deep/er/run", *words).code == 2
        assert list(tmp_path.iterdir()) == []


# -- who writes -------------------------------------------------------------------------------------------------------


def test_store_folders__one_writer_at_a_time(tmp_path):
    digest = "a" * 64
    with RunFolder(tmp_path / "run", digest):
        for again in (False, True):
            with (
                pytest.raises(sim.BadInput, match=r"another process is writing .*; wait for it, or name another --out"),
                RunFolder(tmp_path / "run", digest, again=again),
            ):
                pass
        assert (tmp_path / "run" / ".lock").exists()
    assert not (tmp_path / "run").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_store_folders__another_live_process_is_respected_and_a_dead_one_is_not(sim_command, tmp_path):
    holder = (
        "import sys, time, pathlib, sim.store\n"
        f"with sim.store.RunFolder(pathlib.Path('run'), {'b' * 64!r}):\n"
        "    print('held', flush=True)\n"
        "    time.sleep(600)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(sim.__file__).parents[1])}
    with subprocess.Popen(
        [sys.executable, "-c", holder], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True
    ) as other:
        try:
            assert other.stdout is not None
            assert other.stdout.readline() == "held\n"
            answer = sim_command(*WORDS, "run")
            assert answer.code == 2
            assert answer.err == "another process is writing run; wait for it, or name another --out\n"
            assert files_under(tmp_path) == files_under(tmp_path)
            assert [path.name for path in (tmp_path / "run").iterdir()] == [".lock"]
        finally:
            other.kill()
    assert (tmp_path / "run" / ".lock").exists()
    assert sim_command(*WORDS, "run").code == 0
    assert not (tmp_path / "run" / ".lock").exists()


def test_store_folders__a_lock_taken_away_between_opening_and_locking_is_taken_again(tmp_path, monkeypatch):
    """As when the writer before ends just then."""
    fcntl = pytest.importorskip("fcntl")
    flock = fcntl.flock
    lock = tmp_path / "run" / ".lock"
    strikes = iter([True, True])

    def flock_late(file: Any, how: int) -> None:
        if next(strikes, False):
            lock.unlink()
        flock(file, how)

    monkeypatch.setattr(fcntl, "flock", flock_late)
    with RunFolder(tmp_path / "run", "c" * 64) as folder:
        assert folder.state == "new"
        assert lock.exists()


# -- file systems that refuse -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["/proc/run", "/dev/null/run", "/dev/null", "a-file/run"])
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
def test_store_folders__unwritable_places(place, sim_command, tmp_path):
    (tmp_path / "a-file").touch()
    answer = sim_command(*WORDS, place)
    assert answer.code == 2
    assert answer.err.startswith((f"cannot write {place}: ", f"{place} is a file; "))
    assert answer.err.count("\n") == 1
    assert files_under(tmp_path) == files_under(tmp_path)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may write everywhere")
def test_store_folders__a_folder_without_permission(sim_command, tmp_path):
    (tmp_path / "closed").mkdir(mode=0o555)
    answer = sim_command(*WORDS, "closed/run")
    assert answer.code == 2
    assert answer.err == "cannot write closed/run: Permission denied\n"


@pytest.mark.parametrize("with_matches", [False, True], ids=["sums", "matches"])
def test_store_folders__a_disk_that_is_full_at_any_write(with_matches, tmp_path, monkeypatch):
    """Wherever it happens: one house message, and with room again the run goes on to the same bytes."""
    monkeypatch.setattr("sim.running.runner.SAVE_SECONDS", -1.0)
    plan, amount = plan_of_bots("random", "random"), Amount(40)
    how = {"with_matches": with_matches, "threads": 1, "chunk_pairs": 7}
    kept(tmp_path / "whole", plan, amount, **how)
    whole = contents(tmp_path / "whole")
    full_at = 0
    failures = 0
    while True:
        writes = 0

        def full(path: Path, data: bytes, at: int = full_at) -> None:
            nonlocal writes
            writes += 1
            if writes > at:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            write_atomically(path, data)

        folder = tmp_path / "run"
        with monkeypatch.context() as patch:
            for place in ("files", "store", "match_parts"):
                patch.setattr(f"sim.{place}.write_atomically", full)
            try:
                kept(folder, plan, amount, **how)
            except sim.BadInput as refused:
                said = str(refused)
            else:
                break
        failures += 1
        assert said == f"cannot write {folder}: No space left on device; nothing that was finished is lost"
        kept(folder, plan, amount, **how)
        assert contents(folder) == whole
        for file in sorted(folder.rglob("*"), reverse=True):
            file.unlink()
        folder.rmdir()
        full_at += 1
    assert failures > 8


def test_store_folders__a_report_that_finds_no_room(tmp_path, monkeypatch):
    def full(run: object, folder: Path, **beside: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("sim.reports.page.write_report", full)
    with pytest.raises(sim.BadInput, match=r"cannot write .*: No space left on device"):
        kept(tmp_path / "run", plan_of_bots("random", "random"), Amount(10))
    assert not (tmp_path / "run" / "manifest.json").exists()
    monkeypatch.setattr("sim.reports.page.write_report", lambda run, folder, **beside: None)
    run = kept(tmp_path / "run", plan_of_bots("random", "random"), Amount(10))
    assert run.manifest["continued_after"] == 10


@pytest.mark.compiled
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="mounts a file system in memory")
def test_store_folders__a_disk_that_really_is_full(tmp_path, monkeypatch):
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("this user may not mount")
    try:
        plan, amount = plan_of_bots("random", "random"), Amount(20_000)
        monkeypatch.setattr("sim.running.runner.SAVE_SECONDS", -1.0)
        how = {"with_matches": True, "chunk_pairs": 400}
        with pytest.raises(sim.BadInput, match="No space left on device; nothing that was finished is lost"):
            kept(disk / "run", plan, amount, **how)
        subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
        run = kept(disk / "run", plan, amount, **how)
        assert run.manifest["continued_after"] > 0
        kept(tmp_path / "whole", plan, amount, **how)
        assert contents(disk / "run") == contents(tmp_path / "whole")
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def test_store_folders__files_are_there_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "file"
    write_atomically(path, b"one")

    def broken(self: Path, target: Path) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", broken)
        with pytest.raises(OSError, match="Input/output"):
            write_atomically(path, b"two")
    assert path.read_bytes() == b"one"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


# -- damage -----------------------------------------------------------------------------------------------------------


def finished(folder: Path) -> Path:
    kept(folder, plan_of_bots("greedy", "random"), Amount(20), with_matches=True)
    return folder


def sums_in(folder: Path) -> dict[str, Any]:
    return {name: array.tolist() for name, array in read_sums(folder, dict).items()}


@pytest.mark.parametrize("name", ["manifest.json", "summary.json", "sums.npz", "matches.parquet", "unfinished.npz"])
def test_store_folders__damaged_files_are_bad_input(name, tmp_path):
    """Cut, overwritten, emptied or with bytes changed: never anything but BadInput, unless the damage does no harm."""
    from sim.running.verifying import verify

    rng = random.Random(name)
    folder = finished(tmp_path / "run")
    plan, amount = plan_of_bots("greedy", "random"), Amount(20)
    if name == "unfinished.npz":
        folder = tmp_path / "unfinished"
        with pytest.raises(Interrupted):
            kept(folder, plan, amount, progress=interrupting(1), chunk_pairs=2, threads=1)
    whole = (folder / name).read_bytes()
    damages = [b"", b"x", b"\0" * 100, b"[]", b"{}", b"null", b"[" * 100_000, whole[:-20], whole[: len(whole) // 2]]
    for _ in range(scaled(40, 8)):
        changed = bytearray(whole)
        for _ in range(rng.choice((1, 1, 3))):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        damages.append(bytes(changed))
    said = []
    for number, damage in enumerate(damages):
        copy = tmp_path / str(number)
        shutil.copytree(folder, copy)
        (copy / name).write_bytes(damage)
        try:
            if name == "unfinished.npz":
                kept(copy, plan, amount)
            else:
                verify(copy, every_block=True)
        except sim.BadInput as error:
            said.append(str(error).replace(str(copy), "copy"))
            assert (copy / name).read_bytes() == damage
        else:
            # Bytes that nothing depends on, such as the times in an archive.
            assert number >= 9
            if name in ("unfinished.npz", "sums.npz"):
                assert sums_in(copy) == sums_in(tmp_path / "run")
    assert len(said) >= 9
    for line in said:
        assert f"copy/{name}" in line or line.startswith("bot ")
        assert line.count("\n") == 0


def test_store_folders__sums_of_other_pairs_are_damage(tmp_path):
    folder = tmp_path / "run"
    plan, amount = plan_of_bots("greedy", "random"), Amount(40)
    with pytest.raises(Interrupted):
        kept(folder, plan, amount, progress=interrupting(2), chunk_pairs=4, threads=1)
    arrays = dict(np.load(folder / "unfinished.npz"))
    for spans in ([[0, 5]], [], [[0, 4], [5, 90]]):
        np.savez(folder / "unfinished.npz", **{**arrays, "spans": np.array(spans, np.int64).reshape(-1, 2)})
        with pytest.raises(
            sim.BadInput, match=r"unfinished\.npz is damaged \(its pairs and its sums differ\); use --again"
        ):
            kept(folder, plan, amount)


def test_store_folders__every_key_of_the_manifest_may_be_missing_or_of_another_kind(sim_command, tmp_path):
    folder = finished(tmp_path / "run")
    manifest = json.loads((folder / "manifest.json").read_text())
    refused = set()
    for key in manifest:
        for value in (None, 5, "text", {}, ...):
            changed = {**manifest, key: value}
            if value is ...:
                del changed[key]
            (folder / "manifest.json").write_text(json.dumps(changed))
            for words in (("verify", folder), ("report", folder))[: 1 + (value is ...)]:
                answer = sim_command(*words)
                other_luck = key in ("seed", "namespace") and answer.code == 1
                assert answer.code in (0, 2) or other_luck, (key, value, answer)
                if answer.code == 2:
                    refused.add(key)
                    assert answer.err.count("\n") == 1
    needed = {"schema", "digest", "scenario", "first", "second", "seed", "outcomes", "matches_played", "level", "notes"}
    assert needed <= refused


@pytest.mark.parametrize("which", ["name", "bot", "source", "values", "file"])
def test_store_folders__a_player_of_the_manifest_may_be_damaged(which, tmp_path):
    folder = finished(tmp_path / "run")
    edited(folder / "manifest.json", lambda data: data["first"].pop(which))
    with pytest.raises(sim.BadInput, match=f"manifest.json is damaged: it lacks first.{which}"):
        load_run(folder)


def test_store_folders__summaries_may_be_damaged(tmp_path):
    folder = finished(tmp_path / "run")
    whole = (folder / "summary.json").read_text()
    for change in (
        lambda data: data.update(estimates=None),
        lambda data: data.update(estimates=[5]),
        lambda data: data["estimates"].pop(3),
        lambda data: data["estimates"][2].update(value="5"),
        lambda data: data["estimates"][2].update(n=True),
        lambda data: data["estimates"][2].update(more=1),
        lambda data: data["estimates"][2].pop("low"),
        lambda data: data.update(schema="1"),
    ):
        edited(folder / "summary.json", change)
        with pytest.raises(sim.BadInput, match=r"summary\.json"):
            load_run(folder)
        (folder / "summary.json").write_text(whole)
    assert load_run(folder).summary() == json.loads(whole)


def test_store_folders__outcomes_that_are_not_those_of_the_sums(tmp_path):
    folder = finished(tmp_path / "run")
    edited(folder / "manifest.json", lambda data: data.update(matches_played=22))
    with pytest.raises(sim.BadInput, match=r"manifest\.json is damaged: its outcomes are not those of sums\.npz"):
        load_run(folder)


def test_store_folders__a_run_read_back_is_the_run(tmp_path):
    plan = plan_of_bots("greedy", "random")
    run = kept(tmp_path / "run", plan, Amount(20))
    loaded = sim.load_run(tmp_path / "run")
    assert loaded.estimates == run.estimates
    assert loaded.notes == run.notes
    assert loaded.manifest == run.manifest
    assert loaded.scenario.digest == run.scenario.digest
    assert {key: value.tolist() for key, value in loaded.sums.as_arrays().items()} == {
        key: value.tolist() for key, value in run.sums.as_arrays().items()
    }


@pytest.mark.parametrize("place", ["nowhere", "empty", "a-file"])
def test_store_folders__what_is_no_run_folder(place, sim_command, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "a-file").touch()
    for command in ("verify", "report"):
        answer = sim_command(command, place)
        assert answer.code == 2
        assert place in answer.err
        assert "run folder" in answer.err


def test_store_folders__read_json_names_the_file(tmp_path):
    with pytest.raises(sim.BadInput, match=r"x\.json is missing; this is no finished run folder"):
        read_json(tmp_path / "x.json")
    (tmp_path / "x.json").write_bytes(b"\xff\xfe")
    with pytest.raises(sim.BadInput, match=r"x\.json cannot be read: "):
        read_json(tmp_path / "x.json")


def test_store_folders__saving_is_timed(tmp_path, monkeypatch):
    """Every few seconds, not at every chunk: the file is a tenth of a megabyte."""
    saves = []
    monkeypatch.setattr(RunFolder, "save", lambda self, ledger: saves.append(time.monotonic()))
    kept(tmp_path / "run", plan_of_bots("random", "random"), Amount(scaled(2_000, 40)), chunk_pairs=2)
    assert len(saves) == 2
