"""The soak can fail: what grows is told, what only swings is not."""

import os
from collections.abc import Sequence

from tools.soak_figures import Held, growth, held


def measured(memory_kb: Sequence[int], descriptors: int = 12, last: int = 12) -> list[Held]:
    made = [Held(number * 100, memory, descriptors, 2) for number, memory in enumerate(memory_kb)]
    return [*made[:-1], Held(made[-1].coups, made[-1].memory_kb, last, 2)]


def test_flat_is_flat_also_after_a_warm_up_and_with_swings() -> None:
    assert growth(measured([20_000, 30_000, 39_000] + [40_000, 40_300, 39_900] * 10)) == []


def test_a_kilobyte_a_coup_is_told() -> None:
    assert growth(measured([40_000 + 100 * number for number in range(100)])) == ["memory grew from 43700 to 48700 kB"]


def test_a_descriptor_that_stays_open_is_told() -> None:
    assert growth(measured([40_000] * 100, last=13)) == ["descriptors grew from 12 to 13"]


def test_what_this_very_process_holds_can_be_read() -> None:
    before = held(os.getpid(), 0)
    readable, writable = os.pipe()
    after = held(os.getpid(), 1)
    os.close(readable)
    os.close(writable)
    assert before.memory_kb > 1_000
    assert before.threads >= 1
    assert after.descriptors == before.descriptors + 2
