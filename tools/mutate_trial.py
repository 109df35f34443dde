"""Tries mutations, each in a copy of the project and a process of its own; the real files are never touched."""

import os
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from enum import Enum
from importlib import import_module
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from tools.mutation import ROOT, Mutation

PARTS = ("controller", "drivers", "tools", "tests", "config", "pyproject.toml")
HALF_WRITTEN = shutil.ignore_patterns("*.pyc.*")
"""What Python compiles elsewhere meanwhile: such a file is renamed before it can be copied."""
LONGEST_CPU_S = 300
"""A mutation that never ends is noticed by then: counted is the work of the trial, so that a busy machine decides
nothing."""
LONGEST_S = 3600
"""Of a trial that waits and does not work: it says nothing."""
_PASSED, _FAILED, _NOT_COLLECTED, _NOT_OURS = 0, 1, 2, 99
"""As pytest ends. All other ends (none found, wrong words) say nothing of the mutation."""
_WARM = ("pytest", "transitions", "pydantic", "yaml")
_WARM_FOR_FILES = ("controller.host.config", "controller.game.odds")
"""Where no Python file is changed, the program may be loaded before."""


class Verdict(Enum):
    """What became of a mutation: a test failed; no test could even be loaded; nothing can notice it; nothing did."""

    FOUND = "found"
    REFUSED = "refused"
    EQUIVALENT = "equivalent"
    MISSED = "MISSED"


class CannotTry(Exception):
    """Tests that fail without any mutation, or that did not run."""


class Trial(NamedTuple):
    """`proof` goes with EQUIVALENT."""

    mutation: Mutation
    verdict: Verdict
    proof: str = ""


def tried(mutations: Sequence[Mutation], jobs: int) -> Iterator[Trial]:
    """Every mutation with its verdict, in order, as it is known. Raises CannotTry."""
    with (
        tempfile.TemporaryDirectory(prefix="punto-mutate-") as folder,
        ProcessPoolExecutor(jobs, get_context("fork"), initializer=_settle, initargs=(folder,)) as pool,
    ):
        yield from pool.map(_trial, mutations)


_here: list[Path] = []
"""A worker's own copy."""
_ages = count(1)
"""Seconds since 1970 of each changed file: Python takes two of one size and second for one, and what it compiled."""
_sound: set[str] = set()
"""Tests that this worker saw pass with nothing changed."""


def _settle(folder: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    copy = _copy(Path(folder) / str(os.getpid()))
    _here[:] = [copy]
    _forget_program()
    sys.path[:] = [str(copy), *(path for path in sys.path if Path(path or ".").resolve() != ROOT)]
    for name in (*_WARM, *_WARM_FOR_FILES):
        import_module(name)


def _forget_program() -> None:
    """So that it is loaded from the copy, its tests too, by whatever name; this tool itself stays as it is."""
    ours = tuple(f"{ROOT / part}{os.sep}" for part in ("controller", "drivers", "tests"))
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] in ("controller", "drivers", "tests") or _file_of(module).startswith(ours):
            del sys.modules[name]


def _file_of(module: ModuleType) -> str:
    return getattr(module, "__file__", None) or ""


def _copy(folder: Path) -> Path:
    folder.mkdir()
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, folder / part, ignore=HALF_WRITTEN)
        else:
            shutil.copy2(ROOT / part, folder / part)
    return folder


def _trial(mutation: Mutation) -> Trial:
    for test in mutation.tests:
        code = _changed(mutation, test)
        if code != _PASSED:
            _check_sound(test)
            return Trial(mutation, Verdict.REFUSED if code == _NOT_COLLECTED else Verdict.FOUND)
    proof = mutation.proof()
    return Trial(mutation, Verdict.EQUIVALENT if proof else Verdict.MISSED, proof)


def _changed(mutation: Mutation, test: str) -> int:
    """How the test ends with the file as the mutation has it."""
    path = _here[0] / mutation.file
    original, times = path.read_bytes(), path.stat()
    path.write_text(mutation.text, encoding="utf-8")
    age = next(_ages)
    os.utime(path, (age, age))
    try:
        return _run_apart(test, loaded=path.suffix != ".py")
    finally:
        path.write_bytes(original)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def _check_sound(test: str) -> None:
    """A test that fails anyway has found nothing."""
    if test not in _sound and _run_apart(test, loaded=False) != _PASSED:
        raise CannotTry(f"{test} must pass before anything is changed: {_told()}")
    _sound.add(test)


def _told() -> str:
    """The end of what the last tests printed."""
    return (_here[0] / "told").read_text(encoding="utf-8")[-2000:]


def _run_apart(test: str, *, loaded: bool) -> int:
    """A test in a child process that sees only this worker's copy; `loaded`: with the program as it is loaded."""
    child = os.fork()
    if child == 0:
        code = _NOT_OURS
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (LONGEST_CPU_S, LONGEST_CPU_S + 10))
            signal.alarm(LONGEST_S)
            code = _run_here(_here[0], test, loaded)
        finally:
            if sys.exc_info()[1] is not None:
                traceback.print_exc()
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) != signal.SIGXCPU:
        raise CannotTry(f"{test} was ended by signal {os.WTERMSIG(status)}: {_told()}")
    code = _FAILED if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    if code not in (_PASSED, _FAILED, _NOT_COLLECTED):
        raise CannotTry(f"{test} could not be run: {_told()}")
    return code


def _run_here(copy: Path, test: str, loaded: bool) -> int:
    os.chdir(copy)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # the plugins take longer than the test
    with open("told", "w") as told:
        os.dup2(told.fileno(), 1)
        os.dup2(told.fileno(), 2)
    if not loaded:
        _forget_program()
        sys.path[:] = [str(copy), *(path for path in sys.path if Path(path or ".").resolve() != ROOT)]
    import pytest

    path, _, name = test.partition("::")
    only = ("-k", name) if name else ()  # not as one word: then pytest would take a file that fails to load for none
    code = int(pytest.main(["-x", "-p", "no:cacheprovider", path, *only]))
    program = sys.modules.get("controller")
    if program is not None and Path(str(program.__file__)).parent.parent != copy:
        return _NOT_OURS
    return code
