"""Bots that are not shipped: from a file (`file.py:function`), or functions of a notebook or script.

A bot is what its source says, so its digest is part of a run's identity: of its file and of the files that this one
imports from its own folder, or of the text of a function and of what that calls.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib.util
import inspect
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import kernels
import sim
from kernels.dispatch.bots.decorator import Bot, BotError
from sim.bot_faults import bad_bot
from sim.config.errors import BadInput
from sim.config.values import did_you_mean

__all__ = ["bot_from_file", "bots_in_file", "found_in_file", "function_digest", "sources_of"]

_PACKAGES = tuple(Path(module.__file__ or "").resolve().parent for module in (kernels, sim))

_LOADED: dict[tuple[str, str], dict[str, Bot]] = {}
"""Bots by path and digest of a file: loaded and compiled once a process, and anew when a file was edited."""

_BESIDE: dict[tuple[str, str], dict[str, ModuleType]] = {}
"""The modules that such a file imported from its own folder."""


def bot_from_file(name: str, folder: Path | str = Path()) -> tuple[Bot, str, str]:
    """The bot of `file.py:function`: any `Bot` made with `@bot` at the top level of the file.

    Parameters
    ----------
    name
        `file.py:function`.
    folder
        Where the path starts.

    Returns
    -------
    tuple
        The bot, its file as seen from the working folder, and the digest of its sources.

    Raises
    ------
    BadInput
        When there is no such bot, or its file cannot be run or compiled; with the line.
    """
    try:
        bot, path, digest = found_in_file(name, folder)
    except LookupError as error:
        raise BadInput.of(f"bot {name!r}: {error}") from None
    try:
        with _importable(_BESIDE[str(path.resolve()), digest]):
            _ = bot.compiled
            _ = bot.compiled_mix
    except BotError as error:
        raise bad_bot(error, str(path) if Path(error.file) == path.resolve() else None) from error
    return bot, str(path), digest


def bots_in_file(path: Path) -> dict[str, Bot]:
    """All bots of a file by name, compiled.

    Raises
    ------
    BadInput
        When there is no such file, no bot in it, or one that cannot be compiled.
    """
    try:
        found, _ = _loaded(str(path), path)
    except LookupError as error:
        raise BadInput.of(str(error)) from None
    if not found:
        raise BadInput.of("holds no bot; a bot is a function with @bot above it", file=str(path))
    return {name: bot_from_file(f"{path}:{name}")[0] for name in found}


def found_in_file(name: str, folder: Path | str = Path()) -> tuple[Bot, Path, str]:
    """The same without compiling it.

    Raises
    ------
    LookupError
        When there is no such file, or no such bot in it; the text says what there is.
    BadInput
        When the file cannot be run.
    """
    file, _, function = name.rpartition(":")
    path = Path(folder) / file
    found, digest = _loaded(name, path)
    if function not in found:
        allowed = ", ".join(found) or "none; a bot is a function with @bot above it"
        raise LookupError(f"{path} has no bot {function}; it has {allowed}{did_you_mean(function, found)}")
    return found[function], path, digest


def _loaded(name: str, path: Path) -> tuple[dict[str, Bot], str]:
    """All bots of a file, which is run for it once, and the digest of its sources; LookupError when it is not there."""
    if not path.is_file():
        raise LookupError(f"there is no file {path}")
    try:
        sources = _own_sources(path.resolve())
    except OSError as error:
        raise LookupError(f"{path} cannot be read: {error.strerror or error}") from None
    digest = _digest(sources)
    key = (str(path.resolve()), digest)
    if key not in _LOADED:
        # The machine code is kept under the digest of all sources: numba itself looks at one file only.
        kept_as = digest[:16]
        module_name = f"bots_from_{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}"
        module, _BESIDE[key] = _executed(name, str(path), sources, module_name)
        _LOADED[key] = {
            bot.name: replace(bot, kept_as=kept_as) for bot in vars(module).values() if isinstance(bot, Bot)
        }
    return _LOADED[key], digest


def sources_of(file: Path) -> tuple[dict[str, bytes], str]:
    """All that a file of bots is made of, by names relative to its folder, and its digest.

    Raises
    ------
    BadInput
        When it cannot be read.
    """
    path = file.resolve()
    try:
        sources = _own_sources(path)
    except OSError as error:
        raise BadInput.of(f"{file} cannot be read: {error.strerror or error}") from None
    return {one.relative_to(path.parent).as_posix(): text for one, text in sources.items()}, _digest(sources)


def _digest(sources: dict[Path, bytes]) -> str:
    """Sha256 (hex) of one file, or of several by their names."""
    if len(sources) == 1:
        return hashlib.sha256(next(iter(sources.values()))).hexdigest()
    folder = next(iter(sources)).parent
    digest = hashlib.sha256()
    for path in sorted(sources):
        digest.update(f"{path.relative_to(folder).as_posix()}\0{len(sources[path])}\0".encode() + sources[path])
    return digest.hexdigest()


def _own_sources(path: Path) -> dict[Path, bytes]:
    """The file and, in turn, all that is imported from its folder; itself first."""
    sources: dict[Path, bytes] = {}
    waiting = [path]
    while waiting:
        file = waiting.pop()
        if file in sources:
            continue
        sources[file] = file.read_bytes()
        with contextlib.suppress(SyntaxError, ValueError):  # the run of the file will say what is wrong
            for base, parts in _imports(ast.parse(sources[file]), file, path.parent):
                waiting += _files_of(base, parts)
    return sources


def _imports(tree: ast.Module, file: Path, folder: Path) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """What a file imports: folder to look in, and the dotted name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield folder, tuple(alias.name.split("."))
        elif isinstance(node, ast.ImportFrom):
            base = folder if node.level == 0 else file.parents[node.level - 1]
            module = tuple(node.module.split(".")) if node.module else ()
            for alias in node.names:
                yield base, (*module, alias.name)


