"""Runs every check in turn; the first that fails ends it. Called by tools/test."""

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tools.option_parser import OptionParser

ROOT = Path(__file__).resolve().parent.parent
PYTHON = sys.executable
BIN = Path(PYTHON).parent

CHECKS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("format", (PYTHON, "-m", "ruff", "format", "--check", "--quiet", ".")),
    ("lint", (PYTHON, "-m", "ruff", "check", "--quiet", ".")),
    ("types", (PYTHON, "-m", "mypy", "--no-error-summary")),
    ("import arrows", (str(BIN / "lint-imports"),)),
)
COVERAGE = (("combine", "--quiet"), ("report",))
WORKERS = str(1 + (os.cpu_count() or 1))
"""One more than there are cores: many tests wait for another process."""


def main(arguments: Sequence[str]) -> int:
    """Exit codes: 0 everything holds, 1 a check failed, 2 the tests could not run."""
    options, _ = _parser().parse_known_args(arguments)
    paths = [argument for argument in arguments if argument != "--long"]
    for name, command in CHECKS if not paths else ():
        if _run(name, command):
            return 1
    marked = ["-m", "long or not long"] if options.long else ["-m", "not long"]
    pytest = [PYTHON, "-m", "coverage", "run", "-m", "pytest", *marked, "-n", WORKERS, "--dist", "worksteal", *paths]
    if code := _run("tests", pytest):
        return min(code, 2)
    if paths:
        return 0
    reported = not any(_run("coverage", (PYTHON, "-m", "coverage", *words)) for words in COVERAGE)
    return 0 if reported else 1


def _parser() -> argparse.ArgumentParser:
    parser = OptionParser(
        prog="tools/test",
        description="Format, lint, types, import arrows, all tests, coverage: the first that fails ends it.",
        epilog="Other options are for pytest. Examples: tools/test; tools/test tests/rules; tools/test -x tests/game",
        allow_abbrev=False,
    )
    parser.add_argument("--long", action="store_true", help="the same tests with bigger numbers")
    parser.add_argument("paths", nargs="*", metavar="PATH", help="only these tests, and no coverage floor")
    return parser


def _run(name: str, command: Sequence[str]) -> int:
    print(f"== {name}", flush=True)
    code = subprocess.run(command, cwd=ROOT, check=False).returncode
    if code:
        print(f"== {name} failed", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
