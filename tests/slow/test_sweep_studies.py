"""What focus decides with a quarter of the matches, and planted effects ranked: minutes long."""

from __future__ import annotations

import pytest

from tests.slow import focus_study, planted_study

pytestmark = [pytest.mark.slow, pytest.mark.compiled]


def test_focus_study__is_as_it_should_be(capsys):
    assert focus_study.main(["--matches", "20000", "--seeds", "1"]) == 0
    print(capsys.readouterr().out)


def test_planted_study__is_as_it_should_be(capsys):
    assert planted_study.main(["--seeds", "100"]) == 0
    print(capsys.readouterr().out)
