"""The house: who may import whom, what kernels must not use, and where their machine code is kept."""

from __future__ import annotations

import ast
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import kernels
from kernels import jit

ROOT = Path(__file__).parents[1]
IN_KERNELS = {"kernels", "numpy", "numba", *sys.stdlib_module_names}


def sources(*folders: str) -> list[Path]:
    """All Python files in folders of the repository."""
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def imported(path: Path) -> Iterator[tuple[str, int]]:
    """Top-level packages that a file imports, anywhere in it, with their lines."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name.split(".")[0], node.lineno
        elif isinstance(node, ast.ImportFrom):
            package = (node.module or "").split(".")[0]
            yield (path.relative_to(ROOT).parts[0] if node.level else package), node.lineno


def breaches(files: list[Path], allowed) -> list[str]:
    """Imports that are not allowed, as file:line: package."""
    return [
        f"{path.relative_to(ROOT)}:{line}: {package}"
        for path in files
        for package, line in imported(path)
        if not allowed(package)
    ]


def test_architecture__kernels_import_numbers_only():
    files = sources("kernels")
    assert len(files) > 10
    assert breaches(files, IN_KERNELS.__contains__) == []


def test_architecture__sim_stands_on_kernels_and_not_on_tests():
    files = sources("sim")
    assert any(package == "kernels" for path in files for package, _ in imported(path))
    assert breaches(files, lambda package: package != "tests") == []


def test_architecture__the_oracle_shares_nothing_with_what_it_judges():
    files = sources("tests/reference")
    assert breaches(files, lambda package: package not in {"sim", "kernels", "numpy", "numba", "scipy"}) == []


def test_architecture__a_breach_is_seen(tmp_path, monkeypatch):
    (tmp_path / "kernels").mkdir()
    bad = tmp_path / "kernels" / "bad.py"
    bad.write_text("import os\ndef late():\n    from sim.config import tree\n")
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    assert breaches([bad], IN_KERNELS.__contains__) == ["kernels/bad.py:3: sim"]


def test_architecture__kernels_use_no_traps():
    """No parallel loops (they drop writes into records), no relaxed floats, no compiled classes (never cached)."""
    found = []
    for path in sources("kernels"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = getattr(node, "id", getattr(node, "attr", getattr(node, "arg", None)))
            if name in {"parallel", "fastmath", "prange", "jitclass", "objmode", "inline"}:
                found.append(f"{path.relative_to(ROOT)}:{node.lineno}: {name}")
    assert found == []


def test_architecture__one_module_makes_streams_of_words():
    """uint64 arithmetic stays in kernels/random.py; elsewhere uint64 is what an index is cast to."""
    found = []
    for path in sources("kernels"):
        if path.name == "random.py":
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        indices = {id(inner) for node in ast.walk(tree) if isinstance(node, ast.Subscript) for inner in ast.walk(node)}
        aliases = {
            id(inner)
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
            for inner in ast.walk(node)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr == "uint64" and id(node) not in indices | aliases:
                found.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert found == []


# -- the machine code's folder ---------------------------------------------------------------------------------------


def copy_of_kernels(folder: Path):
    """Another copy of the package `kernels`, as a module that knows only its own sources."""
    spec = importlib.util.spec_from_file_location("other_kernels", folder / "__init__.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_architecture__an_edit_in_any_kernel_source_changes_the_fingerprint(tmp_path):
    folder = tmp_path / "kernels"
    shutil.copytree(ROOT / "kernels", folder, ignore=shutil.ignore_patterns("__pycache__"))
    digest = copy_of_kernels(folder).source_digest()
    assert digest == kernels.source_digest()
    assert copy_of_kernels(folder).fingerprint() == kernels.fingerprint()
    for path in sorted(folder.rglob("*.py")):
        text = path.read_bytes()
        path.write_bytes(text + b"\n")
        assert copy_of_kernels(folder).source_digest() != digest, path
        assert copy_of_kernels(folder).fingerprint() != kernels.fingerprint(), path
        path.write_bytes(text)
        moved = path.with_name("moved_" + path.name)
        if path.name != "__init__.py":
            path.rename(moved)
            assert copy_of_kernels(folder).source_digest() != digest, path
            moved.rename(path)
    (folder / "new.py").write_text("")
    assert copy_of_kernels(folder).source_digest() != digest


def test_architecture__options_that_change_machine_code_change_the_fingerprint(monkeypatch):
    for name in ("NUMBA_BOUNDSCHECK", "NUMBA_OPT", "NUMBA_CPU_NAME"):
        with monkeypatch.context() as patch:
            patch.setenv(name, "other")
            assert copy_of_kernels(ROOT / "kernels").fingerprint() != kernels.fingerprint()


@pytest.mark.skipif(jit.PLAIN, reason="plain kernels have no machine code")
def test_architecture__machine_code_is_kept_in_a_folder_named_by_the_fingerprint():
    import numba

    assert jit.CACHE_FOLDER is not None
    assert jit.CACHE_FOLDER.name == kernels.fingerprint()
    assert str(jit.CACHE_FOLDER) == numba.config.CACHE_DIR
    from kernels.dispatch import batch

    assert batch.replay_orders.signatures
    assert list(jit.CACHE_FOLDER.rglob("*.nbi"))


def test_architecture__old_folders_are_dropped(tmp_path):
    folders = [tmp_path / f"kernel{i}" for i in range(jit.KEPT_FOLDERS + 3)]
    for age, folder in enumerate(folders):
        folder.mkdir()
        os.utime(folder, (10**9 - age, 10**9 - age))
    current = folders[-1]
    jit._drop_old(tmp_path, current)
    assert set(tmp_path.iterdir()) == {*folders[: jit.KEPT_FOLDERS], current}


ANYWHERE = """
from numba import int64
from kernels import jit
@jit.entry(int64(int64, int64))
def add(a, b):
    return a + b
