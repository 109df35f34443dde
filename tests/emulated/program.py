"""The program `punto` as a child process, started quickly: forked from a server that has imported it already.

What runs is the program's own `main` with the words of a command line; only the importing was done before.
"""

import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

PATIENCE_S = 60
"""More than anything here takes on a busy machine; a test that waits so long has failed."""

_SERVER = multiprocessing.get_context("forkserver")
_SERVER.set_forkserver_preload(
    [
        "controller.cli",
        "controller.ctl",
        "controller.host.startup",
        "controller.lab.deal",
        "controller.lab.verify",
        "controller.lab.watching",
        "tests.emulated.program",
        "tests.emulated.warm",
    ]
)


@dataclass(frozen=True, slots=True)
class Ended:
    """What became of a command."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """What it printed."""
        return self.out.splitlines()

    @property
    def complaint(self) -> str:
        """The one line on stderr."""
        (line,) = self.err.splitlines()
        return line


class Program:
    """One running `punto`; its stderr and stdout are files."""

    def __init__(
        self,
        folder: Path,
        *words: object,
        stdin: bytes | Path | None = None,
        environment: Mapping[str, str] | None = None,
        before: Callable[[], None] | None = None,
    ) -> None:
        """`before` is called in the child first; it must be importable by its name."""
        number = len(list(folder.glob("*.err")))
        self.err_file, self.out_file = folder / f"{number}.err", folder / f"{number}.out"
        self.err_file.touch()
        self.out_file.touch()
        if isinstance(stdin, bytes):
            in_file = folder / f"{number}.in"
            in_file.write_bytes(stdin)
            stdin = in_file
        files = (str(stdin or os.devnull), str(self.out_file), str(self.err_file))
        is_traced = sys.gettrace() is not None
        arguments = ([str(word) for word in words], files, dict(environment or {}), before, is_traced)
        self.process = _SERVER.Process(target=_run, args=arguments)
        self.process.start()

    @property
    def pid(self) -> int:
        assert self.process.pid is not None
        return self.process.pid

    @property
    def is_running(self) -> bool:
        return self.process.is_alive()

    def wait(self, patience_s: float = PATIENCE_S) -> Ended:
        """Its end. Whatever happened, it never shows a trace-back."""
        self.process.join(patience_s)
        assert self.process.exitcode is not None, f"still running: {self.err}"
        assert "Traceback" not in self.err, self.err
        return Ended(self.process.exitcode, self.out_file.read_text(), self.err)

    @property
    def err(self) -> str:
        return self.err_file.read_text()

    def says(self, text: str) -> str:
        """Wait for a line on stderr that has `text` in it."""

        def line() -> str:
            found = [line for line in self.err.splitlines(keepends=True) if text in line and line.endswith("\n")]
            assert found or self.is_running, f"ended without saying {text!r}: {self.err}"
            return found[0].rstrip("\n") if found else ""

        return until(line)

    def signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def kill(self) -> None:
        """As the power would: at once."""
        self.process.kill()
        self.process.join(PATIENCE_S)


def punto(
    folder: Path, *words: object, stdin: bytes | None = None, environment: Mapping[str, str] | None = None
) -> Ended:
    """Run one command to its end."""
    return Program(folder, *words, stdin=stdin, environment=environment).wait()


def _run(
    words: list[str],
    files: tuple[str, str, str],
    environment: dict[str, str],
    before: Callable[[], None] | None,
    is_traced: bool,
) -> None:
    coverage = _coverage()
    if coverage is not None and not is_traced:
        coverage.stop()
    modes = (os.O_RDONLY, os.O_WRONLY | os.O_APPEND, os.O_WRONLY | os.O_APPEND)
    for target, (file, mode) in enumerate(zip(files, modes, strict=True)):
        opened = os.open(file, mode)
        os.dup2(opened, target)
        os.close(opened)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", buffering=1, closefd=False)  # noqa: SIM115
    os.environ.update(environment)
    if before is not None:
        before()
    from controller.cli import main

    try:
        code: str | int | None = main(words)
    except SystemExit as ended:
        code = ended.code
    sys.stdout.flush()
    if coverage is not None and is_traced:
        _save(coverage)
    sys.exit(code)


def _coverage() -> Any:
    """What traces this process, if it is traced."""
    module = sys.modules.get("coverage")
    return module.Coverage.current() if module is not None else None


def _save(coverage: Any) -> None:
    """A forked process ends without its exit handlers, so what was covered is kept here, by whoever may write there."""
    coverage.stop()
    if os.access(Path(str(coverage.get_option("run:data_file"))).absolute().parent, os.W_OK):
        coverage.save()


def until(found: Callable[[], T | None], patience_s: float = PATIENCE_S) -> T:
    """The first true answer of `found`, asked again and again."""
    give_up = time.monotonic() + patience_s
    while not (answer := found()):
        assert time.monotonic() < give_up, f"never came: {found}"
        time.sleep(0.005)
    return answer
