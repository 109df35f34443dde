"""Coups a second: through `step` beside bare triggers, and through `game` beside plain ints."""

import random
import statistics
import time
from unittest import mock

from transitions import Machine

from controller.game.coup import deal_coup
from controller.game.settlement import Bet, settle
from controller.table import machine as table_machine
from controller.table import moment
from controller.table.machine import NO_SHOE, SHOE_ENDED
from controller.table.state import TableState, new_table
from controller.table.table import step
from tools.bench_figures import Figure
from tools.bench_table import Dealer, rules, shuffled, started

COUPS = 4_000
BLOCKS = 40


def measure_conduct(percent: int) -> list[Figure]:
    """Whole coups through `step`, and as many bare triggers as those coups pulled."""
    coups = max(200, COUPS * percent // 100)
    triggers = _triggers_of(200) / 200
    ours, bare = [], []
    table = _Table()
    for _ in range(BLOCKS):
        ours.append(table.seconds_for(coups // BLOCKS))
        bare.append(_bare_seconds(round(triggers * (coups // BLOCKS))))
    rate, bare_rate = (coups // BLOCKS / statistics.median(times) for times in (ours, bare))
    note = f"{triggers:.1f} triggers a coup"
    return [Figure("conduct", rate, bare_rate, "coups/s", rate / bare_rate, least=0.25, note=note)]


class _Table:
    """A table with a dealer, going on from block to block."""

    def __init__(self) -> None:
        self.state: TableState = step(new_table(rules()), started(0))[0]
        self._dealer = Dealer(seed=1)
        self._now_ms = 0

    def seconds_for(self, coups: int) -> float:
        began = time.perf_counter()
        for _ in range(coups):
            self.coup()
        return time.perf_counter() - began

    def coup(self) -> None:
        """One coup, with whatever a change of the shoe needs before it."""
        before = self.state.last
        while self.state.last is before or self.state.phase in (NO_SHOE, SHOE_ENDED):
            self._now_ms += 1
            self.state, _ = step(self.state, self._dealer.next_input(self.state, self._now_ms))


def _triggers_of(coups: int) -> int:
    """How many triggers the machine pulls in so many coups."""
    pulled = 0

    def counting(state: TableState, trigger: str) -> table_machine.Phase | None:
        nonlocal pulled
        pulled += table_machine.lawful(state.phase, trigger)
        return table_machine.next_phase(state, trigger)

    with mock.patch.object(moment, "next_phase", counting):
        _Table().seconds_for(coups)
    return pulled


def _bare_seconds(triggers: int) -> float:
    """The same number of triggers of a machine of two states, nothing else."""
    model = _Light()
    machine = Machine(model, states=["red", "green"], initial="red", auto_transitions=False)
    machine.add_transition("go", "red", "green")
    machine.add_transition("go", "green", "red")
    go = model.go  # type: ignore[attr-defined]
    began = time.perf_counter()
    for _ in range(triggers):
        go()
    return time.perf_counter() - began


class _Light:
    """A model for the bare machine."""


def measure_game(percent: int) -> list[Figure]:
    """Shoes dealt and three wagers settled, by `game` and by plain ints."""
    ours, bare = [], []
    for number in range(max(8, 160 * percent // 100)):
        began = time.perf_counter()
        coups = _game_shoe(number)
        between = time.perf_counter()
        bare_coups = _int_shoe(number)
        bare.append(bare_coups / (time.perf_counter() - between))
        ours.append(coups / (between - began))
    rate, bare_rate = statistics.median(ours), statistics.median(bare)
    return [Figure("game", rate, bare_rate, "coups/s", rate / bare_rate, least=1 / 8)]


PAYTABLE = rules().paytable
BETS = (Bet(1, "player", 100), Bet(2, "banker", 100), Bet(3, "tie", 100))


def _game_shoe(seed: int) -> int:
    cards = shuffled(seed)
    left, coups, taken = iter(cards), 0, 0
    while taken < len(cards) - 6:
        coup = deal_coup(left)
        settle(PAYTABLE, BETS, coup)
        taken += len(coup.player) + len(coup.banker)
        coups += 1
    return coups


def _int_shoe(seed: int) -> int:
    cards = [min(rank, 10) % 10 for rank in range(1, 14)] * 32
    random.Random(seed).shuffle(cards)
    at, coups, paid = 0, 0, 0
    while at < len(cards) - 6:
        player, banker = (cards[at] + cards[at + 2]) % 10, (cards[at + 1] + cards[at + 3]) % 10
        at += 4
        if player < 8 and banker < 8:
            third = None
            if player < 6:
                third = cards[at]
                player = (player + third) % 10
                at += 1
            if third is None:
                draws = banker < 6
            else:
                draws = (
                    banker < 3
                    or (banker == 3 and third != 8)
                    or (banker == 4 and 2 <= third <= 7)
                    or (banker == 5 and 4 <= third <= 7)
                    or (banker == 6 and 6 <= third <= 7)
                )
            if draws:
                banker = (banker + cards[at]) % 10
                at += 1
        if player > banker:
            paid += 200
        elif banker > player:
            paid += 195
        else:
            paid += 100 + 100 + 900
        coups += 1
    return coups
