"""One table to be told what happens and asked what is seen: the words that the tests of this folder are written in.

Every step is checked against what must always hold (`always_so`), so each test of the manual is a test of that too.
"""

from fractions import Fraction

from always_so import Ledger, check_step

from controller.game.cards import parse_card
from controller.game.coup import parse_place
from controller.game.shoe import BurnBy, BurnRule, CutCard
from controller.game.wagers import Collect, Condition, Paytable, Rounding, RoundMode, Settles, Tier, Wager
from controller.table import inputs
from controller.table.events import InputRefused
from controller.table.holds import waiting_reports
from controller.table.inputs import CardRead, Link, LinkState, Target
from controller.table.rules import CloseBy, EmptyCoup, HouseRules, Limit, Reveal
from controller.table.state import TableState, new_table
from controller.table.table import step

TIE = Condition.of({"winner": "tie"})
WAGERS = (
    Wager("player", (Tier(Condition.of({"winner": "player"}), Fraction(1)),), TIE),
    Wager("banker", (Tier(Condition.of({"winner": "banker"}), Fraction(1)),), TIE, Fraction(1, 20)),
    Wager("tie", (Tier(TIE, Fraction(8)),)),
    Wager(
        "player-pair",
        (Tier(Condition.of({"player_pair": ("mixed", "perfect")}), Fraction(11)),),
        settles=Settles.INITIAL_DEAL,
    ),
)
BY_FIRST_CARD = BurnRule(BurnBy.FIRST_CARD)
NO_BURN = BurnRule(BurnBy.NONE)
PLAYER_WINS = "9C 2D TC TD"
"""Four cards: Player's natural 9 against Banker's 2."""
SIX_CARDS = "2C 3D TC TD 5H 4S"
"""Player 2 draws a 5, Banker 3 draws a 4: 7 to 7, a tie."""
FIVE_CARDS = "6C 5D TC TD 4S"
"""Player stands on 6; the fifth card is Banker's: 6 to 9."""

SHORT = {"P": Target.PLAYER, "B": Target.BANKER, "burn": Target.BURN, "first": Target.FIRST, "count": Target.COUNT}
DEALING_ORDER = ("P1", "B1", "P2", "B2")


def house(collect=Collect.EACH_WIN, mode=RoundMode.DOWN, limits=(), **changes):
    """House rules: eight decks, no burn, the button closes and confirms, one coup after the cut card's."""
    rules = {
        "identity": "rules-1",
        "table": "bac-01",
        "name": "Test table",
        "language": "en",
        "currency": "THB",
        "decimals": 2,
        "seats": (1, 2, 3, 5),
        "simulation": False,
        "paytable": Paytable("5 %", collect, Rounding(mode=mode), WAGERS),
        "limits": tuple((wager, Limit(*limit)) for wager, *limit in limits),
        "differential": None,
        "bar_both_sides": False,
        "close_by": CloseBy.BUTTON,
        "betting_s": 20,
        "empty_coup": EmptyCoup.DEAL,
        "reveal": Reveal.AT_ONCE,
        "settle_after_s": None,
        "decks": 8,
        "burn": NO_BURN,
        "cut_card": CutCard(14, 1),
        "quiet_s": 30,
    }
    return HouseRules(**rules | changes)


def card_read(text, at_ms=0):
    """ "P1 7C", "burn 3 ??", "first 1 KH", "count 5" as the shoe reports it."""
    where, *face = text.split()
    name = where.rstrip("0123456789")
    index = int(where[len(name) :]) if where[len(name) :] else int(face.pop(0))
    card = parse_card(face[0]) if face and face[0] != "??" else None
    return CardRead(at_ms, SHORT[name], index, card)


def places(cards, player_third=None):
    """Cards in dealing order with the places that belong to them: "P1 7C", "B1 2D", ..."""
    faces = cards.split()
    values = [parse_card(face).value for face in faces]
    fifth = "P3" if len(faces) > 4 and (values[0] + values[2]) % 10 <= 5 else "B3"
    return [f"{place} {face}" for place, face in zip((*DEALING_ORDER, fifth, "B3"), faces, strict=False)]


