"""Both real ends over a bad line in simulated time: what is seen is whole and fresh, and keys act once."""

import random
from collections.abc import Hashable
from dataclasses import replace

import pytest
from panel_line import paced_line

from drivers.contracts import KeyPressed
from drivers.displays.panel import CoupPicture, LimitRow, Notice, PanelDisplay, PanelPicture, RoadPicture
from drivers.displays.panel_link import SILENCE_MS
from drivers.displays.panel_picture import frames_of
from drivers.displays.simulated import Board, SimulatedPanel

STEP_MS = 5


def some_rows(rng: random.Random) -> tuple[LimitRow, ...]:
    return tuple(
        LimitRow(f"wager-{i}", "100", str(rng.randrange(10**5)), "12:1/20:1") for i in range(rng.choice([0, 2, 20]))
    )


def changed(picture: PanelPicture, rng: random.Random, n: int) -> PanelPicture:
    """Some of the four kinds as they were not before."""
    if rng.random() < 0.9:
        picture = replace(picture, coup=CoupPicture("dealing", 1, n, player=("TS",) * rng.randrange(4)))
    if rng.random() < 0.3:
        picture = replace(picture, road=RoadPicture(n, "B6T4" * rng.randrange(6)))
    if rng.random() < 0.2:
        picture = replace(picture, notice=Notice("info", f"เชิญ {n}"))
    return picture


def as_seen(board: Board) -> Hashable:
    kinds = (board.road, board.notice, board.coup)
    return (board.limits, *(tuple(sorted(kind.items())) for kind in kinds))


def as_meant(picture: PanelPicture) -> Hashable:
    frames = frames_of(picture)
    return (picture.limits, *(tuple(sorted(frames[kind][0])) for kind in ("ROAD", "NOTICE", "COUP")))


class Watched:
    """A controller and a panel that both restart now and then, and what somebody who looks on holds against them."""

    def __init__(self, seed: int, baud: int) -> None:
        self.rng = random.Random(seed)
        self.baud = baud
        self.ends = paced_line(baud, noise=self.rng.choice([0, 1e-5, 1e-4, 3e-4]), seed=seed)
        self.starts = 0
        self.panel = SimulatedPanel(self.ends[1], panel_id=self.an_id(), baud=baud)
        self.picture = PanelPicture(
            some_rows(self.rng), RoadPicture(1, ""), Notice("info", ""), CoupPicture("betting", 1, 0)
        )
        self.meant: dict[Hashable, int] = {}
        self.was_current_ms: dict[Hashable, int] = {}
        self.pressed: dict[str, int] = {}
        self.acted_on: list[str] = []
        self.boards = 0
        self.start_controller(0)

    def an_id(self) -> str:
        return f"{self.rng.randrange(2**32):08X}"

    def start_controller(self, now_ms: int) -> None:
        self.starts += 1
        self.display = PanelDisplay(
            self.ends[0],
            table="T",
            lang="th",
            simulated=True,
            start_id=self.an_id(),
            first_board=self.starts * 10**6,
            baud=self.baud,
        )
        self.display.show(self.picture, now_ms)

    def run(self, length_ms: int) -> None:
        restarts = {self.rng.randrange(length_ms // STEP_MS) for _ in range(self.rng.randrange(7))}
        pace_ms = self.rng.choice([50, 300, 1000])
        for step in range(length_ms // STEP_MS):
            now_ms = step * STEP_MS
            if step in restarts:
                self.restart(now_ms)
            if self.rng.random() < STEP_MS / pace_ms:
                self.picture = changed(self.picture, self.rng, step)
                self.display.show(self.picture, now_ms)
            if self.rng.random() < STEP_MS / 400 and self.panel.press(f"key-{step}"):
                assert self.panel.shown is not None
                self.pressed[f"key-{step}"] = self.panel.shown.board
            self.was_current_ms[as_meant(self.picture)] = now_ms
            self.turn(now_ms)

    def turn(self, now_ms: int) -> None:
        for report in self.display.poll(now_ms):
            if isinstance(report, KeyPressed):
                assert self.pressed[report.name] == report.board
                self.acted_on.append(report.name)
        self.boards += len(self.panel.poll(now_ms))
        if self.panel.shown is not None:
            seen = as_seen(self.panel.shown)
            assert seen in self.was_current_ms, f"a mixed picture at {now_ms} ms"
            assert now_ms - self.was_current_ms[seen] <= SILENCE_MS, f"an old picture, uncovered, at {now_ms} ms"

    def restart(self, now_ms: int) -> None:
        if self.rng.random() < 0.5:
            self.ends[0].cut(now_ms)
            self.start_controller(now_ms)
        else:
            self.ends[1].cut(now_ms)
            self.panel.restart(self.an_id(), now_ms)


@pytest.mark.parametrize("seed", range(30))
def test_nothing_mixed_nothing_old_no_key_twice(seed: int) -> None:
    watch_a_line(seed, 10_000)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1000, 1300))
def test_nothing_mixed_nothing_old_no_key_twice_in_a_minute(seed: int) -> None:
    watch_a_line(seed, 60_000)


def watch_a_line(seed: int, length_ms: int) -> None:
    watched = Watched(seed, (9600, 115200)[seed % 2])
    watched.run(length_ms)
    assert watched.boards, "the panel showed something"
    assert len(watched.acted_on) == len(set(watched.acted_on)), "a key acted on twice"
