"""A dealer and a supervisor who see the cards that lie on the table; now and then they do anything at all."""

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from controller.table.events import HoldReason
from controller.table.inputs import CardRead, Resume
from controller.table.machine import (
    BETS_CLOSED,
    BETTING,
    BURNING,
    HELD,
    IN_COUP,
    NO_SHOE,
    SETTLING,
    SHOE_ENDED,
)
from controller.table.rules import CloseBy, EmptyCoup, Reveal
from controller.table.state import TableState
from controller.table.table import step
from tests.seeds.truth import in_order

if TYPE_CHECKING:
    from tests.seeds.world import World

WAGERS = ("player", "banker", "tie", "player-pair", "lucky-6")
ASKS_AGAIN_MS = 2_500
KEYS = ("open-bets", "close-bets", "confirm", "reveal")
RANKS, SUITS = "A23456789TJQK", "DCSH"
PLACES = ("player-1", "player-2", "player-3", "banker-1", "banker-2", "banker-3")


@dataclass(slots=True)
class Asked:
    """An order that somebody gave; `shoe` was in play then."""

    order_id: str
    do: str
    fields: dict[str, object]
    shoe: int
    at_ms: int
    times: int = 1
    answers: list[dict[str, object]] = field(default_factory=list)


class People:
    """Everyone at one table. `act` does one thing and says when the next is due."""

    def __init__(self, world: "World", chance: random.Random) -> None:
        self._world = world
        self._chance = chance
        self._number = 0
        self._waiting: Asked | None = None
        self._asked: list[Asked] = []
        self.due_ms = 0
        self.refused_resumes = 0
        self.acts = 0

    # What they do.

    def act(self) -> None:
        """One touch."""
        self.acts += 1
        self.due_ms = self._world.now_ms + self._chance.choice((120, 200, 300, 500, 900))
        state = self._world.table
        if state is None:
            if self._clumsy():
                self._world.draw()
        elif self._waiting is not None:
            self._ask_again(self._waiting, state)
        elif self._clumsy():
            self._do_anything(state)
        else:
            self._do_right(state)

    def answered(self, order_id: str, answer: dict[str, object]) -> None:
        """An answer came."""
        if self._waiting is not None and self._waiting.order_id == order_id:
            asked, self._waiting = self._waiting, None
            asked.answers.append(answer)
            if asked.do == "resume" and not answer["ok"]:
                self.refused_resumes += 1
                if "start again" in str(answer["text"]):
                    self._world.restart("the disk failed for good")

    def _clumsy(self) -> bool:
        return self._chance.random() < self._world.troubles.clumsy

    def _ask(self, do: str, **fields: object) -> None:
        state = self._world.table
        assert state is not None
        self._number += 1
        asked = Asked(f"order-{self._number}", do, fields, state.shoe, self._world.now_ms)
        if do != "state":
            self._asked = [*self._asked[-5:], asked]
            self._waiting = asked
        self._world.ask(asked.order_id, do, fields)

    def _ask_again(self, asked: Asked, state: TableState) -> None:
        """The answer is lost: the same order under the same id, unless another shoe came meanwhile."""
        if state.shoe != asked.shoe:
            self._waiting = None
        elif self._world.now_ms - asked.at_ms >= ASKS_AGAIN_MS * asked.times:
            asked.times += 1
            self._world.ask(asked.order_id, asked.do, asked.fields)

    # What is right.

    def _do_right(self, state: TableState) -> None:
        world = self._world
        if self._chance.random() < 0.03:
            self._ask("state")
        elif world.device.is_stopped() and world.is_quiet() and self._chance.random() < 0.8:
            world.clear_device()
        elif state.phase is HELD:
            self._supervise(state)
        elif state.phase in (NO_SHOE, SHOE_ENDED):
            self._change_shoe(state)
        elif not world.is_quiet():
            pass
        elif state.phase is BURNING:
            world.draw()
        elif state.phase is BETTING:
            self._betting(state)
        elif state.phase is SETTLING:
            self._settling(state)
        elif state.phase is BETS_CLOSED or state.phase in IN_COUP:
            self._dealing(state)

    def _change_shoe(self, state: TableState) -> None:
        world = self._world
        if state.owed and self._chance.random() < 0.3:
            self._collect(state)
        elif world.truth.shoes <= state.shoe:
            world.put_new_shoe()
        elif world.is_quiet() and world.now_ms - world.shoe_put_ms > 3_000:
            self._ask("start-shoe")

    def _collect(self, state: TableState) -> None:
        self._ask("collect", seat=state.owed[0][0])

    def _betting(self, state: TableState) -> None:
        world, rules = self._world, state.rules
        if self._sweep_if_left(state):
            return
        lost_cut = world.device.cut_card_is_out() and state.last_coup is None
        if world.device.cards_left() < 6 or (lost_cut and self._chance.random() < 0.3):
            self._collect(state) if state.owed else self._ask("end-shoe")
        elif self._chance.random() < (0.5 if not state.bets and rules.empty_coup is EmptyCoup.REFUSE else 0.3):
            self._bet(state)
        elif state.bets and self._chance.random() < 0.05:
            self._ask("withdraw", seat=state.bets[0].seat)
        elif rules.empty_coup is EmptyCoup.REFUSE and not state.bets:
            self._bet(state)
        elif rules.close_by is CloseBy.FIRST_CARD:
            world.draw()
        elif rules.close_by is CloseBy.BUTTON:
            self._ask("close-bets") if self._chance.random() < 0.7 else world.press("close-bets")

    def _bet(self, state: TableState) -> None:
        wager = self._chance.choice(WAGERS)
        self._ask("bet", seat=self._chance.choice(state.rules.seats), wager=wager, stake=self._stake())

    def _stake(self) -> int:
        return self._chance.choice((10000, 10000, 20000, 50000, 12345))

    def _sweep_if_left(self, state: TableState) -> bool:
        """Before the first card of a coup nothing lies on the table and the shoe begins anew."""
        world = self._world
        world.truth.is_murky = False
        if (world.truth.laid and not world.truth.is_complete()) or world.device.coup_is_on():
            world.sweep()
            return True
        return False

    def _dealing(self, state: TableState) -> None:
        """The next card, when what the table knows is what lies there."""
        world, known = self._world, in_order(state.hands)
        if not known and state.phase is BETS_CLOSED and world.truth.is_complete():
            lies: list[str] = []
        else:
            lies = world.truth.laid
        if state.rules.reveal is Reveal.DEALER and known and self._chance.random() < 0.2:
            self._ask("reveal") if self._chance.random() < 0.5 else world.press("reveal")
        elif known == lies and state.due is not None:
            if not known and world.device.coup_is_on():
                world.sweep()
            else:
                world.draw()
        elif known == lies[:-1] and state.due is not None and not world.truth.is_complete():
            world.draw() if self._chance.random() < 0.7 else self._ask("void")
        else:
            self._ask("void")

    def _settling(self, state: TableState) -> None:
        world = self._world
        if in_order(state.hands) != world.truth.laid:
            self._ask("void")
        elif state.rules.settle_after_s is None:
            self._ask("confirm") if self._chance.random() < 0.7 else world.press("confirm")
        elif state.rules.reveal is Reveal.DEALER and self._chance.random() < 0.5:
            world.press("reveal")

    # What the supervisor does at a held table.

    def _supervise(self, state: TableState) -> None:
        world, held = self._world, state.hold
        assert held is not None
        if not world.is_quiet() and self._chance.random() < 0.9:
            return
        match held.reason:
            case HoldReason.DISK if not world.disk.is_well:
                return
            case HoldReason.SHOE_LINK_LOST if not world.shoe_line.is_plugged:
                return
            case HoldReason.LINE_UNREADABLE if not state.line_reads:
                world.turn_key()
                return
            case HoldReason.SHOE_UNKNOWN if state.owed and self._chance.random() < 0.3:
                self._collect(state)
            case HoldReason.SHOE_UNKNOWN:
                self._ask("start-shoe")
            case _:
                self._judge(state)

    def _judge(self, state: TableState) -> None:
        """Compare the cards: enter what is missing, go on when all is right, else void the coup."""
        world, truth, held = self._world, self._world.truth, state.hold
        assert held is not None
        known = in_order(state.hands)
        if held.reason is HoldReason.DISK:
            self._ask("resume")
            return
        missing = truth.laid[len(known) :] if known == truth.laid[: len(known)] else []
        if state.due is not None and missing and not self._comes(state) and self._chance.random() < 0.9:
            self._ask("card", place=str(state.due), card=missing[0], reason="it lies on the table")
            return
        after, _ = step(state, Resume(0))
        is_refused = after is state
        is_right = not is_refused and truth.bears(after.hands) and self._chance.random() < 0.97
        if is_right or state.conducted in (NO_SHOE, SHOE_ENDED) or self._chance.random() < 0.05:
            self._ask("resume")
        else:
            self._ask("void")
        world.judged += 1

    def _comes(self, state: TableState) -> bool:
        """Whether the card that is due waits already."""
        held, due = state.hold, state.due
        assert held is not None
        assert due is not None
        waiting = held.waiting if held.cause is None else (held.cause, *held.waiting)
        return any(
            isinstance(what, CardRead)
            and what.card is not None
            and (what.target.value, what.index) == (due.hand.value, due.index)
            for what in waiting
        )

    # What nobody should do.

    def _do_anything(self, state: TableState) -> None:
        world, chance = self._world, self._chance
        match chance.randrange(12):
            case 0 | 1 | 2:
                world.draw()
            case 3:
                world.press(chance.choice(KEYS))
            case 4:
                self._bet_anything()
            case 5:
                do = ("open-bets", "close-bets", "confirm", "resume", "void", "reveal", "end-shoe", "start-shoe")
                weights = (5, 5, 5, 5, 4, 2, 0.3, 1)
                self._ask(chance.choices(do, weights)[0])
            case 6:
                card = chance.choice(RANKS) + chance.choice(SUITS)
                self._ask("card", place=chance.choice(PLACES), card=card, reason="guessed")
            case 7 if self._asked:
                old = chance.choice(self._asked)
                if old.shoe == state.shoe:
                    world.ask(old.order_id, old.do, old.fields)
            case 8:
                world.device_order(chance.choice(("result", "error 3", "error 4", "key lock", "key unlock")))
            case 9:
                world.clear_device()
            case 10:
                self._ask("withdraw", seat=chance.randrange(1, 6))
            case _:
                self._ask("state")

    def _bet_anything(self) -> None:
        chance = self._chance
        wager = chance.choice((*WAGERS, "no-such-wager"))
        self._ask(
            "bet", seat=chance.randrange(0, 7), wager=wager, stake=chance.choice((1, 0, -5, 10000, 2**70, 10000000))
        )
