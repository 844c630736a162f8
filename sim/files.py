"""Files written whole or not at all, and read with errors that name them."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from sim.config.errors import BadInput

__all__ = [
    "npz_arrays",
    "npz_bytes",
    "read_json",
    "read_object",
    "read_of_schema",
    "told",
    "write_atomically",
    "write_json",
]


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole or not at all."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with beside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        raise


def write_json(path: Path, data: Any) -> None:
    """Write JSON, indented, atomically; the same data give the same bytes."""
    write_atomically(path, (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode())


def read_json(path: Path) -> Any:
    """Read a JSON file of a run folder; BadInput when it is missing or damaged."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadInput.of(f"{path} is missing; this is no finished run folder") from None
    except (OSError, ValueError, RecursionError) as error:
        raise BadInput.of(f"{path} cannot be read: {error}") from None


def read_of_schema(path: Path, schema: int) -> dict[str, Any]:
    """Read a JSON file of a run folder that says of which schema it is.

    Raises
    ------
    BadInput
        When it is missing, damaged, or of another schema.
    """
    found = read_json(path)
    if not isinstance(found, dict) or "schema" not in found:
        raise BadInput.of(f"{path} is damaged: it names no schema")
    if found["schema"] != schema:
        raise BadInput.of(f"{path} is of schema {found['schema']}, from another version; must be {schema}")
    return found


def read_object(path: Path) -> dict[str, Any]:
    """Read a JSON file that holds an object; BadInput when it does not."""
    found = read_json(path)
    if not isinstance(found, dict):
        raise BadInput.of(f"{path} is damaged: it holds no JSON object")
    return found


def npz_bytes(arrays: dict[str, Any]) -> bytes:
    """Arrays by name as the bytes of an .npz file; the same arrays give the same bytes."""
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def npz_arrays(path: Path) -> dict[str, Any]:
    """The arrays of an .npz file by name. Read at once: numpy leaves a damaged file open."""
    with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
        return {key: file[key] for key in file.files}


@contextlib.contextmanager
def told(folder: Path) -> Iterator[None]:
    """Turn what a file system refuses into BadInput that names the folder."""
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        tail = "; nothing that was finished is lost" if error.errno in (errno.ENOSPC, errno.EDQUOT) else ""
        raise BadInput.of(f"cannot write {folder}: {reason}{tail}") from error
