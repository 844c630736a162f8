"""Run folders: who may write one, what is kept of an unfinished run, and how a finished one is read again."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

import numpy as np

from sim.config.errors import BadInput
from sim.files import npz_arrays, npz_bytes, read_object, told, write_atomically, write_json
from sim.match_parts import MATCHES_FILE, MatchParts
from sim.running.ledger import Ledger

if TYPE_CHECKING:
    from sim.games.game import Sums

__all__ = ["MANIFEST_SCHEMA", "SHAPE_FILE", "RunFolder", "folder_name", "holds_something", "read_sums"]

MANIFEST_SCHEMA = 1

_PARTIAL = "unfinished.npz"
_IDENTITY = "unfinished.json"
_LOCK = ".lock"
_PAIRINGS = "pairings"
_SCRATCH = "unfinished"
_TEMPORARY = re.compile(r"\.[\w.-]+\.\d+\.tmp|\.matches\.parquet\.tmp")
"""What `write_atomically` and `MatchParts.join` leave behind when their process is killed."""

SHAPE_FILE = "shape.json"
"""How the first matches of a run went, for its report."""

_SOURCES = ("records.jsonl",)
"""What a run was made of, kept beside it."""

STUDY_RESULTS = ("compare.json", "value.json", "sweep.json", "cells.parquet")
"""What studies write beside or instead of a summary."""

State = Literal["new", "unfinished", "complete"]


def folder_name(name: str, digest: str) -> str:
    """`<name>-<digest>` with the name's letters, digits, dots, dashes and underscores, and 12 digits of the digest."""
    plain = re.sub(r"[^\w.-]+", "-", name).strip("-.") or "run"
    return f"{plain[:60]}-{digest[:12]}"


def holds_something(path: Path) -> bool:
    """Whether anything was kept in a run folder yet."""
    return path.is_dir() and any(not _ours(entry.name) for entry in path.iterdir())


def _ours(name: str) -> bool:
    """Whether a file may be there although no run was kept yet: its process was killed in its first moments."""
    return name in (_LOCK, _PARTIAL) or _TEMPORARY.fullmatch(name) is not None


def _locked(path: Path) -> IO[str]:
    """The lock file, held until it is closed or the process ends; BadInput when another process holds it."""
    while True:
        file = path.open("a")
        try:
            if sys.platform == "win32":
                import msvcrt

                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Whoever held it before may have taken the file away between our opening and our locking.
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                    return file
        except (BlockingIOError, PermissionError):
            file.close()
            raise BadInput.of(f"another process is writing {path.parent}; wait for it, or name another --out") from None
        except BaseException:
            file.close()
            raise
        file.close()


