"""The mixes of `equilibrium` are equilibria of what it sees: minutes long."""

from __future__ import annotations

import pytest

from tests.slow.mix_study import VARIANTS, gaps, main

pytestmark = [pytest.mark.slow, pytest.mark.compiled]


def test_mix_study__all_of_it_is_as_it_should_be(capsys):
    assert main([]) == 0
    print(capsys.readouterr().out)


@pytest.mark.parametrize("scenario", ["compact", "corridor", "grand", "ladder"])
def test_mix_study__so_it_is_on_every_exact_map(scenario):
    assert gaps(scenario, 10_000, VARIANTS["default"]).mean() <= 0.01
    assert gaps(scenario, 10_000, VARIANTS["400 iterations"]).max() <= 0.01
