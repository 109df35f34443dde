"""The table of the benchmark: three main wagers, eight decks, cards from a seed."""

import random
from collections.abc import Iterator
from pathlib import Path

from controller.game.cards import DECK, Card
from controller.host.config import load_table_texts
from controller.table.inputs import (
    CardRead,
    CloseBets,
    Confirm,
    CutCardOut,
    Input,
    LinkState,
    PlaceBet,
    ProgramStarted,
    ShoePowered,
    Target,
)
from controller.table.machine import BETTING, BURNING, NO_SHOE, SETTLING, SHOE_ENDED
from controller.table.rules import HouseRules
from controller.table.state import TableState

TABLE = """
format: punto-table 1
id: bench
name: Bench
language: en
seats: [1, 2, 3]
currency: {code: THB, decimals: 2}
paytable: main.yaml
limits: {}
simulation: true
betting: {close: button}
settle: {confirm: button}
shoe:
  decks: 8
  burn: {by: first-card}
  cut_card: {depth: 14, coups_after: 1}
  driver: angel-eye
  port: /dev/none
display: {driver: none}
"""
PAYTABLE = """
format: punto-paytable 1
name: Main wagers
wagers:
  player: {wins: {winner: player}, pushes: {winner: tie}, pays: "1:1"}
  banker: {wins: {winner: banker}, pushes: {winner: tie}, pays: "1:1", commission: 5%}
  tie: {wins: {winner: tie}, pays: "8:1"}
"""
CARDS_BEHIND_CUT = 14


def texts() -> dict[str, str]:
    """The files of the table, by kind."""
    return {"table": TABLE, "paytable": PAYTABLE}


def rules() -> HouseRules:
    """The table's rules."""
    return load_table_texts(TABLE, PAYTABLE)


def shuffled(seed: int) -> list[Card]:
    """Eight decks, top first."""
    cards = list(DECK) * 8
    random.Random(seed).shuffle(cards)
    return cards


class Dealer:
    """Gives a table its next input: shoe after shoe, every coup with three bets."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._cards: Iterator[Card] = iter(())
        self._left = 0
        self._told_cut = False

    def next_input(self, state: TableState, now_ms: int) -> Input:
        """What happens next at a table in this state."""
        if state.phase in (NO_SHOE, SHOE_ENDED):
            self._seed += 1
            self._cards, self._left, self._told_cut = iter(shuffled(self._seed)), 416, False
            return ShoePowered(now_ms)
        if state.phase is BETTING:
            wagers = ("player", "banker", "tie")
            if len(state.bets) < len(wagers):
                return PlaceBet(now_ms, 1 + len(state.bets), wagers[len(state.bets)], 10_000)
            return CloseBets(now_ms)
        if state.phase is SETTLING:
            return Confirm(now_ms)
        if self._left <= CARDS_BEHIND_CUT and not self._told_cut:
            self._told_cut = True
            return CutCardOut(now_ms)
        return self._card(state, now_ms)

    def _card(self, state: TableState, now_ms: int) -> Input:
        self._left -= 1
        card = next(self._cards)
        if state.phase is BURNING:
            first = state.first_card is None
            return CardRead(now_ms, Target.FIRST if first else Target.BURN, 1 if first else len(state.burned) + 1, card)
        due = state.due
        assert due is not None, state.phase
        return CardRead(now_ms, Target(due.hand.value), due.index, card)


def started(now_ms: int) -> Input:
    """The start of the program."""
    return ProgramStarted(now_ms, rules(), "bench", LinkState.UP, LinkState.NONE)


def bench_folder() -> str | None:
    """Where a journal lies in memory, None when this machine has no such place."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None
