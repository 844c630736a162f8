"""What a value study says in words and cells: digits that the interval supports, and prices that there are not."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from sim.reports.value_words import cell, half_of, price_cell, price_words, subject_words, verdict_words
from sim.stats.worth import Crossing, Price
from sim.studies.value_result import Verdict, Worth


def worth(value, half=None, method="t") -> Worth:
    low, high = (None, None) if half is None else (value - half, value + half)
    return Worth("greedy", "upgrade", "knockout.score", None, value, low, high, 100, 50, method)


@pytest.mark.parametrize(
    ("one", "text"),
    [
        (worth(0.1234, 0.0123), "+12.3 ±1.2"),
        (worth(-0.1234, 0.0005), "-12.34 ±0.05"),
        (worth(0.1234, 0.123), "+12 ±12"),
        (worth(0.0001, 0.01), "0 ±1.0"),
        (worth(0.0, 0.0, "identical"), "0"),
        (worth(0.25, method="deterministic"), "+25"),
        (worth(0.0, method="deterministic"), "0"),
        (worth(0.25, method="n too small"), "?"),
        (worth(None), "?"),
    ],
)
def test_cell(one, text):
    assert cell(one) == text


def test_half_of__is_the_longer_arm():
    uneven = Worth("a", "b", "pick", None, 0.5, 0.4, 0.55, 1, 1, "t")
    assert half_of(uneven) == pytest.approx(0.1)
    assert half_of(worth(None)) == half_of(worth(0.5)) == 0
    assert cell(worth(3.21, 0.1), scale=1.0) == "+3.2 ±0.1"


CROSSES = Crossing.CROSSES


@pytest.mark.parametrize(
    ("price", "short", "words"),
    [
        (Price(CROSSES, 12.0, 11.4, 12.8, "bootstrap"), "$12.0 ±0.8", "$12.0 [11.4, 12.8], $4 above today's $8"),
        (Price(CROSSES, 5.0, 4.5, 5.5, "bootstrap"), "$5.0 ±0.5", "$5.0 ± 0.5, $3 below today's $8"),
        (
            Price(CROSSES, 8.2, 6.0, 30.0, "bootstrap", (15.2,)),
            "$8 ±22",
            "$8 [6, 30], again at $15, which today's $8 is as good as",
        ),
        (Price(CROSSES, 9.5, None, None, "deterministic"), "$9.5", "$9.5, $2 above today's $8"),
        (Price(CROSSES, 9.5, None, None, "n too small"), "?", "about $10 (n too small), $2 above today's $8"),
        (
            Price(Crossing.ALWAYS, demand_ends=53.0),
            "over $53",
            "worth it at every price at which it can be bought; demand ends at $53",
        ),
        (Price(Crossing.NEVER, demand_ends=53.0), "never", "not worth it even at $0"),
        (Price(Crossing.NONE_SEEN), "no value", "no value seen at any price"),
        (Price(Crossing.NOT_BOUGHT), "-", "cannot be bought at any price"),
    ],
    ids=range(9),
)
def test_price(price, short, words):
    assert price_cell(price) == short
    assert price_words(price, 8) == words


def test_price__of_what_is_not_on_offer_has_no_headroom():
    assert price_words(Price(CROSSES, 12.0, 11.4, 12.8, "bootstrap"), None) == "$12.0 [11.4, 12.8]"


def test_subject():
    costs = {"upgrade": 8, "siding": None}
    assert subject_words("upgrade", costs) == "upgrade ($8)"
    assert subject_words("siding", costs) == "siding (not on offer)"
    assert subject_words("upgrade:2", costs) == "upgrade, train 2"
    assert subject_words("siding:b:W", costs) == "siding at b:W"
    assert subject_words("hostile toggles", costs) == "hostile toggles"


def test_verdict():
    found = SimpleNamespace(bots=("a", "b", "c"))

    def said(verdict, agree, votes, buyers, subject="upgrade"):
        return verdict_words(
            found, Verdict(subject, verdict, agree, dict(zip("abc", votes, strict=True)), tuple(buyers))
        )

    assert said("fair", 3, ["fair"] * 3, "abc") == "fair (3 of 3)"
    assert said("depends on the bot", 2, ["fair", "trap", "fair"], "abc") == (
        "depends on the bot (at most 2 of 3 agree). fair: a, c; trap: b"
    )
    assert said("trap", 2, ["trap", "dominated", "trap"], "ac") == "trap (2 of 3). trap: a, c; not bought: b"
    toggles = said("dominated", 3, ["dominated"] * 3, "", "hostile toggles")
    assert toggles == "dominated (3 of 3)"
