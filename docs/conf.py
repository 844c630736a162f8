"""The documentation as a site: `sphinx-build -W --keep-going -n docs docs/_build`."""

from __future__ import annotations

import sys
from importlib.metadata import version as version_of
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

project = "dispatch-balance"
author = project_copyright = "the authors of dispatch-balance"
version = release = version_of("dispatch-balance")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "site_pages"]
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = ["_build"]

smartquotes = False
default_role = "code"

html_theme = "furo"
html_title = "dispatch-balance"
html_copy_source = False
html_show_sphinx = False

myst_heading_anchors = 4
"""Links to headings work here as they do where the pages are read as they are."""

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_preprocess_types = False

nitpick_ignore_regex = [(r"py:.*", r".*")]
"""Annotations name types of other packages and of the inside, which no page lists. Links of pages are looked at."""

linkcheck_ignore = [r"https://github.com/OWNER/.*"]
