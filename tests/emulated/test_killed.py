"""The program is killed, with -9, at every place and at any: it comes back where it was, and the coup goes on."""

import json
import random
import signal
import threading
import time
from contextlib import suppress
from typing import Any

import pytest

from controller.game.cards import parse_card
from controller.game.coup import deal_coup
from controller.host.client import TableNotThere
from drivers.contracts import CardDrawn
from drivers.shoes.simulated_cards import BurnRule, shuffled
from tests.emulated.program import until
from tests.emulated.rig import SIX_CARDS, Begin, Rig

pytestmark = pytest.mark.untraced

KEPT = ("phase", "shoe", "coup", "player", "banker", "bets", "held", "last", "due", "burn", "last_coup")
"""What must be the same before and after."""


def kept(state: dict[str, Any]) -> dict[str, Any]:
    return {name: state[name] for name in KEPT}


def survives(rig: Rig) -> None:
    """Killed and started again, the table stands where it stood, and the panel is painted in full."""
    before = rig.state()
    painted = len(rig.panel.boards)
    phase = rig.restart()
    assert phase == before["phase"]
    assert kept(rig.state()) == kept(before)
    board = until(lambda: rig.panel.boards[painted:] and rig.panel.boards[-1])
    assert (board.coup["phase"], board.coup["shoe"]) == (phase, str(before["shoe"]))
    assert [row.wager for row in board.limits] == [row.wager for row in rig.panel.boards[0].limits]
    until(lambda: rig.state()["links"] == {"shoe": "up", "display": "up"})


def ends_well(rig: Rig) -> None:
    """Each coup was settled once, and the journal bears it."""
    assert rig.stop().code == 0
    settled = rig.rows("SELECT shoe, coup, count(*) FROM events WHERE kind = 'CoupSettled' GROUP BY shoe, coup")
    assert settled
    assert all(times == 1 for _, _, times in settled), settled
    rig.verifies()


def finishes(rig: Rig, coup: int = 1) -> None:
    """The rest of the coup is dealt, settled as the cards say, and confirmed."""
    rig.shoe.does("coup")
    rig.sees("CoupSettled", coup=coup)
    rig.does("confirm")
    last = rig.state()["last"]
    assert (last["player"], last["banker"]) == (["2H", "2S", "4D"], ["3C", "KD", "AC"])
    ends_well(rig)


def test_killed_without_a_shoe(begin: Begin) -> None:
    rig = begin().start()
    survives(rig)
    rig.begins_shoe()
    rig.does("close-bets")
    finishes(rig)


def test_killed_while_burning(begin: Begin) -> None:
    burn = BurnRule("first-card")
    rig = begin(("4C", "KH", "KS", "KC", "TD", *SIX_CARDS), burn=burn).start()
    rig.does("start-shoe")
    rig.shoe.draws(3)
    rig.sees("CardBurned", number=2)
    survives(rig)
    rig.shoe.draws(2)
    rig.sees("BetsOpened", coup=1)
    rig.does("close-bets")
    finishes(rig)


def test_killed_with_bets_on_the_layout(begin: Begin) -> None:
    rig = begin().start()
    rig.begins_shoe()
    rig.bets(1, "player", 20000)
    rig.bets(1, "tie", 10000)
    survives(rig)
    rig.bets(2, "banker", 10000)
    rig.does("close-bets")
    finishes(rig)
    (body,) = rig.rows("SELECT body FROM events WHERE kind = 'CoupSettled'")[0]
    lines = [(line["seat"], line["returned"]) for line in json.loads(body)["settlement"]["lines"]]
    assert sorted(lines) == [(1, 0), (1, 40000), (2, 0)]


def test_killed_with_bets_closed(begin: Begin) -> None:
    rig = begin().start()
    rig.begins_shoe()
    rig.does("close-bets")
    survives(rig)
    finishes(rig)


@pytest.mark.parametrize(
    ("cards", "phase"),
    [(1, "dealing"), (2, "dealing"), (3, "dealing"), (4, "player-rule"), (5, "banker-rule"), (6, "settling")],
)
def test_killed_after_each_card(begin: Begin, cards: int, phase: str) -> None:
    rig = begin().start()
    rig.begins_shoe()
    rig.bets(3, "player", 10000)
    rig.deals(cards)
    assert rig.state()["phase"] == phase
    survives(rig)
    if cards < 6:
        rig.shoe.does("coup")
        rig.sees("CoupSettled", coup=1)
    assert rig.state()["last"]["returned"] == 20000
    rig.does("confirm")
    assert rig.recorded("CardDealt") == 6
    ends_well(rig)


def test_killed_while_held(begin: Begin) -> None:
    rig = begin().start()
    rig.begins_shoe()
    rig.shoe.draws(2)
    rig.held("pre-close-card")
    rig.waits(1)
    survives(rig)
    rig.does("resume")
    rig.cards_out(2)
    finishes(rig)


