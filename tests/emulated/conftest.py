"""The rig as a fixture."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.emulated.rig import Begin, Rig


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    """Sets up a rig; what is left of it is cleared away after the test."""
    rigs: list[Rig] = []

    def make(*arguments: object, **options: object) -> Rig:
        rigs.append(Rig(tmp_path, *arguments, **options))
        return rigs[-1]

    yield make
    for rig in rigs:
        rig.close()
