"""Runs every check in turn; the first that fails ends it. Called by tools/test."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = sys.executable
BIN = Path(PYTHON).parent

CHECKS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("format", (PYTHON, "-m", "ruff", "format", "--check", "--quiet", ".")),
    ("lint", (PYTHON, "-m", "ruff", "check", "--quiet", ".")),
    ("types", (PYTHON, "-m", "mypy", "--no-error-summary")),
    ("import arrows", (str(BIN / "lint-imports"),)),
)
WORKERS = str(max(2, os.cpu_count() or 2))


def main(arguments: Sequence[str]) -> int:
    """Returns the exit code of the first check that failed, 0 when none did."""
    long = "--long" in arguments
    paths = [argument for argument in arguments if argument != "--long"]
    for name, command in CHECKS if not paths else ():
        if code := _run(name, command):
            return code
    marked = ["-m", "long or not long"] if long else ["-m", "not long"]
    pytest = [PYTHON, "-m", "coverage", "run", "-m", "pytest", *marked, "-n", WORKERS, "--dist", "worksteal", *paths]
    if code := _run("tests", pytest):
        return code
    if paths:
        return 0
    return _run("coverage", (PYTHON, "-m", "coverage", "combine", "--quiet")) or _run(
        "coverage", (PYTHON, "-m", "coverage", "report")
    )


def _run(name: str, command: Sequence[str]) -> int:
    print(f"== {name}", flush=True)
    code = subprocess.run(command, cwd=ROOT, check=False).returncode
    if code:
        print(f"== {name} failed", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
