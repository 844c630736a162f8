"""Run folders: who may write one, what is kept of an unfinished run, and how a finished one is read again."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

import numpy as np

from sim.config.errors import BadInput
from sim.running.ledger import Ledger
from sim.stats.sums import BlockSums

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["MANIFEST_SCHEMA", "RunFolder", "folder_name", "read_json", "write_atomically", "write_json"]

MANIFEST_SCHEMA = 1

_PARTIAL = "unfinished.npz"
_IDENTITY = "unfinished.json"
_LOCK = ".lock"
_PARTS = "matches.parts"

State = Literal["new", "unfinished", "complete"]


def folder_name(name: str, digest: str) -> str:
    """`<name>-<digest>` with the name's letters, digits, dots, dashes and underscores, and 12 digits of the digest."""
    plain = re.sub(r"[^\w.-]+", "-", name).strip("-.") or "run"
    return f"{plain[:60]}-{digest[:12]}"


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
    except (OSError, ValueError) as error:
        raise BadInput.of(f"{path} cannot be read: {error}") from None


def _npz(arrays: dict[str, Any]) -> bytes:
    """Arrays by name as the bytes of an .npz file; the same arrays give the same bytes."""
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


@contextlib.contextmanager
def told(folder: Path) -> Iterator[None]:
    """Turn what a file system refuses into BadInput that names the folder."""
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        tail = "; nothing that was finished is lost" if error.errno in (errno.ENOSPC, errno.EDQUOT) else ""
        raise BadInput.of(f"cannot write {folder}: {reason}{tail}") from error


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
            if path.exists() and os.path.samestat(os.fstat(file.fileno()), path.stat()):
                return file
        except OSError:
            file.close()
            raise BadInput.of(f"another process is writing {path.parent}; wait for it, or name another --out") from None
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
        self.state: State = "new"
        self._lock: IO[str] | None = None
        self._made: list[Path] = []

    def __enter__(self) -> RunFolder:
        with told(self.path):
            if self.path.exists() and not self.path.is_dir():
                raise BadInput.of(f"{self.path} is a file; must be a folder, new or of this run")
            self._check_foreign()
            for folder in [*reversed(self.path.parents), self.path]:
                if not folder.exists():
                    folder.mkdir()
                    self._made.append(folder)
            self._lock = _locked(self.path / _LOCK)
        try:
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
        if held - {_LOCK} and not held & {"manifest.json", _IDENTITY}:
            raise BadInput.of(f"{self.path} holds something else ({', '.join(sorted(held)[:3])}); name another --out")

    def _look(self) -> State:
        manifest = self.path / "manifest.json"
        unfinished = self.path / _IDENTITY
        if manifest.exists() and not unfinished.exists():
            found = read_json(manifest).get("digest")
            if found == self.digest:
                # A complete run without the matches that are wanted now has to be played again to get them.
                if not self.again and (not self.with_matches or (self.path / "matches.parquet").exists()):
                    return "complete"
                self.clear()
                return "new"
            raise BadInput.of(
                f"{self.path} holds another run (digest {str(found)[:12]}, this one is {self.digest[:12]}); "
                "name another --out"
            )
        if unfinished.exists():
            found = read_json(unfinished).get("digest")
            if found == self.digest:
                if not self.again:
                    return "unfinished"
                self.clear()
                return "new"
            raise BadInput.of(
                f"{self.path} holds another, unfinished run (digest {str(found)[:12]}, this one is "
                f"{self.digest[:12]}); name another --out"
            )
        return "new"

    def clear(self) -> None:
        """Take away all that this run wrote here before."""
        with told(self.path):
            for name in ("manifest.json", "summary.json", "sums.npz", "report.html", "matches.parquet"):
                (self.path / name).unlink(missing_ok=True)
            self.clear_unfinished()

    def clear_unfinished(self) -> None:
        """Take away what only an unfinished run needs."""
        for part in (self.path / _PARTS).glob("*.parquet"):
            part.unlink()
        with contextlib.suppress(FileNotFoundError):
            (self.path / _PARTS).rmdir()
        for name in (_PARTIAL, _IDENTITY):
            (self.path / name).unlink(missing_ok=True)

    def save(self, ledger: Ledger) -> None:
        """Keep what is done, so that the run can be continued from here."""
        with told(self.path):
            spans = np.array(ledger.spans, np.int64).reshape(-1, 2)
            write_atomically(self.path / _PARTIAL, _npz({"spans": spans, **ledger.sums.as_arrays()}))
            write_json(
                self.path / _IDENTITY,
                {"schema": MANIFEST_SCHEMA, "digest": self.digest, "with_matches": self.with_matches},
            )

    def saved(self) -> Ledger | None:
        """What an unfinished run had done; None when nothing was kept, or not the matches that are wanted now."""
        path = self.path / _PARTIAL
        if not path.exists() or (self.with_matches and not read_json(self.path / _IDENTITY).get("with_matches")):
            return None
        try:
            with np.load(path) as file:
                arrays = {key: file[key] for key in file.files}
            spans = [(int(start), int(stop)) for start, stop in arrays.pop("spans")]
            sums = BlockSums.from_arrays(arrays)
            sums.validate()
        except (OSError, ValueError, KeyError, EOFError) as error:
            raise BadInput.of(f"{path} is damaged ({error}); use --again to play the run anew") from None
        return Ledger(sums, spans)

    def write_part(self, first_pair: int, last_pair: int, table: pa.Table) -> None:
        """Keep a chunk's matches, until `join_parts`."""
        import pyarrow.parquet as pq

        with told(self.path):
            folder = self.path / _PARTS
            folder.mkdir(exist_ok=True)
            buffer = io.BytesIO()
            pq.write_table(table, buffer, compression="zstd")
            write_atomically(folder / f"{first_pair:015d}-{last_pair:015d}.parquet", buffer.getvalue())

    def drop_parts_outside(self, spans: list[tuple[int, int]]) -> None:
        """Take away parts that were written but whose sums were not kept: they are played again."""
        for part in (self.path / _PARTS).glob("*.parquet"):
            start, stop = (int(number) for number in part.stem.split("-"))
            if not any(begin <= start and stop <= end for begin, end in spans):
                part.unlink()

    def join_parts(self) -> None:
        """Write `matches.parquet` of all parts, in the order of the matches."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        with told(self.path):
            beside = self.path / ".matches.parquet.tmp"
            writer: Any = None
            waiting: list[pa.Table] = []

            def flush() -> None:
                nonlocal writer
                table = pa.concat_tables(waiting).combine_chunks()
                if writer is None:
                    writer = pq.ParquetWriter(beside, table.schema, compression="zstd")
                writer.write_table(table)
                waiting.clear()

            for part in sorted((self.path / _PARTS).glob("*.parquet")):
                waiting.append(pq.read_table(part))
                if sum(table.num_rows for table in waiting) >= 250_000:
                    flush()
            if waiting:
                flush()
            if writer is not None:
                writer.close()
                beside.replace(self.path / "matches.parquet")

    def write_sums(self, sums: BlockSums) -> None:
        """Keep the exact block sums, `sums.npz`."""
        with told(self.path):
            write_atomically(self.path / "sums.npz", _npz(sums.as_arrays()))


def read_sums(folder: Path) -> BlockSums:
    """The exact block sums of a finished run."""
    path = folder / "sums.npz"
    try:
        with np.load(path) as file:
            sums = BlockSums.from_arrays({key: file[key] for key in file.files})
        sums.validate()
    except FileNotFoundError:
        raise BadInput.of(f"{path} is missing; this is no finished run folder") from None
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise BadInput.of(f"{path} is damaged: {error}") from None
    return sums