assert add(2, 3) == 5
print(jit.CACHE_FOLDER)
"""
NOWHERE = "import tempfile; tempfile.tempdir = '/dev/null/nowhere'\n"


def in_new_process(code: str, folder: Path, **environment: str) -> str:
    """Standard output of a program, which stands in a file (nothing else is cached); warnings are errors in it too."""
    program = folder / "program.py"
    program.write_text(f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{code}")
    kept = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA_")}
    done = subprocess.run(
        [sys.executable, "-W", "error", str(program)],
        env={**kept, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_architecture__a_cache_folder_may_be_chosen(tmp_path):
    folder = Path(in_new_process(ANYWHERE, tmp_path, DISPATCH_BALANCE_CACHE=str(tmp_path)))
    assert tmp_path in folder.parents


def test_architecture__an_unwritable_cache_falls_back(tmp_path):
    (tmp_path / "file").write_text("")
    unusable = str(tmp_path / "file" / "cache")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    folder = in_new_process(ANYWHERE, tmp_path, DISPATCH_BALANCE_CACHE=unusable, TMPDIR=str(temporary))
    assert temporary in Path(folder).parents
    assert in_new_process(NOWHERE + ANYWHERE, tmp_path, DISPATCH_BALANCE_CACHE=unusable) == "None"


def test_architecture__plain_kernels_need_no_folder(tmp_path):
    folder = in_new_process(ANYWHERE, tmp_path, DISPATCH_BALANCE_CACHE=str(tmp_path / "unused"), NUMBA_DISABLE_JIT="1")
    assert folder == "None"
    assert not (tmp_path / "unused").exists()


PLUG_IN = """
import sys
from numba import njit
from kernels.dispatch.bots.decorator import bot
from kernels.dispatch.layout import new_rules, new_state
from kernels.random import new_streams
import advice
@bot()
def pupil(rules, state, c, params, stream):
    return advice.order()
import numpy as np
print(pupil.compiled(new_rules()[0], new_state()[0], np.int64(0), pupil.array({}), new_streams(1)[0]))
"""


def test_architecture__a_plug_in_follows_an_edit_of_the_file_that_it_imports(tmp_path):
    """numba's cache would not: it looks at the bot's own file only."""
    for answer in ("1", "2"):
        (tmp_path / "advice.py").write_text(f"from numba import njit\n@njit\ndef order():\n    return {answer}\n")
        options = {"DISPATCH_BALANCE_CACHE": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
        found = in_new_process(PLUG_IN, tmp_path, **options)
        assert found == answer


def test_architecture__a_bot_needs_no_file():
    """As in an interactive session."""
    from kernels.dispatch.bots.decorator import bot

    found: dict[str, object] = {}
    exec("def typed(rules, state, c, params, stream):\n    return 3\n", found)
    assert bot()(found["typed"]).compiled is not None


MULTIPLIES = """
import numpy as np
from kernels.dispatch.bots import bot
from kernels.dispatch.layout import new_rules, new_state
from kernels.random import new_streams
@bot
def pupil(rules, state, c, params, stream):
    both = np.full((2, 2), 1.5)
    return np.int64(np.dot(both, both)[0, 0] + np.vdot(both[0], both[1]) + np.linalg.det(both))
print(pupil.compiled(new_rules()[0], new_state()[0], np.int64(0), pupil.array({}), new_streams(1)[0]))
"""


@pytest.mark.compiled
def test_architecture__a_bot_may_multiply_matrices(tmp_path):
    assert in_new_process(MULTIPLIES, tmp_path) == "9"


PLANS = """
import sys
from sim.studies.sweep_plan import make_sweep_plan
make_sweep_plan({file!r})
heavy = ("dask", "matplotlib", "networkx", "pandas", "pyarrow", "scipy.special", "typer")
print([name for name in heavy if name in sys.modules])
"""


@pytest.mark.compiled
def test_architecture__a_sweep_is_planned_without_what_only_its_figures_need(tmp_path):
    """Each takes a twentieth of a second or more, which nobody would have to wait for before the first match."""
    assert in_new_process(PLANS.format(file=str(ROOT / "configs" / "sweeps" / "costs.yaml")), tmp_path) == "[]"
