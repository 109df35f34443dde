"""Bets open and close on an empty layout; the clock of the phase runs."""

from controller.game.coup import Coup
from controller.table.events import BetsClosed, BetsOpened, ClosedBy
from controller.table.machine import BETTING, SETTLING
from controller.table.moment import Moment
from controller.table.rules import CloseBy, EmptyCoup
from controller.table.state import TableState


def open_bets(moment: Moment, coup: int) -> None:
    """Bets are open for this coup; a timed period begins."""
    moment.set(coup=coup)
    moment.say(BetsOpened(moment.state.shoe, coup))
    start_clock(moment)


def start_clock(moment: Moment) -> None:
    """Begin the time that the phase allows, anew: to bet, or to settle; none in other phases."""
    rules, phase = moment.state.rules, moment.state.phase
    deadline_ms = None
    if phase is BETTING and rules.close_by is CloseBy.TIMER:
        deadline_ms = moment.at_ms + rules.betting_s * 1000
    elif phase is SETTLING and rules.settle_after_s is not None:
        deadline_ms = moment.at_ms + rules.settle_after_s * 1000
    if deadline_ms != moment.state.deadline_ms:
        moment.set(deadline_ms=deadline_ms)


def clear_layout(moment: Moment) -> None:
    """No cards, no bets, no result on the table."""
    moment.set(
        hands=Coup(),
        declared=(),
        revealed=(0, 0),
        bets=(),
        result=None,
        comparable=None,
        shoe_began_anew=False,
        deadline_ms=None,
    )


def close_bets(moment: Moment, by: ClosedBy) -> None:
    """No more bets."""
    assert moment.go("close_bets")
    moment.set(deadline_ms=None)
    moment.say(BetsClosed(moment.state.coup, by, staked(moment.state)))


def staked(state: TableState) -> int:
    """The sum of all stakes on the layout."""
    return sum(bet.stake for bet in state.bets)


def may_close(state: TableState) -> bool:
    """Whether bets may close: some houses deal no coup on which nobody bet (JP)."""
    return bool(state.bets) or state.rules.empty_coup is EmptyCoup.DEAL
