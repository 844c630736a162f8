"""Files that are no YAML, `extends`, merging, and `--set`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from sim.config.errors import BadInput
from sim.config.loading import load_map, load_scenario
from tests.config_files import MAP, SCENARIO, changed, problems_of, write

# -- text that is no scenario ---------------------------------------------------------------------------------------

TEXTS = {
    "empty": (b"", "x.yaml: is empty"),
    "comments only": (b"# nothing\n\n", "x.yaml: is empty"),
    "null": (b"---\n", "x.yaml:2: holds null; must hold a mapping of keys to values"),
    "list": (b"- a\n- b\n", "x.yaml:1: holds [a, b]; must hold a mapping of keys to values"),
    "word": (b"hello", "x.yaml:1: holds 'hello'; must hold a mapping of keys to values"),
    "tab": (
        b"schema: 1\neconomy:\n\ttoll: 1\n",
        "x.yaml:3: is not YAML: a tab stands where only spaces may; indent with spaces",
    ),
    "open bracket": (b"schema: 1\nname: [a\n", "x.yaml:3: is not YAML: "),
    "two documents": (b"a: 1\n---\nb: 2\n", "x.yaml:2: a second document starts here; must be one YAML document"),
    "old YAML": (b"%YAML 1.1\n---\na: 1\n", "x.yaml:2: is written for another version of YAML; must be YAML 1.2"),
    "latin-1": ("schema: 1\nname: é\n".encode("latin-1"), "x.yaml:2: is not text in UTF-8; must be a YAML file"),
    "binary": (b"\x89PNG\r\n\x1a\n\x00\x00", "x.yaml:1: is not text in UTF-8; must be a YAML file"),
    "NUL": (b"schema: 1\nname: a\x00b\n", "x.yaml: is not YAML: "),
    "undefined alias": (b"schema: *one\n", "x.yaml:1: the alias *one stands for nothing that was written before it"),
    "alias of itself": (b"map: &m\n  a: *m\n", "x.yaml:2: the alias *m stands for nothing that was written before it"),
    "deep": (b"a: " + b"[" * 200 + b"]" * 200, "x.yaml:1: is nested too deeply; must be at most 40 levels deep"),
    "long": (b"a: " + b"x" * 600_000, "x.yaml: is too large; must be at most 500,000 bytes"),
}


@pytest.mark.parametrize("case", TEXTS)
def test_text__that_is_no_scenario(case: str, tmp_path: Path) -> None:
    raw, message = TEXTS[case]
    path = tmp_path / "x.yaml"
    path.write_bytes(raw)
    (line,) = problems_of(load_scenario, path)
    assert line == message if not message.endswith("YAML: ") else line.startswith(message)


def test_aliases__cannot_make_a_small_file_huge(tmp_path: Path) -> None:
    laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    laughs += "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 12))
    (line,) = problems_of(load_scenario, write(tmp_path, laughs))
    assert line == "x.yaml:5: is too large; must be at most 100,000 values, aliases written out"


def test_aliases__of_modest_size_are_fine(tmp_path: Path) -> None:
    text = SCENARIO.replace("starting_cash: 4", "starting_cash: &n 4").replace("toll: 1", "toll: *n")
    assert load_scenario(write(tmp_path, text)).economy.toll == 4


def test_duplicate_key__is_an_error_with_both_lines(tmp_path: Path) -> None:
    lines = problems_of(load_scenario, write(tmp_path, SCENARIO + "dispatches: 30\n"))
    assert lines == ["x.yaml:17: dispatches is written twice, first on line 4; must be written once"]


def test_tag__is_an_error(tmp_path: Path) -> None:
    lines = problems_of(
        load_scenario, write(tmp_path, changed(SCENARIO, "name: small", "name: !!python/name:os.system x"))
    )
    assert lines[0].startswith("x.yaml:3: the tag 'tag:yaml.org,2002:python/name:os.system' has no meaning here")


def test_key__that_is_no_text(tmp_path: Path) -> None:
    lines = problems_of(load_scenario, write(tmp_path, SCENARIO + "5: a\n[a]: b\n"))
    assert lines == [
        "x.yaml:17: the key 5 is no text; must be text: write it in quotes if it is a label",
        "x.yaml:18: the key [a] is no text; must be text: write it in quotes if it is a label",
    ]


def test_path__that_cannot_be_read(tmp_path: Path) -> None:
    assert problems_of(load_scenario, tmp_path / "no.yaml") == ["no.yaml: there is no such file"]
    folder = tmp_path / "folder.yaml"
    folder.mkdir()
    assert problems_of(load_scenario, folder) == ["folder.yaml: is a folder; must be a YAML file"]
    assert "cannot be read" in problems_of(load_scenario, "a\0b")[0] or problems_of(load_scenario, "a\0b")
    assert problems_of(load_scenario, "x" * 5000 + ".yaml")
    (line,) = problems_of(load_scenario, "standrd")
    assert line.endswith("did you mean 'standard'?")
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    assert "cannot be read" in problems_of(load_scenario, tmp_path / "loop.yaml")[0]


def test_byte_order_mark_and_windows_lines__are_fine(tmp_path: Path) -> None:
    write(tmp_path)
    path = tmp_path / "w.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + SCENARIO.replace("\n", "\r\n").encode())
    assert load_scenario(path).digest == load_scenario(tmp_path / "x.yaml").digest


# -- plain data -----------------------------------------------------------------------------------------------------


def test_plain_data__names_the_key_without_a_file() -> None:
    plain: dict[Any, Any] = load_scenario("standard").resolved()
    plain["economy"]["toll"] = 1.5
    plain["cargo"]["rewards"] = {3, 4}
    plain[7] = 1
    assert problems_of(load_scenario, plain) == [
        "cargo.rewards is of the Python type set; must be text, a number, a list or a mapping",
        "has the key 7, which is no text",
        "economy.toll is 1.5; must be a whole number of dollars, 0 to 10,000",
        "cargo.rewards is null; must be a list",
    ]


def test_plain_data__paths_start_from_the_folder_that_is_given(tmp_path: Path) -> None:
    write(tmp_path)
    plain = {"schema": 1, "game": "dispatch", "name": "s", "map": "map.yaml"}
    assert load_scenario(plain, folder=tmp_path).map.name == "ring"
    assert load_scenario({"extends": "x.yaml"}, folder=tmp_path).name == "small"
    (line,) = problems_of(load_scenario, plain, folder=tmp_path / "y")
    message = f"map is 'map.yaml', and there is no file {tmp_path / 'y' / 'map.yaml'}"
    assert line == message + "; must be the path of a map, or the name of a shipped one"


def test_plain_data__that_holds_itself() -> None:
    loop: dict[str, object] = {}
    loop["a"] = loop
    assert "is too large" in problems_of(load_scenario, loop)[0]


def test_extends__a_bare_word_is_a_shipped_scenario_unless_a_file_is_called_so(tmp_path: Path) -> None:
    (tmp_path / "y.yaml").write_text("extends: compact\nname: y\n")
    assert load_scenario(tmp_path / "y.yaml").map == load_scenario("compact").map
    (tmp_path / "map.yaml").write_text(MAP)
    (tmp_path / "compact").write_text(SCENARIO)
    assert load_scenario(tmp_path / "y.yaml").map == load_scenario({"extends": "compact"}, folder=tmp_path).map
    assert load_scenario(tmp_path / "y.yaml").map != load_scenario("compact").map
    assert load_scenario("standard", ["map=compact"]).map == load_scenario("compact").map
    with pytest.raises(BadInput, match=r"extends is 'compcat', and there is no file"):
        load_scenario({"extends": "compcat"}, folder=tmp_path)


# -- extends --------------------------------------------------------------------------------------------------------


def test_extends__mappings_merge_lists_and_scalars_replace_null_is_a_value(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "y.yaml").write_text(
        "extends: ../x.yaml\nname: y\neconomy: {toll: 2, siding_cost: null}\ncargo: {rewards: [7]}\nbots: null\n"
    )
    scenario = load_scenario(tmp_path / "deep" / "y.yaml")
    assert (scenario.name, scenario.economy.toll, scenario.economy.siding_cost, scenario.economy.income) == (
        "y",
        2,
        None,
        1,
    )
    assert scenario.cargo.rewards == (7,)
    assert scenario.cargo.scope == "train"
    assert scenario.bots is None
    assert scenario.map.name == "ring"


def test_extends__inside_map_loads_the_map_first(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "y.yaml").write_text(
        "extends: x.yaml\nmap:\n  name: other\n  initial_routes: {bw: 2}\n  layout: null\n"
    )
    rail_map = load_scenario(tmp_path / "y.yaml").map
    assert rail_map.initial_routes == {"aw": 2, "ae": 2, "bw": 2}
    assert rail_map.name == "other"
    assert rail_map.layout is None
    (tmp_path / "y.yaml").write_text("extends: x.yaml\nmap:\n  initial_routes: null\n")
    assert load_scenario(tmp_path / "y.yaml").map.initial_routes == {}


def test_extends__errors_name_the_file_that_wrote_the_key(tmp_path: Path) -> None:
    write(tmp_path, changed(SCENARIO, "toll: 1", "toll: -1"), changed(MAP, "[Pe, Pw]", "[Pe, Px]"))
    (tmp_path / "y.yaml").write_text("extends: x.yaml\n# a comment\ndispatches: 0\nmap: {initial_routes: {zz: 2}}\n")
    lines = problems_of(load_scenario, tmp_path / "y.yaml")
    assert [line.split(" ")[:2] for line in lines] == [
        ["y.yaml:3:", "dispatches"],
        ["y.yaml:4:", "map.initial_routes.zz"],
        ["x.yaml:11:", "economy.toll"],
        ["map.yaml:21:", "map.trains[2].deliveries[2]"],
    ]


def test_extends__in_a_circle_names_the_chain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.yaml").write_text("extends: b.yaml\n")
    Path("b.yaml").write_text("name: b\nextends: c.yaml\n")
    Path("c.yaml").write_text("extends: ./b.yaml\n")
    assert problems_of(load_scenario, "a.yaml") == [
        "c.yaml:1: extends goes round in a circle: a.yaml -> b.yaml -> c.yaml -> b.yaml"
    ]
    Path("d.yaml").write_text("extends: d.yaml\n")
    assert problems_of(load_scenario, "d.yaml") == ["d.yaml:1: extends goes round in a circle: d.yaml -> d.yaml"]


def test_extends__too_long_or_to_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for number in range(40):
        Path(f"s{number}.yaml").write_text(f"extends: s{number + 1}.yaml\n")
    assert problems_of(load_scenario, "s0.yaml") == ["s20.yaml:1: extends goes over more than 20 files"]
    Path("n.yaml").write_text("name: n\nextends: s99.yml\n")
    assert problems_of(load_scenario, "n.yaml") == [
        "n.yaml:2: extends is 's99.yml', and there is no file s99.yml; must be a scenario, or the "
        "name of a shipped one; did you mean 's9.yaml'?"
    ]
    Path("l.yaml").write_text(SCENARIO + "extends: [a]\n")
    Path("map.yaml").write_text(MAP)
    assert problems_of(load_scenario, "l.yaml") == ["l.yaml:17: extends is [a]; must be the path of a scenario"]


# -- overrides ------------------------------------------------------------------------------------------------------


def test_set__values_are_yaml(tmp_path: Path) -> None:
    path = write(tmp_path)
    overrides = ["economy.toll=0x10", "economy.siding_cost=null", "cargo.rewards=[1, 2]", "name=no", "bots.A=random"]
    scenario = load_scenario(
        path, [*overrides, "map.initial_routes.bw=2", "map.trains[2].first_reward=1", "dispatches = 3"]
    )
    assert (scenario.economy.toll, scenario.economy.siding_cost, scenario.cargo.rewards) == (16, None, (1, 2))
    assert scenario.name == "no"
    assert scenario.bots == {"A": "random", "B": "greedy"}
    assert scenario.map.initial_routes["bw"] == 2
    assert [train.first_reward for train in scenario.map.trains] == [0, 1]
    assert scenario.dispatches == 3


def test_set__later_ones_win_and_mappings_merge(tmp_path: Path) -> None:
    scenario = load_scenario(write(tmp_path), ["economy.toll=2", "economy={toll: 3, income: 0}", "economy.toll=4"])
    assert (scenario.economy.toll, scenario.economy.income, scenario.economy.upgrade_cost) == (4, 0, 8)


def test_set__as_a_mapping_of_plain_values(tmp_path: Path) -> None:
    path = write(tmp_path)
    scenario = load_scenario(path, {"economy.toll": 2, "cargo.rewards": (9,), "economy.siding_cost": None})
    assert (scenario.economy.toll, scenario.cargo.rewards, scenario.economy.siding_cost) == (2, (9,), None)
    assert problems_of(load_scenario, path, {"economy.toll": -1}) == [
        "--set economy.toll=-1: economy.toll is -1; must be a whole number of dollars, 0 to 10,000"
    ]


def test_set__label_with_dots_in_quotes(tmp_path: Path) -> None:
    path = write(tmp_path, rail_map=MAP.replace("bw", "b.w"))
    assert load_scenario(path, ['map.initial_routes."b.w"=2']).map.initial_routes["b.w"] == 2
    (line,) = problems_of(load_scenario, path, ["map.initial_routes.'b.x'=2"])
    assert line.startswith("--set map.initial_routes.'b.x'=2: map.initial_routes.'b.x' names 'b.x', and no track")


def test_set__map_beside_the_scenario_else_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path)
    (tmp_path / "other.yaml").write_text(changed(MAP, "name: ring", "name: other"))
    assert load_scenario(path, ["map=other.yaml"]).map.name == "other"
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    (here / "near.yaml").write_text(changed(MAP, "name: ring", "name: near"))
    assert load_scenario(path, ["map=near.yaml", "map.initial_routes.bw=2"]).map.name == "near"


SETS = {
    "economy.toll=x": "economy.toll is 'x'; must be a whole number of dollars, 0 to 10,000",
    "economy.tol=1": "economy.tol is no key that is known here; did you mean 'toll'?",
    "economy.toll": "has no value; must be key=value, such as economy.toll=2",
    "economy.toll=": "has no value; write null for none and '' for empty text",
    "economy.toll=[": "is not YAML: ",
    "economy.toll={a: 1, a: 2}": "a is written twice, first on line 1; must be written once",
    "economy.toll.x=1": "economy.toll is 1; nothing can be set at economy.toll.x",
    "economy[1]=1": "economy is a mapping; nothing can be set at economy[1]",
    "map.trains[3].first_reward=1": "map.trains: there is no item 3; must be from 1 to 2",
    "map.trains[0].first_reward=1": "map.trains: there is no item 0; must be from 1 to 2",
    "map.trains.x.first_reward=1": "map.trains: there is no item 'x'; must be from 1 to 2",
    "map=gone.yaml": "map is 'gone.yaml', and there is no file gone.yaml; must be the path of a map, or the "
    "name of a shipped one",
    "=1": "is no override; must be key=value",
    "": "is no override; must be key=value",
    "a..b=1": "is no override; must be key=value",
    "a.=1": "is no override; must be key=value",
}


@pytest.mark.parametrize("text", SETS)
def test_set__that_is_bad_is_named(text: str, tmp_path: Path) -> None:
    lines = problems_of(load_scenario, write(tmp_path), [text])
    assert lines[0].replace(str(tmp_path) + os.sep, "").startswith(f"--set {text}: {SETS[text]}")


def test_set__all_bad_ones_at_once(tmp_path: Path) -> None:
    lines = problems_of(load_scenario, write(tmp_path), ["economy.toll=", "dispatches=0", "x"])
    assert [line.split(":")[0] for line in lines] == ["--set economy.toll=", "--set x", "--set dispatches=0"]


def test_map__file_errors_carry_their_own_keys(tmp_path: Path) -> None:
    write(tmp_path, rail_map=changed(MAP, "  bw: be\n", ""))
    assert problems_of(load_map, tmp_path / "map.yaml") == [
        "map.yaml:12: mirror has no image for be, bw; must name every node, in one direction at least"
    ]
