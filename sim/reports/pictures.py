"""The pictures of a result by their names, to be looked at in a notebook or saved."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sim.config.errors import BadInput
from sim.config.scenario import RailMap
from sim.running.result import Run
from sim.studies.sweep_result import Sweep
from sim.studies.tournament_result import Tournament
from sim.studies.value_result import ValueStudy

__all__ = ["Picture", "pictures"]


@dataclass(frozen=True)
class Picture:
    """A picture, which shows itself in a notebook.

    Attributes
    ----------
    name
        What it is called; its file in a run folder is ``figures/<name>.svg``.
    svg
        The drawing.
    words
        What is to be seen in it.
    """

    name: str
    svg: str = field(repr=False)
    words: str

    def save(self, path: str | Path) -> None:
        """Write the drawing to a file, as SVG."""
        Path(path).write_text(f'<?xml version="1.0" encoding="UTF-8"?>\n{self.svg}', encoding="utf-8")

    def _repr_html_(self) -> str:
        from sim.reports.notebook import inline

        # On white whatever the page: its colours are chosen for that.
        return (
            f'<figure style="margin:.4rem 0;max-width:38rem"><div style="background:#fff;padding:.4rem">'
            f"{inline(self.svg)}</div><figcaption>{html.escape(self.words)}</figcaption></figure>"
        )


def pictures(found: Any) -> dict[str, Picture]:
    """The pictures that the report of a result has.

    Parameters
    ----------
    found
        A run, a sweep, a tournament, a value study, one mainline day (`sim.explain_day`), or a map.

    Returns
    -------
    dict
        By name, in the order of the report.

    Raises
    ------
    BadInput
        When there are no pictures of such a thing.
    """
    from sim.studies.day_story import DayStory

    if isinstance(found, Run):
        made = _of_days(found) if found.scenario.game == "mainline" else _of_run(found)
    elif isinstance(found, RailMap):
        made = {"map": _of_map(found)}
    elif isinstance(found, DayStory):
        from sim.reports.mainline.day_page import day_pictures

        made = {name: (figure, see) for name, figure, see in day_pictures(found)}
    elif isinstance(found, Tournament | ValueStudy | Sweep):
        return {name: Picture(name, svg, _first(words)) for name, (words, svg) in _drawn(found).items()}
    else:
        raise BadInput.of(
            f"found is {type(found).__name__}; must be a run, a sweep, a tournament, a value study, a day or a map"
        )
    from sim.reports.style import svg_text

    return {name: Picture(name, svg_text(figure, title=words), words) for name, (figure, words) in made.items()}


def _first(words: str) -> str:
    """The first sentence: the others are read out to those who do not see the picture."""
    head, end, _ = words.partition(". ")
    return head + "." if end else words


def _of_run(run: Run) -> dict[str, tuple[Any, str]]:
    from sim.reports.page import pictures as of_report

    made = {one.name: (one.figure(run), one.see(run)) for one in of_report()}
    return {**made, "map": _of_map(run.scenario.map)}


def _of_days(run: Run) -> dict[str, tuple[Any, str]]:
    from sim.reports.mainline.page import run_pictures

    return run_pictures(run)


def _of_map(rail_map: RailMap) -> tuple[Any, str]:
    from sim.config.exactness import exactness
    from sim.reports.map_picture import map_alt, map_figure

    return map_figure(rail_map, exactness=exactness(rail_map)), map_alt(rail_map)


def _drawn(found: Tournament | ValueStudy | Sweep) -> dict[str, tuple[str, str]]:
    """What each shows in words, and the drawing."""
    if isinstance(found, Sweep):
        from sim.reports.sweep_pictures import drawings as of_sweep

        return {name: (one.title, one.svg) for name, one in of_sweep(found).items()}
    if isinstance(found, Tournament):
        from sim.reports.tournament import drawings as of_tournament

        return of_tournament(found)
    from sim.reports import value_section
    from sim.reports.style import svg_text

    made = {"value": (value_section.knockout_figure(found), value_section.knockout_alt(found))}
    timing = value_section.timing_figure(found)
    if timing is not None:
        made["timing"] = (timing, value_section.timing_alt(found))
    return {name: (words, svg_text(figure, title=words)) for name, (figure, words) in made.items()}
