"""Runs made up for the tests of the reports, and that they are what they claim to be."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sim
from kernels.codes import N_COLUMNS, Column, Outcome, Pairing
from kernels.jit import PLAIN
from sim.config.loading import load_scenario
from sim.reports import words
from sim.reports.verdict import verdict
from sim.running.result import Run
from sim.stats.metrics import Certainty, summarise
from sim.stats.sums import sum_rows

STANDARD = Path(__file__).parents[1] / "configs" / "standard.yaml"
LIMITS = {"dispatches": 24, "reward": 5, "ticks": 2, "toll": 1, "upgrades": 2, "sidings": 8}


def match_rows(n: int, seed: int, *, bonus: int = 0, first_in_b: bool = False, scale: int = 1) -> np.ndarray:
    """Rows of `n` matches in pairs; the first player has `bonus` points, in every second match from seat B."""
    rng = np.random.default_rng(seed)
    rows = np.zeros((n, N_COLUMNS), dtype=np.int64)
    points = scale * rng.binomial(8, 0.5, (n, 2)) * 3
    cash = rng.integers(0, 6, (n, 2))
    points[np.arange(n), (np.arange(n) % 2) * first_in_b] += bonus
    ahead = points[:, 0] - points[:, 1]
    richer = cash[:, 0] - cash[:, 1]
    rows[:, Column.OUTCOME] = np.select(
        [ahead > 0, ahead < 0, richer > 0, richer < 0],
        [Outcome.A_ON_POINTS, Outcome.B_ON_POINTS, Outcome.A_ON_CASH, Outcome.B_ON_CASH],
        Outcome.SHARED,
    )
    rows[:, [Column.POINTS_A, Column.POINTS_B]] = points
    rows[:, [Column.CASH_A, Column.CASH_B]] = cash
    rows[:, [Column.DELIVERIES_A, Column.DELIVERIES_B]] = rng.binomial(8, 0.5, (n, 2))
    rows[:, [Column.UPGRADES_A, Column.UPGRADES_B]] = rng.binomial(2, 0.4, (n, 2))
    rows[:, [Column.SIDINGS_A, Column.SIDINGS_B]] = rng.binomial(8, 0.1, (n, 2))
    rows[:, [Column.PICK_UPGRADE_A, Column.PICK_UPGRADE_B]] = rows[:, [Column.UPGRADES_A, Column.UPGRADES_B]] > 0
    rows[:, [Column.PICK_SIDING_A, Column.PICK_SIDING_B]] = rows[:, [Column.SIDINGS_A, Column.SIDINGS_B]] > 0
    rows[:, [Column.HEAD_ONS, Column.JUNCTION_CONFLICTS, Column.TOLLS_A]] = rng.poisson(1.0, (n, 3))
    rows[:, [Column.DRAWS_A, Column.DRAWS_B]] = 24
    return rows


def tied_rows(n: int) -> np.ndarray:
    """Rows of matches that all end 12 : 12 and $3 : $3."""
    rows = np.zeros((n, N_COLUMNS), dtype=np.int64)
    rows[:, Column.OUTCOME] = Outcome.SHARED
    rows[:, [Column.POINTS_A, Column.POINTS_B]] = 12
    rows[:, [Column.CASH_A, Column.CASH_B]] = 3
    return rows


def ended_rows(n: int, outcome: Outcome) -> np.ndarray:
    """Rows of matches that did not come to an end."""
    rows = np.zeros((n, N_COLUMNS), dtype=np.int64)
    rows[:, Column.OUTCOME] = outcome
    return rows


def made_run(
    rows: np.ndarray,
    pairing: Pairing,
    first: str = "planner",
    second: str = "uniform",
    *,
    exact: Certainty | None = None,
    notes: Iterable[str] = (),
    **manifest: Any,
) -> Run:
    """A run of these rows, in 64 blocks, or one a pair when there are few."""
    n_pairs = len(rows) // (1 if pairing == Pairing.SINGLE else 2)
    n_blocks = 64 if n_pairs >= 640 else max(n_pairs, 1)
    sums = sum_rows(rows, pairing, np.arange(n_pairs) % n_blocks, n_blocks)
    sums.validate()
    estimates = summarise(sums, f"{first} vs {second}", exact=exact, limits=LIMITS)
    plain = {"schema": 1, "level": 0.95, "seed": 11, "command": ["sim", "run", "configs/standard.yaml"]}
    return Run(load_scenario(STANDARD), first, second, sums, tuple(estimates), {**plain, **manifest}, tuple(notes))


@functools.cache
def made_runs() -> dict[str, Run]:
    """Plain and degenerate runs by name."""
    some_illegal = match_rows(400, 3)
    some_illegal[10::100] = ended_rows(4, Outcome.ILLEGAL)
    unfinished = match_rows(30, 4)
    unfinished[7] = ended_rows(1, Outcome.UNFINISHED)[0]
    one_pair = match_rows(2, 5, bonus=9, first_in_b=True)
    one_pair[:, [Column.DRAWS_A, Column.DRAWS_B]] = 0
    odd = "<b>$é</b> & [red]…"
    return {
        "self-play": made_run(match_rows(2000, 1), Pairing.LANES, "greedy", "greedy", matches_per_second=123_456.7),
        "bots": made_run(match_rows(2000, 2, bonus=2, first_in_b=True), Pairing.SEATS, notes=["Rounded <up>."]),
        "proven": made_run(
            np.repeat(tied_rows(1), 400, axis=0), Pairing.LANES, "g", "g", exact=Certainty(mirror_proof=True)
        ),
        "all ties": made_run(tied_rows(400), Pairing.SEATS),
        "one match": made_run(match_rows(1, 6), Pairing.SINGLE, "Ann", "Bob"),
        "few": made_run(match_rows(12, 7), Pairing.SEATS),
        "twenty": made_run(match_rows(40, 8), Pairing.SEATS),
        "deterministic": made_run(one_pair, Pairing.SEATS, exact=Certainty(deterministic=True), matches_asked=100_000),
        "mirrored": made_run(tied_rows(1), Pairing.SINGLE, "g", "g", exact=Certainty(deterministic=True)),
        "all illegal": made_run(ended_rows(20, Outcome.ILLEGAL), Pairing.SEATS),
        "some illegal": made_run(some_illegal, Pairing.SEATS),
        "records": made_run(unfinished, Pairing.SINGLE, "Ann", "Bob"),
        "nothing": made_run(np.zeros((0, N_COLUMNS), dtype=np.int64), Pairing.SEATS),
        "wide": made_run(match_rows(400, 9, scale=40), Pairing.SEATS),
        "odd names": made_run(match_rows(200, 10), Pairing.SEATS, odd, "a_bot_with:a=very,long=name" * 3),
    }


NAMES = tuple(made_runs())


@pytest.fixture(params=NAMES)
def run(request: pytest.FixtureRequest) -> Run:
    return made_runs()[request.param]


def test_verdict__says_what_the_bots_run_shows() -> None:
    said = " ".join(verdict(made_runs()["bots"]))
    assert said.startswith("planner beats uniform")
    assert words.figure(made_runs()["bots"], "shared") in said
    assert "No seat bias was seen" in said


def test_verdict__names_the_favoured_seat() -> None:
    run = made_run(match_rows(2000, 20, bonus=3), Pairing.LANES, "greedy", "greedy")
    assert verdict(run)[0].startswith("Seat A is favoured over seat B")


@pytest.mark.parametrize(
    ("name", "phrase"),
    [
        ("proven", "equal by proof"),
        ("deterministic", "2 different matches"),
        ("mirrored", "mirror each other for ever"),
        ("few", "too few to say anything"),
        ("one match", "too few to say anything"),
        ("all illegal", "none counts"),
        ("some illegal", "4 matches of 400 ended by an illegal order"),
        ("nothing", "No match was played"),
        ("all ties", "All 400 matches ended with equal points"),
    ],
)
def test_verdict__says_plainly_what_cannot_be_said(name: str, phrase: str) -> None:
    assert phrase in " ".join(verdict(made_runs()[name]))


def test_verdict__of_a_sample_too_small_claims_nothing() -> None:
    said = " ".join(verdict(made_runs()["few"]))
    assert "beats" not in said
    assert "favoured" not in said


def test_players__are_seats_in_self_play_and_bots_otherwise() -> None:
    assert words.players(made_runs()["self-play"]) == words.Players("seat A", "seat B", True)
    assert words.players(made_runs()["bots"]) == words.Players("planner", "uniform", False)
    assert words.players(made_runs()["records"]) == words.Players("Ann (seat A)", "Bob (seat B)", True)


def test_spread_shares__add_up_to_all_matches() -> None:
    run = made_runs()["bots"]
    close, blown = words.close_share(run), words.blow_out_share(run)
    between = words.spread_share(run, words.close_limit(run) + 1, words.blow_out_limit(run) - 1)
    assert (close.value or 0) + (between.value or 0) + (blown.value or 0) == pytest.approx(1)
    assert close.low is not None
    assert close.high is not None
    assert close.low < (close.value or 0) < close.high


def test_shortened__keeps_both_ends() -> None:
    assert words.shortened("planner") == "planner"
    short = words.shortened("a" * 40 + "b" * 40, 21)
    assert len(short) == 21
    assert short.startswith("aa")
    assert short.endswith("bb")


def test_verdict__calls_no_seat_favoured_where_none_can_be() -> None:
    few = {"dispatches": 4} if PLAIN else {}
    for seed in range(2 if PLAIN else 12):
        run = sim.run("standard", bots=("greedy", "random"), matches=24 if PLAIN else 300, seed=seed, overrides=few)
        said = " ".join(verdict(run))
        assert "favoured" not in said
        assert "The seats are equal: the mirror of the map is exact and both bots play both sides alike" in said