class OneTable:
    """A table, its clock, and what was said so far."""

    def __init__(self, state: TableState | None = None, **rules):
        self.state = state or new_table(house(**rules))
        self.now_ms = 0
        self.events = []
        self.said = ()
        self.inputs = []
        self._first = self.state
        self._ledger = Ledger()

    # What happens.

    def take(self, what):
        """One input, as it is."""
        before = self.state
        self.state, self.said = step(before, what)
        self.inputs.append(what)
        self.events += self.said
        check_step(before, what, self.state, self.said, self._ledger)
        return self

    def happens(self, kind, *fields):
        """One input of this kind, now."""
        return self.take(kind(self.now_ms, *fields))

    def passes(self, seconds):
        """Time passes, and the table is told when it asked to be."""
        until = self.now_ms + seconds * 1000
        while (due := self.state.next_tick_ms()) is not None and due <= until:
            self.now_ms = max(self.now_ms, due)
            self.happens(inputs.Tick)
        self.now_ms = until
        return self

    def shoe_starts(self):
        return self.happens(inputs.StartShoe)

    def closes(self):
        return self.happens(inputs.CloseBets)

    def draws(self, *cards):
        """The shoe reports cards: "P1 7C" ..."""
        for card in cards:
            self.take(card_read(card, self.now_ms))
        return self

    def deals(self, cards):
        """The shoe reports these cards of a coup from its first, each for the right place."""
        return self.draws(*places(cards))

    def plays(self, cards):
        """A whole coup: close, deal, confirm."""
        return self.closes().deals(cards).confirms()

    def confirms(self):
        return self.happens(inputs.Confirm)

    def bets(self, seat, wager, stake):
        return self.happens(inputs.PlaceBet, seat, wager, stake)

    def resumes(self):
        return self.happens(inputs.Resume)

    def voids(self):
        return self.happens(inputs.VoidCoup)

    def enters(self, place, card, reason="read at the table"):
        return self.happens(inputs.EnterCard, parse_place(place), parse_card(card), reason)

    def cut_card(self):
        return self.happens(inputs.CutCardOut)

    def powers_on(self):
        return self.happens(inputs.ShoePowered)

    def tells(self, outcome, pairs="none"):
        return self.happens(inputs.ShoeResult, outcome, pairs)

    def errs(self, code):
        return self.happens(inputs.ShoeFault, code)

    def recovers(self, code):
        return self.happens(inputs.ShoeFaultCleared, code)

    def overdraws(self, card):
        return self.happens(inputs.CardOverdrawn, parse_card(card))

    def loses_reports(self, number=1):
        return self.happens(inputs.ReportMissed, 1, (number % 9) + 1)

    def unplugs(self):
        return self.happens(inputs.LinkLost, Link.SHOE, "port gone")

    def plugs_in(self):
        return self.happens(inputs.LinkRestored, Link.SHOE)

    def restarts(self, rules=None, shoe_link=LinkState.UP, version="1.0"):
        rules = rules or self.state.rules
        return self.happens(inputs.ProgramStarted, rules, version, shoe_link, LinkState.NONE)

    # What is seen.

    @property
    def phase(self):
        return self.state.phase.value

    @property
    def where(self):
        """Phase and coup: "betting 1"."""
        return f"{self.state.phase.value} {self.state.coup}"

    @property
    def held(self):
        """Why and where the table is held: "report-lost at dealing"; None when it is not."""
        return self.state.hold and f"{self.state.hold.reason.value} at {self.state.hold.at.value}"

    @property
    def waiting(self):
        return waiting_reports(self.state.hold)

    @property
    def refused(self):
        """The id by which the last input was refused; None when it was not."""
        return next((event.reason.value for event in self.said if isinstance(event, InputRefused)), None)

    @property
    def said_names(self):
        return [type(event).__name__ for event in self.said]

    @property
    def hands(self):
        return str(self.state.hands)

    @property
    def out(self):
        """How many cards are out of the shoe, seen or not."""
        return self.state.rules.decks * 52 - self.state.inventory.cards_left

    def out_of(self, card):
        return self.state.inventory.out(parse_card(card))

    def all_said(self, kind):
        return [event for event in self.events if isinstance(event, kind)]

    def replayed(self):
        """The state that the same inputs lead to again, and the events."""
        state, events = self._first, []
        for what in self.inputs:
            state, said = step(state, what)
            events += said
        return state, events


def betting(**rules):
    """A table whose first coup's bets are open."""
    return OneTable(**rules).shoe_starts()


def bets_closed(**rules):
    return betting(**rules).closes()


def dealt(cards, **rules):
    """A table with these cards of its first coup out."""
    return bets_closed(**rules).deals(cards)


def burning(**rules):
    return OneTable(**{"burn": BY_FIRST_CARD} | rules).shoe_starts()


def shoe_ended(**rules):
    return betting(**rules).happens(inputs.EndShoe)


def owing_at_the_end(**rules):
    """A shoe that its cut card ended with commission still owed: seat 3 owes 5."""
    table = betting(**{"collect": Collect.LEDGER, "cut_card": CutCard(14, 0)} | rules).bets(3, "banker", 100)
    return table.closes().deals(FIVE_CARDS).cut_card().confirms()
