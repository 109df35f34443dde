"""A shoe from its start to its end: begun, its cut card seen, its own results and errors, ended."""

from controller.game.shoe import BurnBy, Inventory
from controller.table.counting import taken
from controller.table.events import (
    CardKept,
    CutCardSeen,
    HoldReason,
    Refusal,
    ShoeBegun,
    ShoeEnded,
    ShoeEndOrdered,
    ShoeFaultCame,
    ShoeFaultOver,
    ShoeReportNoted,
    ShoeResultAgreed,
)
from controller.table.holds import hold
from controller.table.inputs import CardOverdrawn, CutCardOut, ShoeFault, ShoeFaultCleared, ShoePowered, ShoeResult
from controller.table.layout import clear_layout, open_bets, staked
from controller.table.ledger import collect_first
from controller.table.machine import (
    BETS_CLOSED,
    BETTING,
    BURNING,
    IN_COUP,
    IN_PLAY,
    NO_SHOE,
    SETTLING,
    SHOE_ENDED,
    Phase,
)
from controller.table.moment import Moment
from controller.table.road_codes import pairs_of

UNREADABLE_CODES = frozenset({1, 6})
OVERDRAW_CODE = 2
CARD_CODES = UNREADABLE_CODES | {OVERDRAW_CODE}
"""Errors that are about one card."""


def begin(moment: Moment) -> None:
    """A new shoe is in place: rules that waited come into force, the burn begins or bets open."""
    rules = moment.state.next_rules or moment.state.rules
    shoe, due = moment.state.shoe + 1, rules.burn.due(rules.decks, None)
    clear_layout(moment)
    moment.set(
        rules=rules,
        next_rules=None,
        shoe=shoe,
        coup=1,
        inventory=Inventory.full(rules.decks),
        burn_due=due,
        burned=(),
        first_card=None,
        first_card_out=rules.burn.by is not BurnBy.FIRST_CARD,
        burn_told=None,
        road=(),
        cut_card_out=False,
        last_coup=None,
        kept=None,
        reports_missed=0,
    )
    moment.say(ShoeBegun(shoe, rules.decks, rules.identity, due))
    assert moment.go("start_shoe")
    if moment.state.phase is BETTING:
        open_bets(moment, 1)


def powered(moment: Moment, report: ShoePowered) -> None:
    """The shoe was switched on: a new shoe where one is awaited, a hold in a coup, else only noted.

    It is only noted, too, while a seat owes commission of the shoe that is over: then people start the next one.
    """
    state = moment.state
    if state.phase is SHOE_ENDED and state.owed:
        moment.say(ShoeReportNoted(f"start of communication; {collect_first(state)}, then start-shoe"))
    elif state.phase is NO_SHOE or (state.phase is SHOE_ENDED and state.cut_card_out):
        begin(moment)
    elif state.phase in IN_COUP:
        moment.set(shoe_began_anew=True)
        hold(moment, HoldReason.SHOE_RESTARTED, f"the shoe restarted in coup {state.coup}", report)
    else:
        moment.say(ShoeReportNoted("start of communication"))


def cut_card_out(moment: Moment, report: CutCardOut) -> None:
    """The cut card came out now."""
    cut_card(moment, moment.state.phase)


def cut_card(moment: Moment, phase: Phase) -> None:
    """The cut card came out: in a coup, so many coups follow it; before a coup's first card, that is the last."""
    state = moment.state
    if phase not in IN_PLAY or state.cut_card_out:
        moment.set(cut_card_out=True)
        moment.say(ShoeReportNoted("the cut card"))
        return
    between = phase in (BURNING, BETTING, BETS_CLOSED)
    more = 0 if between else state.rules.cut_card.coups_after
    last = state.coup + more
    moment.set(cut_card_out=True, last_coup=last if state.last_coup is None else min(last, state.last_coup))
    moment.say(CutCardSeen(more + 1 if between else more))


def overdrawn(moment: Moment, report: CardOverdrawn) -> None:
    """A card is out and not of this coup; the shoe keeps it for the next."""
    if moment.state.phase not in IN_PLAY:
        moment.say(CardKept(report.card))
    elif taken(moment, report.card, report):
        moment.set(kept=report.card)
        moment.say(CardKept(report.card))


def shoe_result(moment: Moment, report: ShoeResult) -> None:
    """The shoe's own result must be ours: of the coup that settles or, once that is confirmed, of the last one."""
    state, ours = moment.state, moment.state.comparable
    told = f"{report.outcome}, pairs {report.pairs}"
    if report.outcome == "forced-end" and (state.phase in IN_COUP or state.phase is SETTLING):
        moment.set(shoe_began_anew=True)
        hold(moment, HoldReason.SHOE_ERROR, f"the shoe ended coup {state.coup} by force", report)
    elif state.phase in IN_COUP:
        what = f"the shoe says {told} and coup {state.coup} is not complete"
        hold(moment, HoldReason.SHOE_RESULT_DIFFERS, what, report)
    elif ours is None or report.outcome == "forced-end":
        moment.say(ShoeReportNoted(f"result {told}"))
    elif (report.outcome, report.pairs) == (ours.hands.winner.value, pairs_of(ours.hands)):
        moment.say(ShoeResultAgreed(ours.shoe, ours.coup))
    else:
        what = (
            f"coup {ours.coup}: the shoe says {told}, ours is {ours.hands.winner.value}, pairs {pairs_of(ours.hands)}"
        )
        hold(moment, HoldReason.SHOE_RESULT_DIFFERS, what, report)


def fault(moment: Moment, report: ShoeFault) -> None:
    """The shoe reports an error: in play the table is held for it."""
    code, phase = report.code, moment.state.phase
    if phase not in IN_PLAY:
        moment.say(ShoeFaultCame(code))
    elif code in UNREADABLE_CODES:
        where = f" for {moment.state.due}" if moment.state.due else ""
        hold(moment, HoldReason.UNREADABLE, f"the shoe could not read a card{where} (error {code})", report, code)
    elif code == OVERDRAW_CODE:
        hold(moment, HoldReason.EXCESS_CARD, "a card too many came out of the shoe (error 2)", report, code)
    else:
        hold(moment, HoldReason.SHOE_ERROR, f"the shoe reports error {code}", report, code)


def fault_noted(moment: Moment, report: ShoeFault) -> None:
    """An error stands from when it is heard, even if it waits to be conducted."""
    moment.set(faults=moment.state.faults | {report.code})


def fault_cleared(moment: Moment, report: ShoeFaultCleared) -> None:
    """The shoe's error is over, at once, held or not."""
    moment.set(faults=moment.state.faults - {report.code})
    moment.say(ShoeFaultOver(report.code))


def end_by_order(moment: Moment) -> None:
    """The house ends the shoe: at once between coups (stakes go back), after the confirm in settling."""
    state = moment.state
    if state.owed:
        moment.refuse("end-shoe", Refusal.LEDGER_OPEN, collect_first(state))
    elif state.phase is SETTLING:
        moment.set(last_coup=state.coup)
        moment.say(ShoeEndOrdered())
    elif moment.go("end_shoe"):
        clear_layout(moment)
        moment.say(ShoeEnded(state.shoe, state.coup - 1, staked(state)))
    else:
        moment.refuse("end-shoe", Refusal.NOT_NOW, f"a shoe cannot be ended in {state.phase.value}")