class RunFolder:
    """A run folder held for writing by this process.

    `digest` names the run, `again` discards what it left here before, `with_matches` says that its matches are kept.
    Use as a context manager; `state` then says what is there. The lock goes with the process, whatever ends it.

    Raises
    ------
    BadInput
        When another live process writes there, the folder holds something else, or it cannot be written.
    """

    def __init__(self, path: Path, digest: str, *, again: bool = False, with_matches: bool = False) -> None:
        self.path = path
        self.digest = digest
        self.again = again
        self.with_matches = with_matches
        self.parts = MatchParts(path)
        self.state: State = "new"
        self._lock: IO[str] | None = None
        self._made: list[Path] = []

    def __enter__(self) -> RunFolder:
        try:
            with told(self.path):
                if self.path.exists() and not self.path.is_dir():
                    raise BadInput.of(f"{self.path} is a file; must be a folder, new or of this run")
                self._check_foreign()
                for folder in [*reversed(self.path.parents), self.path]:
                    if not folder.exists():
                        folder.mkdir(exist_ok=True)
                        self._made.append(folder)
                self._lock = _locked(self.path / _LOCK)
                self.state = self._look()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            with contextlib.suppress(OSError):
                (self.path / _LOCK).unlink()
            self._lock.close()
        # A folder that this process made and left nothing in is taken away again.
        for folder in reversed(self._made):
            with contextlib.suppress(OSError):
                folder.rmdir()

    def _check_foreign(self) -> None:
        """Refuse a folder that holds what no run wrote."""
        if not self.path.is_dir():
            return
        held = {entry.name for entry in self.path.iterdir()}
        other = sorted(name for name in held if not _ours(name))
        if other and not held & {"manifest.json", _IDENTITY}:
            raise BadInput.of(f"{self.path} holds something else ({', '.join(other[:3])}); name another --out")

    def _look(self) -> State:
        manifest, unfinished = self.path / "manifest.json", self.path / _IDENTITY
        # The manifest is written last: with it a run is complete, even if its tidying up was cut short.
        told_by = manifest if manifest.exists() else unfinished
        if not told_by.exists():
            return "new"
        complete = told_by is manifest
        read = read_object(told_by)
        if read.get("schema") != MANIFEST_SCHEMA:
            raise BadInput.of(
                f"{told_by} is of schema {read.get('schema')}, from another version; must be {MANIFEST_SCHEMA}; "
                "name another --out"
            )
        found = read.get("digest")
        if found != self.digest:
            raise BadInput.of(
                f"{self.path} holds another{'' if complete else ', unfinished'} run (digest {str(found)[:12]}, this "
                f"one is {self.digest[:12]}); name another --out"
            )
        if complete:
            self.clear_unfinished()
        # A complete run without the matches that are wanted now has to be played again to get them.
        lacks_matches = complete and self.with_matches and not (self.path / MATCHES_FILE).exists()
        if self.again or lacks_matches:
            self.clear()
            return "new"
        return "complete" if complete else "unfinished"

    def clear(self) -> None:
        """Take away all that this run wrote here before."""
        with told(self.path):
            # The manifest goes last: without it and without an unfinished run, the rest is nobody's.
            reports = ("report.html", "report.md", SHAPE_FILE)
            for name in ("summary.json", *STUDY_RESULTS, *_SOURCES, "sums.npz", *reports, MATCHES_FILE):
                (self.path / name).unlink(missing_ok=True)
            for name in ("figures", "tables", _PAIRINGS):
                shutil.rmtree(self.path / name, ignore_errors=True)
            self.clear_unfinished()
            (self.path / "manifest.json").unlink(missing_ok=True)

    def clear_unfinished(self) -> None:
        """Take away what only an unfinished run needs."""
        with told(self.path):
            self.parts.drop()
            shutil.rmtree(self.path / _SCRATCH, ignore_errors=True)
            for name in (_PARTIAL, _IDENTITY):
                (self.path / name).unlink(missing_ok=True)
            for folder in (self.path, self.path / _PAIRINGS):
                for entry in folder.iterdir() if folder.is_dir() else ():
                    if _TEMPORARY.fullmatch(entry.name):
                        entry.unlink()

    def save(self, ledger: Ledger[Any], pairing: str | None = None) -> None:
        """Keep what is done, so that the run can be continued from here.

        A study of several pairings names which of them; their ledgers stay when it is complete.
        """
        with told(self.path):
            self.claim()
            path = self._ledger(pairing)
            path.parent.mkdir(exist_ok=True)
            spans = np.array(ledger.spans, np.int64).reshape(-1, 2)
            write_atomically(path, npz_bytes({"spans": spans, **ledger.sums.as_arrays()}))

    def keep_source(self, name: str, text: str) -> None:
        """Keep a text that the run is made of, before it is played."""
        assert name in _SOURCES
        with told(self.path):
            self.claim()
            write_atomically(self.path / name, text.encode())

    def claim(self) -> None:
        """Write what says whose the rest is; before the rest."""
        identity = {"schema": MANIFEST_SCHEMA, "digest": self.digest, "with_matches": self.with_matches}
        write_json(self.path / _IDENTITY, identity)

    def keep(self, name: str, arrays: dict[str, Any]) -> None:
        """Keep arrays that only an unfinished study needs; they go when it is complete."""
        with told(self.path):
            self.claim()
            (self.path / _SCRATCH).mkdir(exist_ok=True)
            write_atomically(self.path / _SCRATCH / f"{name}.npz", npz_bytes(arrays))

    def kept(self, name: str) -> dict[str, Any] | None:
        """What `keep` kept under a name; None when nothing was."""
        path = self.path / _SCRATCH / f"{name}.npz"
        if not path.exists():
            return None
        try:
            return npz_arrays(path)
        except Exception as error:  # a damaged file may raise anything
            raise BadInput.of(f"{path} is damaged ({error}); use --again to play the study anew") from None

    def saved(self, sums_from: Callable[[dict[str, Any]], Any], pairing: str | None = None) -> Ledger[Any] | None:
        """What an unfinished run had done; None when nothing was kept, or not the matches that are wanted now.

        `sums_from` makes the game's sums of arrays by name (`Game.sums_from_arrays`).
        """
        path = self._ledger(pairing)
        identity = read_object(self.path / _IDENTITY)
        if not path.exists() or (self.with_matches and not identity.get("with_matches")):
            return None
        try:
            arrays = npz_arrays(path)
            spans = [(int(start), int(stop)) for start, stop in arrays.pop("spans")]
            sums = sums_from(arrays)
            if sums.n_pairs != sum(stop - start for start, stop in spans):
                raise ValueError("its pairs and its sums differ")
        except Exception as error:  # a damaged file may raise anything
            raise BadInput.of(f"{path} is damaged ({error}); use --again to play the run anew") from None
        return Ledger(sums, spans)

    def _ledger(self, pairing: str | None) -> Path:
        return self.path / _PARTIAL if pairing is None else self.path / _PAIRINGS / f"{pairing}.npz"

    def write_sums(self, sums: Sums) -> None:
        """Keep the exact block sums, `sums.npz`."""
        with told(self.path):
            write_atomically(self.path / "sums.npz", npz_bytes(sums.as_arrays()))


def read_sums(folder: Path, sums_from: Callable[[dict[str, Any]], Any]) -> Any:
    """The exact block sums of a finished run, made of arrays by name by its game (`Game.sums_from_arrays`)."""
    path = folder / "sums.npz"
    try:
        return sums_from(npz_arrays(path))
    except FileNotFoundError:
        raise BadInput.of(f"{path} is missing; this is no finished run folder") from None
    except Exception as error:  # a damaged file may raise anything
        raise BadInput.of(f"{path} is damaged: {error}") from None
