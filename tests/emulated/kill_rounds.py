"""A table whose program is killed again and again, at named steps and at any moment, and what must hold each time."""

import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from controller.host.client import Client, TableNotThere
from controller.host.journal_reader import JournalReader
from controller.lab.verify import verify
from drivers.shoes.simulated_cards import shuffled
from tests.emulated.kill_model import BETS, STAKE, Model, house_net
from tests.emulated.kill_steps import KILL_AT, STEPS, die_at_a_step
from tests.emulated.program import PATIENCE_S
from tests.emulated.rig import Rig

AT_ANY_MOMENT = "at any moment"
PLACES = (*STEPS, AT_ANY_MOMENT, AT_ANY_MOMENT)
"""Where the program dies, in turn."""
MOST_STEPS = {"read": 40, "confirm": 25, "step": 25, "transaction": 25, "commit": 25, "write": 60, "answer": 40}
LONGEST_LIFE_S = 0.8
QUIET_S = 1.5
"""So long after a start a card that was on its way may still come: then it is missed."""
LAST_CARD = 400
"""With a deck nearly out a round ends; the next one has a new table."""
LAWFUL_HOLDS = frozenset({"report-lost", "report-unconfirmed"})
"""What may hold the table for a card that was read, and not yet on disk, when the program died."""


class Died(Exception):
    """The program is gone."""


class Broken(AssertionError):
    """Something that must hold does not."""


@dataclass(slots=True)
class Tally:
    """What the kills came to. `whole` restarts were looked at in full before the next kill."""

    kills: int = 0
    whole: int = 0
    coups: int = 0
    cards: int = 0
    missed: int = 0
    places: Counter[str] = field(default_factory=Counter)


