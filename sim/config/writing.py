"""Plain data as YAML that people read: mappings line by line, short lists in one."""

from __future__ import annotations

import io
from typing import Any

__all__ = ["yaml_text"]


def yaml_text(plain: dict[str, Any]) -> str:
    """The data as YAML, in its own order."""
    from ruamel.yaml import YAML

    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = None
    yaml.sort_base_mapping_type_on_output = False  # type: ignore[assignment]
    yaml.width = 1_000
    buffer = io.StringIO()
    yaml.dump(plain, buffer)
    return buffer.getvalue()
