"""A verb of Python reads what its folder holds complete, and plays nothing then."""

from __future__ import annotations

import json

import pytest

import sim
from sim.running.keeping import kept_or_played
from sim.store import RunFolder


def never(*_):
    raise AssertionError("it was played again, or read where nothing is")


def test_keeping__without_a_folder_it_is_played():
    assert kept_or_played(None, never, lambda folder, show: (folder, show), progress=False) == (None, None)


def test_keeping__a_new_folder_is_held_while_it_is_played(tmp_path):
    folder = RunFolder(tmp_path / "run", "abc")

    def play(held, show):
        assert held is folder
        assert (tmp_path / "run" / ".lock").exists()
        return "played"

    assert kept_or_played(folder, never, play, progress=False) == "played"


def test_keeping__a_complete_folder_is_read_and_nothing_played(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "manifest.json").write_text(json.dumps({"schema": 1, "digest": "abc"}))
    folder = RunFolder(tmp_path / "run", "abc")
    assert kept_or_played(folder, lambda path: path, never, progress=False) == tmp_path / "run"


@pytest.mark.parametrize("home", ["sim.api.play", "sim.studies.compare.play_comparison"])
def test_keeping__the_verbs_do_so(home, tmp_path, monkeypatch, no_report):
    few = {"matches": 4, "seed": 1, "overrides": {"dispatches": 3}, "out": tmp_path / "out"}
    verb = sim.run if home == "sim.api.play" else lambda base, **how: sim.compare(base, **how)
    verb("compact", **few)
    monkeypatch.setattr(home, never)
    assert verb("compact", **few).folder == tmp_path / "out"
