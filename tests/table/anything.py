"""Anything that can happen to a table: every kind of input, likely ones and absurd ones, made from a few numbers."""

from one_table import house

from controller.game.cards import DECK
from controller.game.coup import PLACES, Hand
from controller.table import inputs
from controller.table.inputs import CardRead, Link, LinkState, Target
from controller.table.machine import BURNING, Phase
from controller.table.state import new_table

WAGER_NAMES = ("player", "banker", "tie", "player-pair", "no-such")


def wanted_card(state, at_ms, card):
    """The report that a good shoe would send next."""
    if state.conducted is BURNING:
        if state.burn_due is None and not state.first_card_out:
            return CardRead(at_ms, Target.FIRST, 1, card)
        return CardRead(at_ms, Target.BURN, len(state.burned) + 1, card)
    place = state.due or PLACES[0]
    if place == PLACES[0] and state.kept:
        card = state.kept
    target = Target.PLAYER if place.hand is Hand.PLAYER else Target.BANKER
    return CardRead(at_ms, target, place.index, card)


def one_of_each(state, at_ms, number):
    """By name, one input of every kind; `number` chooses among its fields."""
    card = DECK[number % 52]
    rules = state.rules
    unseen = None if number % 7 == 0 else card
    place = state.due if state.due and number % 5 else PLACES[number % 6]
    link = Link.SHOE if number % 4 else Link.DISPLAY
    shoe_link = (LinkState.UP, LinkState.UP, LinkState.DOWN)[number % 3]
    return {
        "wanted card": wanted_card(state, at_ms, card),
        "unreadable card": wanted_card(state, at_ms, None),
        "any card": CardRead(at_ms, tuple(Target)[number % 5], number % 13, unseen),
        "card outside play": inputs.CardOutsidePlay(at_ms, "lock", unseen),
        "overdrawn": inputs.CardOverdrawn(at_ms, unseen),
        "power": inputs.ShoePowered(at_ms),
        "cut card": inputs.CutCardOut(at_ms),
        "result": inputs.ShoeResult(
            at_ms,
            ("player", "banker", "tie", "forced-end")[number % 4],
            ("none", "player", "banker", "both")[number // 4 % 4],
        ),
        "error": inputs.ShoeFault(at_ms, (1, 2, 3, 6, 63, 0)[number % 6]),
        "error over": inputs.ShoeFaultCleared(at_ms, (1, 2, 3, 6, 63, 0)[number % 6]),
        "noted": inputs.ShoeNoted(at_ms, "stand by"),
        "report missed": inputs.ReportMissed(at_ms, 1, number % 9 + 1),
        "unconfirmed": inputs.ReportUnconfirmed(at_ms, "D"),
        "unreadable line": inputs.LineUnreadable(at_ms, 20),
        "damaged": inputs.FramesDamaged(at_ms, 3),
        "open": inputs.OpenBets(at_ms),
        "close": inputs.CloseBets(at_ms),
        "bet": inputs.PlaceBet(at_ms, number % 7, WAGER_NAMES[number % 5], (100, 20, 1, 0, -5, 2**63)[number % 6]),
        "withdraw": inputs.WithdrawBets(at_ms, number % 4, ("", "player", "banker")[number % 3]),
        "reveal": inputs.RevealCards(at_ms),
        "confirm": inputs.Confirm(at_ms),
        "start shoe": inputs.StartShoe(at_ms),
        "end shoe": inputs.EndShoe(at_ms),
        "resume": inputs.Resume(at_ms),
        "void": inputs.VoidCoup(at_ms),
        "enter": inputs.EnterCard(at_ms, place, card, ("seen", " ")[number % 9 == 0]),
        "collect": inputs.CollectCommission(at_ms, number % 6),
        "started": inputs.ProgramStarted(at_ms, rules, f"1.{number % 8 == 0:d}", shoe_link, LinkState.NONE),
        "accept": inputs.AcceptChange(at_ms, "A. Supervisor", "release 7"),
        "stopped": inputs.ProgramStopped(at_ms),
        "tick": inputs.Tick(at_ms),
        "line lost": inputs.LinkLost(at_ms, link, "gone"),
        "line back": inputs.LinkRestored(at_ms, link),
        "disk": inputs.DiskFailed(at_ms, "no space left"),
        "record broken": inputs.RecordBroken(at_ms, "row 7"),
    }


KINDS = tuple(one_of_each(new_table(house()), 0, 0))
"""The names, in the order of `one_of_each`."""

BUT_TILT = KINDS[:-1]


def good_next(state, number):
    """The name of what a good shoe and a good dealer do next; at a held table one of the ways out."""
    match state.phase:
        case Phase.SHOE_ENDED if state.owed:
            return "collect"
        case Phase.NO_SHOE | Phase.SHOE_ENDED:
            return "start shoe"
        case Phase.BETTING if number % 3 == 0:
            return "bet"
        case Phase.BETTING if state.first_card_closes or number % 11 == 0:
            return "wanted card"
        case Phase.BETTING:
            return "close"
        case Phase.SETTLING:
            return "confirm"
        case Phase.HELD:
            out = ("resume", "resume", "enter", "void", "line back", "error over", "noted", "wanted card", "accept")
            return out[number % 9]
        case _:
            return "wanted card"


def evening(table, random, length, trouble):
    """So many inputs, each with this chance one of any kind, else the good one."""
    for _ in range(length):
        table.now_ms += random.choice((0, 50, 3000))
        number = random.randrange(5040)
        kind = random.choice(BUT_TILT) if random.random() < trouble else good_next(table.state, number)
        table.take(one_of_each(table.state, table.now_ms, number)[kind])
    return table
