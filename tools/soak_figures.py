"""What a program holds of the machine, as /proc tells it, and whether that grows."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

SLACK_KB = 1_024
"""What an allocator may keep or give back from one measurement to the next."""


@dataclass(frozen=True, slots=True)
class Held:
    """One measurement of one program, after so many coups: memory in kB, descriptors, threads."""

    coups: int
    memory_kb: int
    descriptors: int
    threads: int


def held(process_id: int, coups: int) -> Held:
    """Raises OSError when the program is gone."""
    folder = Path(f"/proc/{process_id}")
    lines = (line.split() for line in (folder / "status").read_text().splitlines())
    fields = {words[0]: words[1] for words in lines if len(words) > 1}
    descriptors = len(list((folder / "fd").iterdir()))
    return Held(coups, int(fields["VmRSS:"]), descriptors, int(fields["Threads:"]))


def growth(measured: Sequence[Held]) -> list[str]:
    """What grew between the second quarter of the run and its end, one line each; the first quarter warms up.

    Needs at least four measurements. Memory: the median of the last quarter against that of the second.
    """
    quarter = len(measured) // 4
    early, late = measured[quarter : 2 * quarter], measured[-quarter:]
    grew = []
    before, after = _median([each.memory_kb for each in early]), _median([each.memory_kb for each in late])
    if after > before + max(SLACK_KB, before // 50):
        grew.append(f"memory grew from {before} to {after} kB")
    for name in ("descriptors", "threads"):
        most, now = max(getattr(each, name) for each in early), max(getattr(each, name) for each in late)
        if now > most:
            grew.append(f"{name} grew from {most} to {now}")
    return grew


def _median(numbers: Sequence[int]) -> int:
    return sorted(numbers)[len(numbers) // 2]