def _files_of(base: Path, parts: tuple[str, ...]) -> list[Path]:
    """The files that importing a dotted name from a folder runs; none when it is not there."""
    found = []
    for depth in range(1, len(parts) + 1):
        place = base.joinpath(*parts[:depth])
        found += [file for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file()]
    # Beside a bot in a checkout of this project stand its own packages, which a run is known by anyway.
    return [file for file in found if not any(file.is_relative_to(package) for package in _PACKAGES)]


def _executed(
    name: str, file: str, sources: dict[Path, bytes], module_name: str
) -> tuple[ModuleType, dict[str, ModuleType]]:
    """A file as a module, and the modules that it imported from its own folder."""
    path = next(iter(sources))
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise BadInput.of(f"bot {name!r}: {file} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        with _own_folder_first(path.parent, sources) as beside:
            spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[module_name]
        if isinstance(error, BotError):
            raise bad_bot(error, file if Path(error.file) == path else None) from error
        raise BadInput.of(f"bot {name!r}: {_where(error, path, file)}{type(error).__name__}: {error}") from error
    return module, beside


@contextlib.contextmanager
def _own_folder_first(folder: Path, sources: dict[Path, bytes]) -> Iterator[dict[str, ModuleType]]:
    """Import from a folder, and leave no trace: two folders may each have a file of one name, and files are edited.

    What was imported is found afterwards in what this yields.
    """
    own = {path.relative_to(folder).parts[0].removesuffix(".py") for path in sources if path.is_relative_to(folder)}

    def taken_out() -> dict[str, ModuleType]:
        names = [module for module in sys.modules if module.partition(".")[0] in own]
        return {module: sys.modules.pop(module) for module in names}

    others = taken_out()
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    beside: dict[str, ModuleType] = {}
    try:
        yield beside
    finally:
        sys.path.remove(str(folder))
        beside.update(taken_out())
        sys.modules.update(others)


@contextlib.contextmanager
def _importable(modules: dict[str, ModuleType]) -> Iterator[None]:
    """Let modules be imported by their names for a while: machine code that is kept names those it is of."""
    others = {name: sys.modules[name] for name in modules if name in sys.modules}
    sys.modules.update(modules)
    try:
        yield
    finally:
        for name in modules:
            del sys.modules[name]
        sys.modules.update(others)


def _where(error: BaseException, path: Path, file: str) -> str:
    """`file:line: ` of the last frame of an exception that lies in the file."""
    line = None
    trace = error.__traceback__
    while trace is not None:
        if Path(trace.tb_frame.f_code.co_filename) == path:
            line = trace.tb_lineno
        trace = trace.tb_next
    if isinstance(error, SyntaxError) and error.filename == str(path):
        line = error.lineno
    return f"{file}:{line}: " if line else ""


def function_digest(function: Any) -> str:
    """Sha256 (hex) of a function's text, and of the functions and plain values of its module that it uses."""
    digest = hashlib.sha256()
    seen: set[FunctionType] = set()
    waiting = [function]
    while waiting:
        function = waiting.pop()
        if function in seen:
            continue
        seen.add(function)
        code = function.__code__
        try:
            text = inspect.getsource(function)
        except (OSError, TypeError):
            text = repr((code.co_code, code.co_consts))
        digest.update(f"{text}\0".encode())
        names = {name: function.__globals__[name] for name in code.co_names if name in function.__globals__}
        names |= {
            name: cell.cell_contents for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True)
        }
        for used, value in sorted(names.items()):
            value = getattr(value, "py_func", value)
            if isinstance(value, FunctionType):
                waiting.append(value)
            elif isinstance(value, bool | int | float | str | tuple):
                digest.update(f"{used}={value!r}\0".encode())
    return digest.hexdigest()
