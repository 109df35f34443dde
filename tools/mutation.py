"""A mutation: one file of the project with one thing in it changed, and the tests that must notice."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def no_proof() -> str:
    """For a change that is never without effect."""
    return ""


@dataclass(frozen=True, slots=True)
class Mutation:
    """`file` (as seen from the root) would read `text`; `tests` are asked in turn until one fails.

    `proof` is asked when none does: why nothing can notice the change, empty when that cannot be shown.
    """

    kind: str
    name: str
    file: str
    text: str
    tests: tuple[str, ...]
    proof: Callable[[], str] = no_proof