def test_killed_with_the_shoe_ended(begin: Begin) -> None:
    rig = begin().start()
    rig.begins_shoe()
    rig.deals(6)
    rig.does("end-shoe", "confirm")
    rig.sees("ShoeEnded", coups=1)
    survives(rig)
    rig.does("start-shoe")
    assert rig.state()["shoe"] == 2
    ends_well(rig)


@pytest.mark.parametrize("before", [1, 2], ids=["after the first copy", "after the second copy"])
def test_killed_between_the_copies_of_a_report_it_counts_once(begin: Begin, before: int) -> None:
    rig = begin().start()
    rig.begins_shoe()
    rig.does("close-bets")
    frame = rig.shoe.frame(CardDrawn("player", 1, "2H"))
    rig.shoe.raw(frame * before)
    rig.traced(frame)
    if before == 2:
        rig.cards_out(1)
    rig.kill()
    rig.shoe.raw(frame * (3 - before))
    rig.launch()
    rig.ready()
    rig.shoe.says(CardDrawn("banker", 1, "3C"))
    rig.cards_out(2)
    state = rig.state()
    assert (state["player"], state["banker"], state["held"]) == (["2H"], ["3C"], None)
    assert rig.recorded("CardDealt") == 2
    assert rig.recorded("CardRepeated") == 0


def test_killed_while_the_reports_wait_on_the_line_nothing_is_lost(begin: Begin) -> None:
    """A terminal keeps what came while nobody had it open."""
    rig = begin().start()
    rig.begins_shoe()
    rig.does("close-bets")
    rig.kill()
    rig.shoe.draws(3)
    until(rig.shoe.is_silent)
    rig.launch()
    rig.ready()
    rig.cards_out(3)
    assert rig.state()["held"] is None
    finishes(rig)


def test_a_report_that_fell_into_the_dead_time_shows_with_the_next(begin: Begin) -> None:
    """A device server keeps nothing for a host that is not connected: the count of the next report tells."""
    rig = begin(wire="tcp").start()
    rig.begins_shoe()
    rig.does("close-bets")
    rig.shoe.says(CardDrawn("player", 1, "2H"))
    rig.cards_out(1)
    rig.kill()
    rig.shoe.frame(CardDrawn("banker", 1, "3C"))  # told to nobody
    rig.launch()
    rig.ready()
    assert rig.state()["held"] is None
    rig.shoe.says(CardDrawn("player", 2, "2S"))
    assert "number 3 came, 2 was due" in rig.held("report-lost")
    rig.waits(1)
    assert rig.ask("card", place="banker-1", card="3C", reason="on the table")["ok"]
    rig.does("resume")
    assert rig.state()["player"] == ["2H", "2S"]
    rig.verifies()


def test_an_order_asked_again_after_a_kill_is_carried_out_once(begin: Begin) -> None:
    rig = begin().start()
    rig.begins_shoe()
    first = rig.ask("bet", id="bet-1", seat=1, wager="player", stake=10000)
    assert rig.ask("bet", id="bet-1", seat=1, wager="player", stake=10000) == first
    rig.restart()
    assert rig.ask("bet", id="bet-1", seat=1, wager="player", stake=10000) == first
    assert rig.state()["bets"] == [{"seat": 1, "wager": "player", "stake": 10000}]
    assert rig.recorded("BetPlaced") == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_asked_to_end_in_mid_coup_it_leaves_the_coup_on_disk(begin: Begin, number: int) -> None:
    """Fault 50."""
    rig = begin().start()
    rig.begins_shoe()
    rig.bets(1, "banker", 10000)
    rig.deals(3)
    before = rig.state()
    assert rig.stop(number).code == 0
    assert not rig.control.exists()
    assert rig.rows("SELECT kind FROM events ORDER BY seq DESC LIMIT 1") == [("ControllerStopped",)]
    rig.launch()
    rig.ready()
    assert kept(rig.state()) == kept(before)
    finishes(rig)


DECK = shuffled(8, 1)
HELD_FOR = "SELECT json_extract(body, '$.reason') FROM events WHERE kind = 'TableHeld'"


