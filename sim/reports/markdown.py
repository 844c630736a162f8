"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

__all__ = ["cell", "table"]


def cell(value: object) -> str:
    """A value as a table shows it: yes, nothing, or the text."""
    if value is None or value is False:
        return ""
    if value is True:
        return "yes"
    return str(value).replace("_", " ").replace("|", "\\|")


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Lines of a table; columns that hold numbers only are flush right."""
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(header)
    right = [bool(column) and all(text == "" or text.isdecimal() for text in column) for column in columns]
    yield f"| {' | '.join(header)} |"
    yield f"| {' | '.join('---:' if one else '---' for one in right)} |"
    for row in rows:
        yield f"| {' | '.join(row)} |"
