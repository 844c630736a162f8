"""Whatever is given, loading either works or raises BadInput: never another exception."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sim.config.errors import BadInput
from sim.config.loading import load_map, load_scenario
from sim.config.scenario import Scenario
from tests.config_files import MAP, SCENARIO, write

T = TypeVar("T")
BOUNDED = settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)

WORDS = [
    *("schema", "game", "dispatch", "name", "economy", "toll", "cargo", "rewards", "scope", "map", "bots", "define"),
    *("tracks", "mirror", "trains", "start", "at", "from", "deliveries", "initial_routes", "layout", "extends", "A"),
    *("aw", "bw", "Pw", "null", "~", "1", "-2", "1.5", "true", ".inf", "x.yaml", "map.yaml", "bot", "planner", "é"),
]
MARKS = [
    ": ",
    "- ",
    "\n",
    "\n  ",
    "[",
    "]",
    "{",
    "}",
    ", ",
    "'",
    '"',
    "#",
    "&a ",
    "*a",
    "!!str ",
    "|\n",
    "\t",
    "? ",
    "---\n",
    "%",
]
TEXTS = st.one_of(
    st.text(max_size=200),
    st.binary(max_size=200),
    st.lists(st.sampled_from(WORDS + MARKS), max_size=40).map("".join),
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-3, 70),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(WORDS),
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(WORDS) | st.text(max_size=3), inner, max_size=5)
    ),
    max_leaves=12,
)


def attempt(load: Callable[..., T], *args: Any) -> tuple[T | None, BadInput | None]:
    """What loading gives, or why it gives nothing."""
    try:
        return load(*args), None
    except BadInput as error:
        return None, error


def loads(source: Any, overrides: Any = ()) -> Scenario | None:
    """Load; None when the input is bad, whose text must be there."""
    scenario, error = attempt(load_scenario, source, overrides)
    if scenario is None:
        assert error
        assert error.problems
        assert all(str(problem).isprintable() for problem in error.problems)
        return None
    assert load_scenario(scenario.resolved()).digest == scenario.digest
    return scenario


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("fuzz")
    write(path)
    return path


@BOUNDED
@given(text=TEXTS)
def test_any_text__as_a_file(text: str | bytes, folder: Path) -> None:
    path = folder / "any.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    loads(path)


@BOUNDED
@given(data=st.data())
def test_mutated_good_files(data: st.DataObject, folder: Path) -> None:
    rail_map = data.draw(st.booleans())
    lines = (MAP if rail_map else SCENARIO).splitlines()
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(lines) - 1))
        match data.draw(st.integers(0, 3)):
            case 0:
                lines.pop(place)
            case 1:
                lines.insert(place, data.draw(st.sampled_from(lines)))
            case 2:
                cut = data.draw(st.integers(0, len(lines[place])))
                lines[place] = lines[place][:cut] + data.draw(st.sampled_from(WORDS + MARKS)) + lines[place][cut:]
            case _:
                lines[place] = lines[place].partition(":")[0] + ": " + data.draw(st.sampled_from(WORDS + MARKS))
        if not lines:
            break
    write(folder, SCENARIO, MAP)
    (folder / ("map.yaml" if rail_map else "x.yaml")).write_text("\n".join(lines), encoding="utf-8")
    loads(folder / "x.yaml")
    write(folder, SCENARIO, MAP)


@BOUNDED
@given(
    value=VALUES,
    key=st.sampled_from(["map", "economy", "cargo", "bots", "define", "name", "extends", "map.mirror", "map.trains"]),
)
def test_any_value__in_a_good_scenario(value: Any, key: str) -> None:
    loads("standard", {key: value})
    plain = load_scenario("standard").resolved()
    *way, last = key.split(".")
    place = plain[way[0]] if way else plain
    place[last] = value
    loads(plain)


@BOUNDED
@given(value=st.dictionaries(st.sampled_from(WORDS), VALUES, max_size=8))
def test_any_mapping(value: dict[str, Any]) -> None:
    loads(value)
    rail_map, error = attempt(load_map, value)
    assert rail_map or error


@BOUNDED
@given(
    text=st.one_of(
        st.text(max_size=30), st.lists(st.sampled_from([*WORDS, *MARKS, ".", "=", "[1]"]), max_size=10).map("".join)
    )
)
def test_any_override(text: str) -> None:
    loads("standard", [text])


@BOUNDED
@given(value=VALUES, parameter=st.sampled_from(["noise", "invest", "buy_at", "forbid", "avoid", "bot"]))
def test_any_parameter_of_a_defined_bot(value: Any, parameter: str) -> None:
    loads("standard", {"define.own": {"bot": "greedy", parameter: value}})
