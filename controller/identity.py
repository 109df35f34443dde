"""What program this is: its version and the hashes of what decides money."""

import hashlib
from functools import cache
from pathlib import Path

import controller
import drivers
from controller.game import tableau
from controller.table import machine


def identity() -> dict[str, str]:
    """The version, SHA-256 (hex) of the tableau, of the transition rows and of every installed file of the program."""
    return {
        "version": controller.__version__,
        "tableau": tableau.identity(),
        "transitions": machine.identity(),
        "files": files_identity(),
    }


@cache
def files_identity() -> str:
    """SHA-256 over path and content of each Python file, in the order of their paths; as they were when first asked."""
    digest = hashlib.sha256()
    for package in (controller, drivers):
        root = Path(str(package.__file__)).parent
        for path in sorted(root.rglob("*.py")):
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            digest.update(f"{root.name}/{path.relative_to(root).as_posix()} {content}\n".encode())
    return digest.hexdigest()