class Dealer:
    """A hand that always knows what comes next, and asks again with the same id when an answer is lost."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.answered: dict[str, int] = {}
        self.asked = 0
        self.waiting: tuple[str, str, dict[str, Any]] | None = None
        self.drawn = 0
        self.misses_one = False
        """A card that was drawn was not told: it was read, and not on disk, when the program was killed."""

    def move(self) -> None:
        """One touch, as the table's state asks for."""
        if self.waiting is not None:
            self._order(*self.waiting)
            return
        all_lie = self.dealt() == self.drawn
        state = self.rig.state()
        match state["phase"]:
            case "betting" if len(state["bets"]) < 2:
                wager = ("player", "banker")[len(state["bets"])]
                self._new("bet", seat=1, wager=wager, stake=10000)
            case "betting":
                self._new("close-bets")
            case "settling":
                self._new("confirm")
            case "no-shoe":
                self._new("start-shoe")
            case "held":
                self._compare(state)
            case _ if state["due"] is not None and (all_lie or self.misses_one):
                self._draw()

    def _draw(self) -> None:
        """The next card, once the last one lies: a card is drawn once, whatever happens to the program."""
        self.drawn += 1
        self.misses_one = False
        self.rig.shoe.draws()

    def _compare(self, state: dict[str, Any]) -> None:
        """What lies on the table and was not told is entered; then it goes on."""
        ((told,),) = self.rig.rows("SELECT count(*) FROM inputs WHERE kind = 'CardRead'")
        ((entered,),) = self.rig.rows("SELECT count(*) FROM inputs WHERE kind = 'EnterCard' AND answer IS NOT NULL")
        if told + entered < self.drawn and state["due"] is not None:
            self.rig.ask("card", place=state["due"], card=DECK[self.dealt()], reason="it lies on the table")
        self.rig.ask("resume")

    def looks(self) -> None:
        """After a start: wait for the card that was drawn last, or for what is said instead of it."""
        look_until = time.monotonic() + 1.5
        while self.dealt() != self.drawn and self.rig.state()["held"] is None and time.monotonic() < look_until:
            time.sleep(0.02)
        self.misses_one = self.dealt() != self.drawn and self.rig.state()["held"] is None

    def dealt(self) -> int:
        """How many cards are on disk."""
        return self.rig.recorded("CardDealt")

    def _new(self, do: str, **fields: Any) -> None:
        self.asked += 1
        self._order(do, f"order-{self.asked}", fields)

    def _order(self, do: str, order_id: str, fields: dict[str, Any]) -> None:
        self.waiting = (do, order_id, fields)
        answer = self.rig.ask(do, id=order_id, **fields)
        self.waiting = None
        assert answer["ok"], answer
        self.answered[order_id] = answer["seq"]


def killer(rig: Rig, chance: random.Random) -> threading.Thread:
    """Kills the program in a moment; the moment is not known."""

    def strike() -> None:
        time.sleep(chance.uniform(0.0, 0.12))
        rig.program.process.kill()

    thread = threading.Thread(target=strike)
    thread.start()
    return thread


def kill_again_and_again(rig: Rig, kills: int, seed: int) -> None:
    dealer = Dealer(rig.start())
    chance = random.Random(seed)
    for _ in range(kills):
        thread = killer(rig, chance)
        with suppress(TableNotThere):
            while True:
                dealer.move()
        thread.join()
        before = list(rig.events)
        rig.kill()
        rig.launch()
        rig.ready()
        dealer.looks()
        told = rig.client.events(0, 5)
        assert [next(told) for _ in before] == before
        stands = {order for (order,) in rig.rows("SELECT order_id FROM inputs WHERE order_id IS NOT NULL")}
        assert dealer.answered.keys() <= stands
        until(lambda: rig.panel.shows().coup["phase"] == rig.state()["phase"])
        rig.sees("ControllerStarted")
    while rig.state()["phase"] != "betting" or dealer.dealt() != dealer.drawn:
        dealer.move()
    twice = rig.rows("SELECT order_id FROM inputs GROUP BY order_id HAVING order_id NOT NULL AND count(*) > 1")
    assert twice == []
    cards = [
        card
        for (card,) in rig.rows("SELECT json_extract(body, '$.card') FROM events WHERE kind = 'CardDealt' ORDER BY seq")
    ]
    assert cards == DECK[: dealer.drawn]
    reasons = {reason for (reason,) in rig.rows(HELD_FOR)}
    assert reasons <= {"report-lost", "report-unconfirmed", "pre-close-card"}
    coups_follow_from(cards, rig)
    ends_well(rig)


def coups_follow_from(cards: list[str], rig: Rig) -> None:
    """Every coup that was settled is the one that the next cards of the shoe make."""
    left = [parse_card(card) for card in cards]
    for (body,) in rig.rows("SELECT body FROM events WHERE kind = 'CoupSettled' ORDER BY seq"):
        coup = deal_coup(left)
        hands = json.loads(body)["hands"]
        assert (hands["player"], hands["banker"]) == ([str(c) for c in coup.player], [str(c) for c in coup.banker])
        left = left[len(coup.player) + len(coup.banker) :]
    assert left == []


def test_ten_kills_at_any_moment_lose_nothing_and_double_nothing(begin: Begin) -> None:
    """Fault 43."""
    kill_again_and_again(begin(cards=DECK), kills=10, seed=43)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(50))
def test_two_thousand_kills(begin: Begin, seed: int) -> None:
    """Fault 43: so few to a shoe that its cards are enough on a fast machine too."""
    kill_again_and_again(begin(cards=DECK), kills=40, seed=seed)
