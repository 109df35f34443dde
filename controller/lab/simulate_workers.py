"""Blocks of shoes, tallied by one process or by several, always in the order of the shoes."""

import os
import signal
import threading
from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from itertools import islice
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait

from controller.lab.simulate_count import Game, Tally, tally

_MOST_IN_ARRAYS, _MOST_BY_GAME = 4096, 16
_BLOCKS_A_JOB = 8
_AHEAD = 2
"""Blocks that wait for each worker, so that none is idle and memory stays flat."""
_COUPS_A_DECK = 10


def blocks(game: Game, coups: int, jobs: int) -> Iterator[range]:
    """Shoes from 0 on without end, small blocks first: how a run converges shows from its first shoe."""
    most = _MOST_IN_ARRAYS if game.in_arrays else _MOST_BY_GAME
    most = max(1, min(most, coups // (_COUPS_A_DECK * game.rule.decks * _BLOCKS_A_JOB * jobs)))
    first = 0
    while True:
        size = min(most, 1 + first // 4)
        yield range(first, first + size)
        first += size


def useful_jobs(asked: int, coups: int, decks: int) -> int:
    """So many of the processes asked for have something to do: one a core, and a shoe for each."""
    shoes = -(-coups // (_COUPS_A_DECK * decks))
    return min(asked, cores(), shoes)


def cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def tallied(game: Game, coups: int, jobs: int) -> Generator[tuple[range, Tally], None, None]:
    """Each block with its tally, in order and without end; closed, or at Ctrl-C, the workers end."""
    every = blocks(game, coups, jobs)
    if jobs == 1:
        for shoes in every:
            yield shoes, tally(game, shoes)
    pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_work_for_parent)
    try:
        yield from _by_pool(pool, game, every, jobs)
    finally:
        pool.shutdown(cancel_futures=True)


def _by_pool(
    pool: ProcessPoolExecutor, game: Game, every: Iterator[range], jobs: int
) -> Generator[tuple[range, Tally], None, None]:
    with _deaf_to_interrupt():
        ahead = deque(_submitted(pool, game, shoes) for shoes in islice(every, jobs * _AHEAD))
    while True:
        shoes, done = ahead.popleft()
        counted = done.result()
        ahead.append(_submitted(pool, game, next(every)))
        yield shoes, counted


def _submitted(pool: ProcessPoolExecutor, game: Game, shoes: range) -> tuple[range, "Future[Tally]"]:
    return shoes, pool.submit(tally, game, shoes)


@contextmanager
def _deaf_to_interrupt() -> Iterator[None]:
    """Processes started meanwhile inherit it: Ctrl-C goes to all of a terminal, and is the parent's to answer."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _work_for_parent() -> None:
    """A worker leaves Ctrl-C to its parent, and ends when the parent is gone, however it went."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(2)
