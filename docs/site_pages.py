"""What the site has beside the pages that are written by hand: made when it is built, so that it cannot go stale.

- `generated/`: reference pages made of the code (`site_reference`), and the pages of the repository that
  lie outside this folder, with their links turned round.
- The contents are the lists of links in `index.md`: a page that no list names is an error.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import site_reference
from sphinx.application import Sphinx

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
GENERATED = DOCS / "generated"

OUTSIDE = {
    "README.md": "generated/readme.md",
    "CONTRIBUTING.md": "generated/contributing.md",
    "CHANGELOG.md": "generated/changelog.md",
    "reports/as-built.md": "generated/as-built.md",
}
"""Pages of the repository outside this folder, and where they stand in the site."""

_LINK = re.compile(r"(\]\()([^)\s#:]+)(#[^)\s]*)?(\))")
_ITEM = re.compile(r"^- (.*)$", re.MULTILINE)
_PAGE = re.compile(r"\]\(([^)\s#]+)\.md\)")
_BUILT = "<!-- made when the site is built: reference -->\n"


def turned(text: str, page: Path) -> str:
    """A page's text with its links as they have to be in the site.

    Parameters
    ----------
    text
        What the page says.
    page
        Where it lies in the repository.
    """
    here = (DOCS / OUTSIDE[str(page.relative_to(ROOT))] if not page.is_relative_to(DOCS) else page).parent

    def link(found: re.Match[str]) -> str:
        start, path, anchor, end = found.groups()
        there = (page.parent / path).resolve()
        if not there.is_relative_to(ROOT):
            return found[0]
        inside = OUTSIDE.get(there.relative_to(ROOT).as_posix())
        target = DOCS / inside if inside else there
        return f"{start}{Path(os.path.relpath(target, here)).as_posix()}{anchor or ''}{end}"

    parts = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if place % 2 else _LINK.sub(link, part) for place, part in enumerate(parts))


def write_pages(app: Sphinx) -> None:
    """Make the pages that are not written by hand; one that says the same as before is left alone."""
    made = site_reference.pages()
    for page, place in OUTSIDE.items():
        made[Path(place).name] = turned((ROOT / page).read_text(encoding="utf-8"), ROOT / page)
    GENERATED.mkdir(exist_ok=True)
    for old in set(GENERATED.iterdir()) - {GENERATED / name for name in made}:
        old.unlink()
    for name, text in made.items():
        path = GENERATED / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def contents(text: str) -> str:
    """The index with its lists of links as contents: a part for every heading that has one."""
    listed = "".join(f"- [{title}](generated/{name})\n" for name, title in site_reference.TITLES.items())
    text = text.replace(_BUILT, listed)
    trees = []
    for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        pages = [path for item in _ITEM.findall(part) for path in _PAGE.findall(item) if not path.startswith("../")]
        if pages:
            title = part.partition("\n")[0]
            trees.append(f"```{{toctree}}\n:hidden:\n:caption: {title}\n\n" + "\n".join(pages) + "\n```\n")
    return text + "\n" + "\n".join(trees)


def read_page(app: Sphinx, name: str, source: list[str]) -> None:
    """Turn the links of a page that is written by hand, and make the contents of the index."""
    if not name.startswith("generated/"):
        source[0] = turned(source[0], DOCS / f"{name}.md")
    if name == "index":
        source[0] = contents(source[0])


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("builder-inited", write_pages)
    app.connect("source-read", read_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
