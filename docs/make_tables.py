"""Rewrite the parts of the documentation that the tool itself makes: measured figures, lists of keys, pictures.

    python docs/make_tables.py            rewrite README.md, docs/*.md and docs/pictures in place
    python docs/make_tables.py --check    change nothing; exit 1 and name what would change
    python docs/make_tables.py --quick          # only what behaves otherwise than before
    python docs/make_tables.py --check --quick
                                          the same without the long measurements: of these only their behaviour is
                                          looked at, which is a digest of the first 2,000 matches of each

A part stands between `<!-- made: NAME -->` and `<!-- end -->`; its maker is the function of that name in `PARTS`.
"""

from __future__ import annotations

import argparse
import difflib
import io
import re
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

import listed
import measured
from house import house_picture

import sim
from sim.config.exactness import exactness
from sim.config.starters import starter_names

ROOT = Path(__file__).resolve().parents[1]
PAGES = (Path("README.md"), *sorted(path.relative_to(ROOT) for path in (ROOT / "docs").glob("*.md")))
PICTURES = Path("docs/pictures")

_MARK = re.compile(r"(<!-- made: ([\w-]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
_BEHAVIOUR = re.compile(r"<!-- behaviour ([0-9a-f]{12}) -->")


PARTS: dict[str, tuple[Callable[[int], str], int]] = {
    "first-run": (measured.first_run, measured.README_MATCHES),
    "maps-greedy": (measured.maps_greedy, measured.MATCHES),
    "maps-random": (measured.maps_random, measured.MATCHES),
    "noise": (measured.noise, measured.MATCHES),
    "ladder": (measured.ladder, measured.LADDER_MATCHES),
    "floor": (measured.floor, measured.LADDER_MATCHES),
    "depths": (measured.depths, measured.DEPTH_MATCHES),
    "compare": (measured.compared, measured.COMPARE_MATCHES),
    "exploit": (measured.exploited, measured.EXPLOIT_MATCHES),
    "value": (measured.value, measured.VALUE_MATCHES),
    "limits": (measured.limits, measured.LIMITS_MATCHES),
    "tutorial-run": (measured.tutorial_run, measured.TUTORIAL_MATCHES),
    "tutorial-cheaper": (measured.tutorial_cheaper, measured.TUTORIAL_MATCHES),
    "tutorial-better": (measured.tutorial_better, measured.TUTORIAL_MATCHES),
    "tutorial-bots": (measured.tutorial_bots, measured.TUTORIAL_MATCHES),
    "value-keys": (listed.value_keys, 0),
    "shape-figures": (listed.shape_figures, 0),
    "map-facts": (listed.map_facts, 0),
    "bots": (listed.bots, 0),
    "figures": (listed.metrics, 0),
    "mainline-figures": (listed.mainline_figures, 0),
    **{f"keys-{model}": (listed.keys(model), 0) for model in listed.TITLES},
}
"""What makes each part, and how many matches it plays; 0: none."""


# -- drawn ------------------------------------------------------------------------------------------------------------


def map_picture(name: str) -> str:
    """The picture of a shipped map, as `sim map NAME` draws it."""
    from sim.reports.map_picture import map_figure
    from sim.reports.style import svg_text

    rail_map = sim.load_map(name)
    return svg_text(map_figure(rail_map, exactness=exactness(rail_map)), title=f"map {rail_map.name}")


def pictures_comparable() -> bool:
    """Whether pictures are drawn by the version of matplotlib that requirements.lock names."""
    return f"matplotlib=={version('matplotlib')}\n" in (ROOT / "requirements.lock").read_text(encoding="utf-8")


def overview() -> bytes:
    """The picture on top of the README: the standard map, and how a million matches on it end."""
    from PIL import Image, ImageOps

    from sim.reports.figures import margin_figure, outcomes_figure
    from sim.reports.map_picture import map_figure
    from sim.reports.style import png_bytes

    run = sim.run("standard", matches=measured.README_MATCHES, seed=measured.SEED)
    left = Image.open(io.BytesIO(png_bytes(map_figure(sim.load_map("standard")))))
    right = [Image.open(io.BytesIO(png_bytes(draw(run)))) for draw in (margin_figure, outcomes_figure)]
    gap = 40
    height = max(left.height, sum(one.height for one in right) + gap)
    sheet = Image.new("RGB", (left.width + gap + right[0].width, height), "white")
    sheet.paste(left, (0, (height - left.height) // 2))
    y = 0
    for one in right:
        sheet.paste(one, (left.width + gap, y))
        y += one.height + gap
    sheet = ImageOps.expand(sheet, border=30, fill="white").quantize(256)
    drawn = io.BytesIO()
    sheet.save(drawn, "PNG", optimize=True)
    return drawn.getvalue()


# -- in and out -------------------------------------------------------------------------------------------------------


def pages(quick: bool, only: int | None = None, *, check: bool = True) -> dict[Path, str]:
    """Every page as it should be; with `quick`, measured parts stay unless their behaviour has changed.

    With `check` as well, those that have changed are not measured anew: it is enough to know.
    """
    made: dict[str, str] = {}

    def part(found: re.Match[str]) -> str:
        start, name, old, end = found.groups()
        maker, matches = PARTS[name]
        if matches and quick:
            said = _BEHAVIOUR.search(old)
            now = measured.behaviour(measured.RUNS[name](), measured.PROBES.get(name))
            if said is not None and said[1] == now:
                return found[0]
            if not check and name not in made:
                print(f"measuring {name} anew", file=sys.stderr)
                made[name] = maker(matches)
            if not check:
                return start + made[name] + end
            return f"{start}<!-- behaviour {now} -->\n(other than what is written here)\n{end}"
        if name not in made:
            made[name] = maker(only or matches)
        return start + made[name] + end

    return {page: _MARK.sub(part, (ROOT / page).read_text(encoding="utf-8")) for page in PAGES}


def main(arguments: Sequence[str] | None = None) -> int:
    """Rewrite or check; the exit code is 1 when a check found something."""
    parser = argparse.ArgumentParser(description="Rewrite the parts of the documentation that the tool makes.")
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 when something would change")
    parser.add_argument(
        "--quick", action="store_true", help="measure only what behaves otherwise than before; with --check nothing"
    )
    options = parser.parse_args(arguments)
    if set(listed.ORDER) != set(starter_names()):
        print(f"ORDER lists {', '.join(listed.ORDER)}; shipped are {', '.join(starter_names())}")
        return 1
    changed = False
    for page, text in pages(options.quick, check=options.check).items():
        before = (ROOT / page).read_text(encoding="utf-8")
        if text != before:
            changed = True
            if options.check:
                sys.stdout.writelines(
                    difflib.unified_diff(before.splitlines(True), text.splitlines(True), str(page), "now", n=0)
                )
            else:
                (ROOT / page).write_text(text, encoding="utf-8")
                print(f"rewrote {page}")
    pictures = {PICTURES / "maps" / f"{name}.svg": map_picture(name) for name in listed.ORDER}
    for path, drawn in {PICTURES / "house.svg": house_picture(ROOT), **pictures}.items():
        before = (ROOT / path).read_text(encoding="utf-8") if (ROOT / path).exists() else ""
        if drawn != before and (pictures_comparable() or not before):
            changed = True
            if options.check:
                print(f"{path} is not what the tool draws now")
            else:
                (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
                (ROOT / path).write_text(drawn, encoding="utf-8")
                print(f"drew {path}")
    if not options.check and not options.quick:
        (ROOT / PICTURES / "overview.png").write_bytes(overview())
        print(f"drew {PICTURES / 'overview.png'}")
    return int(options.check and changed)


if __name__ == "__main__":
    sys.exit(main())
