"""Coups a second of a simulation with the three main wagers, beside the obvious loop over plain ints."""

import random
import resource
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from controller.lab.simulate_count import Game
from controller.lab.simulate_shoe import ShoeRule, usual_shoe
from controller.lab.simulate_workers import tallied
from tools.bench_figures import Figure
from tools.bench_table import rules

ROUNDS = 5
ARRAY_COUPS, GAME_COUPS, OBVIOUS_COUPS = 8_000_000, 20_000, 200_000
JOBS = (1, 2)
SHOE: ShoeRule = usual_shoe(8)
PAGE = resource.getpagesize()


def measure(percent: int) -> list[Figure]:
    """With arrays, without them, by several processes, and memory over the longest of these."""
    arrays, by_game = (Game(SHOE, rules().paytable.wagers, 1, in_arrays) for in_arrays in (True, False))
    rates: list[list[float]] = [[], [], []]
    for _ in range(ROUNDS):
        for found, work, coups in zip(
            rates,
            (_seconds(arrays), _seconds(by_game), _obvious_seconds),
            (ARRAY_COUPS, GAME_COUPS, OBVIOUS_COUPS),
            strict=True,
        ):
            asked = max(2_000, coups * percent // 100)
            found.append(asked / work(asked))
    with_lab, without, obvious = (sorted(found)[ROUNDS // 2] for found in rates)
    return [
        Figure("simulate, lab", with_lab, obvious, "coups/s", with_lab / obvious, least=10),
        Figure("simulate, no lab", without, obvious, "coups/s", without / obvious, least=0.1),
        _by_jobs(arrays, percent),
        _memory(arrays, percent),
    ]


def _seconds(game: Game) -> Callable[[int], float]:
    return lambda coups: _dealt(game, coups, 1)


def _dealt(game: Game, coups: int, jobs: int) -> float:
    """Seconds from the first block done, when every worker runs, to so many coups more."""
    with closing(tallied(game, coups, jobs)) as work:
        for _ in range(jobs + 1):
            next(work)
        began, dealt = time.perf_counter(), 0
        while dealt < coups:
            dealt += next(work)[1].coups
        return (time.perf_counter() - began) * coups / dealt


def _by_jobs(game: Game, percent: int) -> Figure:
    coups = max(20_000, ARRAY_COUPS * percent // 100)
    one, more = (max(coups / _dealt(game, coups, jobs) for _ in range(2)) for jobs in JOBS)
    return Figure(f"simulate, {JOBS[1]} jobs", more, one, "coups/s", more / one, note="bare: one process")


def _memory(game: Game, percent: int) -> Figure:
    coups = max(200_000, ARRAY_COUPS * percent // 100)
    _dealt(game, coups // 2, 1)
    early = _resident_mb()
    _dealt(game, coups, 1)
    late = _resident_mb()
    return Figure("simulate, memory", late, early, "MB", late / early, most=1.05, note=f"over {coups:,} coups")


def _resident_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE / 1e6


def _obvious_seconds(coups: int) -> float:
    """A shuffled list of values, ifs for the rule, three wagers of 100; no burn, and no cut card."""
    began, dealt, seed = time.perf_counter(), 0, 0
    while dealt < coups:
        cards = [min(rank, 10) % 10 for rank in range(1, 14)] * 32
        random.Random(seed).shuffle(cards)
        seed, at, paid = seed + 1, 0, 0
        while at < len(cards) - 6 and dealt < coups:
            at, outcome = _obvious_coup(cards, at)
            if outcome > 0:
                paid += 200
            elif outcome < 0:
                paid += 195
            else:
                paid += 100 + 100 + 900
            dealt += 1
    return time.perf_counter() - began


def _obvious_coup(cards: list[int], at: int) -> tuple[int, int]:
    player, banker = (cards[at] + cards[at + 2]) % 10, (cards[at + 1] + cards[at + 3]) % 10
    at += 4
    if player < 8 and banker < 8:
        if player < 6:
            third = cards[at]
            player = (player + third) % 10
            at += 1
            draws = (
                banker < 3
                or (banker == 3 and third != 8)
                or (banker == 4 and 2 <= third <= 7)
                or (banker == 5 and 4 <= third <= 7)
                or (banker == 6 and 6 <= third <= 7)
            )
        else:
            draws = banker < 6
        if draws:
            banker = (banker + cards[at]) % 10
            at += 1
    return at, player - banker
