"""The report of a tuning: one page that needs nothing beside it."""

from __future__ import annotations

from pathlib import Path

from sim.reports.goals_terminal import goal_cells
from sim.reports.html import provenance_rows, rendered, write_text
from sim.reports.notebook import Shown, Table, shown_html
from sim.reports.tune_words import around_sentence, headline, looked_sentence, missed_words, size_words, step_rows
from sim.studies.tune_play import Tried
from sim.studies.tune_result import Tuned
from sim.studies.turning import level_words

__all__ = ["tune_html", "write_tune_report"]

TEMPLATE = "tune.html.j2"


def write_tune_report(found: Tuned, folder: Path) -> Path:
    """Write `report.html`; the same tuning gives the same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    space, one = found.space, found.found
    manifest = dict(found.manifest)
    text = rendered(
        TEMPLATE,
        found=found,
        headline=headline(found)
        + (f" {space.label(one.edit)}." if one is not None and space.changed(one.edit) else ""),
        looked=looked_sentence(found),
        level=f"{100 * float(manifest['level']):g}%",
        ladders=[
            (
                ladder.key,
                ", ".join(level_words(value) for value in ladder.values),
                level_words(ladder.values[ladder.today]),
                level_words(ladder.values[(space.today if one is None else one.edit)[place]]),
            )
            for place, ladder in enumerate(space.ladders)
        ],
        tables=_tables(found),
        steps=[] if one is None else [[*row[:3], missed_words(other, 9)] for row, other in _with_rows(found)],
        around="" if one is None else around_sentence(found),
        lists=[
            (title, [[space.label(other.edit), size_words(found, other), missed_words(other, 9)] for other in listed])
            for title, listed in (
                ("Edits as small that met all goals in the search as well", found.peers),
                ("Seemed to meet the goals, and did not on fresh luck", found.rejected),
                ("Open", found.smaller_open),
                ("Nearest, measured anew on fresh luck", found.nearest),
            )
            if listed
        ],
        provenance=provenance_rows(manifest, manifest["scenario_digest"]),
    )
    page = folder / "report.html"
    write_text(page, text)
    return page


def _with_rows(found: Tuned) -> list[tuple[list[str], Tried]]:
    return list(zip(step_rows(found), found.around, strict=True))


def _tables(found: Tuned) -> list[tuple[str, list[list[str]]]]:
    """Goals of the edit, or of what stands nearest, and of the scenario as it is."""
    listed = [("As it is", found.today)]
    if found.found is not None:
        listed.insert(0, ("Confirmed on fresh luck", found.found))
    elif found.nearest:
        label = found.space.label(found.nearest[0].edit)
        listed.insert(0, (f"Nearest, measured anew on fresh luck: {label}", found.nearest[0]))
    return [
        (
            f"{title}, {one.n_matches:,} matches in all",
            [[result.estimate.pairing, *goal_cells(result)[:3]] for result in one.results],
        )
        for title, one in listed
    ]


def tune_html(found: Tuned) -> str:
    """A tuning in a notebook: what was found, its goals, and what is a step away."""
    tables = [Table(["pairing", "goal", "figure", "verdict"], rows, title) for title, rows in _tables(found)]
    if found.found is not None:
        rows = [row[:3] for row in step_rows(found)]
        tables.append(Table(["step", "edit", "goals"], rows, "one step away"))
    label = "" if found.found is None else f" {found.space.label(found.found.edit)}."
    sentences = [looked_sentence(found), headline(found) + label]
    played = f"{', '.join(found.pairings)} · seed {found.manifest['seed']}"
    return shown_html(Shown(f"tuned {found.scenario}", played, sentences, tables, found.notes))
