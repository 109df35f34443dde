"""Which serial ports this machine has, and which program holds one."""

import glob
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from drivers.escape import escaped

BY_ID = Path("/dev/serial/by-id")
PROCESSES = Path("/proc")
MOST_HOLDERS = 4


@dataclass(frozen=True, slots=True)
class PortFound:
    """A port that is plugged in; every text is one escaped line, "" where nothing is known."""

    device: str
    by_id: str
    description: str
    held_by: str


def ports_found(described: Mapping[str, str], by_id: Path = BY_ID, processes: Path = PROCESSES) -> list[PortFound]:
    """All ports, by device name. `described` is what pyserial knew of: device -> description."""
    links = _links(by_id)
    devices = {*described, *links, *glob.glob("/dev/ttyUSB*"), *glob.glob("/dev/ttyACM*")}
    return [
        PortFound(
            device=escaped(device),
            by_id=escaped(links.get(device, "")),
            description=escaped(described.get(device, "")),
            held_by=held_by(device, processes),
        )
        for device in sorted(devices)
    ]


def held_by(path: str, processes: Path = PROCESSES) -> str:
    """The programs that have `path` open, such as "screen (pid 812)"; of other users' programs only root sees any."""
    device = os.path.realpath(path)
    holders = [pid for pid in _numbers(processes) if device in _open_files(processes / pid / "fd")]
    return ", ".join(f"{_program(processes / pid)} (pid {pid})" for pid in holders[:MOST_HOLDERS])


def _links(folder: Path) -> dict[str, str]:
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return {}
    return {os.path.realpath(folder / name): str(folder / name) for name in names}


def _numbers(processes: Path) -> list[str]:
    try:
        return sorted((name for name in os.listdir(processes) if name.isdigit()), key=int)
    except OSError:
        return []


def _open_files(folder: Path) -> set[str]:
    """Where the descriptors of one process lead; nothing of a process that is gone or not ours to look at."""
    try:
        numbers = os.listdir(folder)
    except OSError:
        return set()
    return {_target(folder / number) for number in numbers}


def _target(link: Path) -> str:
    try:
        return os.readlink(link)
    except OSError:
        return ""  # closed since it was listed


def _program(process: Path) -> str:
    try:
        return escaped((process / "comm").read_text(errors="replace").rstrip("\n"), 32)
    except OSError:
        return "a program"
