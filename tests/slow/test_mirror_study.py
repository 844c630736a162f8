"""No shipped bot favours a seat on any exact map: minutes long."""

from __future__ import annotations

import pytest

from tests.slow.mirror_study import main

pytestmark = [pytest.mark.slow, pytest.mark.compiled]


def test_mirror_study__no_bot_favours_a_seat(capsys):
    assert main([]) == 0
    print(capsys.readouterr().out)