class Round:
    """One table, one deck: a dealer who always knows what comes next and asks again when an answer is lost."""

    def __init__(self, folder: Path, seed: int, tally: Tally) -> None:
        self.tally = tally
        self.chance = random.Random(seed)
        self.model = Model(shuffled(8, seed))
        self.rig = Rig(folder, cards=self.model.deck)
        self._told: list[dict[str, Any]] = []
        self._asked = 0
        self._waiting: tuple[str, str, dict[str, Any]] | None = None
        self._seq = 0
        self._misses_one = False

    def run(self, kills: int) -> int:
        """So many kills, or fewer when the deck is nearly out; how many they were."""
        done = 0
        try:
            while done < kills and self.model.drawn < LAST_CARD:
                self._one_life(PLACES[self.tally.kills % len(PLACES)])
                done += 1
                self.tally.kills += 1
            self._last_life()
        finally:
            self.rig.close()
        self.tally.coups += self.model.confirmed
        self.tally.cards += self.model.drawn
        return done

    # Lives.

    def _one_life(self, place: str) -> None:
        """The program is started, looked at, worked with, and dies: each of it as far as it comes."""
        killer = None
        if place == AT_ANY_MOMENT:
            self.rig.launch()
            killer = threading.Timer(self.chance.uniform(0.0, LONGEST_LIFE_S), self.rig.program.process.kill)
            killer.start()
        else:
            count = self.chance.randint(1, MOST_STEPS[place.split("-")[1]])
            self.rig.launch(before=die_at_a_step, environment={KILL_AT: f"{place}:{count}"})
        with suppress(Died, TableNotThere):
            self._comes_up()
            self._look()
            self.tally.whole += 1
            while self.rig.program.is_running and self.model.drawn < LAST_CARD:
                self._move()
        if self.rig.program.is_running:  # the deck is out before the step was come to
            self.rig.program.process.kill()
        self.rig.program.process.join(PATIENCE_S)
        if killer is not None:
            killer.join()
        self.rig._hang_up()
        code = self.rig.program.process.exitcode
        if code != -signal.SIGKILL:
            raise Broken(f"the program ended by itself ({code}): {self.rig.program.err}")
        self.tally.places[place] += 1

    def _last_life(self) -> None:
        self.rig.launch()
        self._comes_up()
        self._look()
        while self.model.closed or self.model.drawn == 0:
            self._move()
        if self.rig.stop().code != 0:
            raise Broken(f"it does not end in good order: {self.rig.program.err}")
        self._verify()

    def _comes_up(self) -> None:
        self._until(lambda: "ready " in self.rig.program.err)
        self.rig._client = Client(self.rig.control, PATIENCE_S)

    def _until(self, found: Callable[[], object]) -> None:
        give_up = time.monotonic() + PATIENCE_S
        while not found():
            if not self.rig.program.is_running:
                raise Died
            if time.monotonic() > give_up:
                raise Broken(f"never came: {self._state()}, expected {self.model.expected(self._told_cards())}")
            time.sleep(0.005)

    # What must hold after a restart.

    def _look(self) -> None:
        self._verify()
        self._keeps_what_was_told()
        if self._waiting is not None:
            self._order(*self._waiting)
        self._wait_for_the_card()
        self._is_as_the_model_says()
        self._panel_shows_it()

    def _verify(self) -> None:
        """The journal is whole, each coup settled once, each order carried out once, each card the deck's, in order."""
        with JournalReader(self.rig.journal) as reader:
            *_, verdict = verify(reader)
        if verdict.difference:
            raise Broken(f"the journal does not verify: {verdict.difference}")
        rows = self.rig.rows
        if twice := rows("SELECT shoe, coup FROM events WHERE kind = 'CoupSettled' GROUP BY 1, 2 HAVING count(*) > 1"):
            raise Broken(f"settled twice: {twice}")
        if twice := rows("SELECT order_id FROM inputs WHERE answer NOT NULL GROUP BY 1 HAVING count(*) > 1"):
            raise Broken(f"carried out twice: {twice}")
        done = dict(
            rows("SELECT order_id, answer NOT NULL FROM inputs WHERE order_id NOT NULL ORDER BY answer NOT NULL")
        )
        if lost := [order for order in self.model.answered if not done.get(order)]:
            raise Broken(f"answered and lost: {lost}")
        dealt = self._dealt()
        if dealt != self.model.deck[: len(dealt)] or len(dealt) > self.model.drawn:
            raise Broken(f"dealt {dealt[-6:]}, the deck has {self.model.deck[: self.model.drawn][-6:]}")
        held = {
            reason for (reason,) in rows("SELECT json_extract(body, '$.reason') FROM events WHERE kind = 'TableHeld'")
        }
        if held - LAWFUL_HOLDS:
            raise Broken(f"held for {held - LAWFUL_HOLDS}")

    def _keeps_what_was_told(self) -> None:
        """Every event that anybody was told stands where it stood; the table is not behind what it answered."""
        last = self._state()["seq"]
        if last < max(self._seq, *self.model.answered.values(), 0):
            raise Broken(f"the last event is {last}, told was {self._seq}")
        events = self.rig.client.events(0, PATIENCE_S)
        now = [next(events) for _ in range(last)]
        if now[: len(self._told)] != self._told:
            raise Broken("an event that was told is another one now")
        self._told, self._seq = now, last

    def _wait_for_the_card(self) -> None:
        """The card that was on its way lands, or is known to be missed: read, and not on disk, at the kill."""
        if self._misses_one:
            return
        give_up = time.monotonic() + QUIET_S
        while self._told_cards() < self.model.drawn and time.monotonic() < give_up:
            if self._state()["held"] is not None:
                return
            time.sleep(0.01)
        if self._told_cards() < self.model.drawn:
            self._misses_one = True
            self.tally.missed += 1

    def _is_as_the_model_says(self) -> None:
        state = self._state()
        expected = self.model.expected(self._told_cards())
        found = {name: state[name] for name in expected}
        if found["held"] is not None and found["held"]["reason"] in LAWFUL_HOLDS:
            found |= {"held": None, "phase": expected["phase"]}
        if found != expected:
            raise Broken(f"the table is {found}, by its wires it is {expected}")
        if state["last"] is not None and state["last"]["house_net"] != house_net(state["last"]):
            raise Broken(f"settled wrongly: {state['last']}")

    def _panel_shows_it(self) -> None:
        state = self._state()
        wanted = {
            "phase": state["phase"],
            "shoe": str(state["shoe"]),
            "coup": str(state["coup"]),
            "p": ",".join(state["player"]),
            "b": ",".join(state["banker"]),
        }

        def shown() -> bool:
            with self.rig.bench.lock:
                board = self.rig.panel.panel.shown
            return board is not None and all((board.coup.get(key) or "") == value for key, value in wanted.items())

        self._until(shown)

    # The dealer.

    def _state(self) -> dict[str, Any]:
        state = self.rig.state()
        if state["seq"] < self._seq:
            raise Broken(f"told was event {self._seq}, now the last one is {state['seq']}")
        self._seq = state["seq"]
        return state

    def _move(self) -> None:
        """One touch, as the table's state asks for. What is on disk is asked first: the state is never older."""
        all_told = self._told_cards() == self.model.drawn
        state = self._state()
        match state["phase"]:
            case "no-shoe":
                self._new("start-shoe")
            case "betting" if self.model.bets < len(BETS):
                self._new("bet", seat=1, wager=BETS[self.model.bets], stake=STAKE)
            case "betting":
                self._new("close-bets")
            case "settling":
                self._new("confirm")
            case "held":
                self._compare(state)
            case _ if self._misses_one and self.model.hands(self.model.drawn).complete:
                self._misses_one = False  # nothing is due at the shoe: any report of it tells that one is missing
                self.rig.shoe.does("key lock", "key unlock")
            case _ if state["due"] is not None and (self._misses_one or all_told):
                self._misses_one = False
                self.model.drawn += 1
                self.rig.shoe.draws()
            case _:
                self._wait_for_the_card()

    def _compare(self, state: dict[str, Any]) -> None:
        """Cards that lie on the table and were never told are entered; then it goes on."""
        self._until(self.rig.shoe.is_silent)
        for _ in range(2):  # by the second answer a whole turn of the loop has read all that came
            state = self._state()
        waiting = self._waiting_cards()
        while self._told_cards() + len(waiting) < self.model.drawn and state["due"] not in (None, *waiting[:1]):
            card = self.model.deck[self._told_cards()]
            self.rig.ask("card", place=state["due"], card=card, reason="it lies on the table")
            state = self._state()
        self._misses_one = False
        self.rig.ask("resume")

    def _new(self, do: str, **fields: Any) -> None:
        self._asked += 1
        self._order(do, f"order-{self._asked}", fields)

    def _order(self, do: str, order_id: str, fields: dict[str, Any]) -> None:
        self._waiting = (do, order_id, fields)
        answer = self.rig.ask(do, id=order_id, **fields)
        self._waiting = None
        if answer["ok"]:
            self.model.order_done(do, order_id, answer["seq"])
        elif answer["refused"] != "held":
            raise Broken(f"{do} was refused: {answer}")

    # What the record says of the cards.

    def _dealt(self) -> list[str]:
        rows = self.rig.rows("SELECT json_extract(body, '$.card') FROM events WHERE kind = 'CardDealt' ORDER BY seq")
        return [card for (card,) in rows]

    def _told_cards(self) -> int:
        return len(self._dealt()) if self.rig.journal.exists() else 0

    def _waiting_cards(self) -> list[str]:
        """The places of the cards that the shoe told and that are not conducted yet, in order."""
        (conducted,) = self.rig.rows(
            """SELECT count(*) FROM events WHERE kind = 'CardRepeated'
            OR kind = 'CardDealt' AND json_extract(body, '$.declared') = 0"""
        )[0]
        rows = self.rig.rows(
            """SELECT json_extract(body, '$.target') || '-' || json_extract(body, '$.index')
            FROM inputs WHERE kind = 'CardRead' ORDER BY seq"""
        )
        return [place for (place,) in rows[conducted:]]
