"""Cyclic garbage is looked for seldom while a study runs, and as before afterwards."""

from __future__ import annotations

import gc

import pytest

from sim.collecting import SELDOM, seldom_collected
from sim.config.errors import BadInput
from sim.studies import sweep as studied


@pytest.fixture(autouse=True)
def own_thresholds():
    before = gc.get_threshold()
    gc.set_threshold(901, 8, 7)
    yield
    gc.set_threshold(*before)


def test_seldom_collected__holds_within_and_not_afterwards():
    with seldom_collected():
        assert gc.get_threshold() == SELDOM
        with seldom_collected():
            assert gc.get_threshold() == SELDOM
        assert gc.get_threshold() == SELDOM
    assert gc.get_threshold() == (901, 8, 7)


def test_seldom_collected__of_two_threads_ends_with_the_last():
    one, other = seldom_collected(), seldom_collected()
    one.__enter__()
    other.__enter__()
    one.__exit__(None, None, None)
    assert gc.get_threshold() == SELDOM
    other.__exit__(None, None, None)
    assert gc.get_threshold() == (901, 8, 7)


@pytest.mark.parametrize("own", [(0, 10, 10), (50_000, 20, 20)])
def test_seldom_collected__leaves_alone_who_looks_seldomer_still(own):
    gc.set_threshold(*own)
    with seldom_collected():
        assert gc.get_threshold() == own
    assert gc.get_threshold() == own


def test_seldom_collected__a_sweep_that_fails_leaves_it_as_it_was(tmp_path, monkeypatch):
    seen = []

    def fails(file: object, **_: object) -> None:
        seen.append(gc.get_threshold())
        raise BadInput.of("no sweep")

    monkeypatch.setattr(studied, "make_sweep_plan", fails)
    for _ in range(2):
        with pytest.raises(BadInput, match="no sweep"):
            studied.sweep(tmp_path)
        assert gc.get_threshold() == (901, 8, 7)
    assert seen == [SELDOM] * 2
