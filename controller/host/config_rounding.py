"""What rounding does to a wager at the stakes that a table allows: the least of them, where it weighs most."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice

from controller.game.odds import Odds, percent_text
from controller.game.settlement import NotPayable, winnings
from controller.game.wagers import Collect, Paytable, Wager, odds_text
from controller.host.config_reasons import Reasoned, reasoned
from controller.host.yaml_strict import Document
from controller.table.rules import Limit

_STAKES_LOOKED_AT = 200
"""From the least on. Rounding moves a payout by at most its unit, which weighs less the larger the stake."""


def gained(document: Document, paytable: Paytable, wager: Wager, exact: Odds, limit: Limit) -> Iterator[Reasoned]:
    """The least stake at which rounding leaves the players ahead: an error."""
    for stake in islice(_stakes(limit), _STAKES_LOOKED_AT):
        wins = [_win(paytable, wager, number, stake) for number in range(len(wager.tiers))]
        if None in wins:
            continue  # refused when it is bet
        kept = exact.lose * stake - sum(ways * (win or 0) for ways, win in zip(exact.tiers, wins, strict=True))
        if kept < 0:
            edge = percent_text(-kept / (exact.total * Fraction(stake)))
            what = f"rounded, the players win {edge} of a stake of {stake}"
            cure = "write another rounding, or a larger min and multiple in the table"
            yield reasoned(document, ("wagers", wager.id), "rounding-favours-players", f"{what}; {cure}")
            return


def lost(document: Document, paytable: Paytable, wager: Wager, limit: Limit | None) -> Iterator[Reasoned]:
    """A tier that pays nothing at the least stake, or that cannot be paid where no limit asks for more: warnings."""
    for number, tier in enumerate(wager.tiers):
        at = ("tiers", number, "pays") if document.at("wagers", wager.id, "tiers") else ("pays",)
        for stake in islice(_stakes(limit or Limit(1, 1)), 1):
            win, text = _win(paytable, wager, number, stake), f"{odds_text(tier.pays)} of a stake of {stake}"
            if win == 0 and limit is not None:
                what = f"rounded, {text} wins nothing; write a larger min in the table"
                yield reasoned(document, ("wagers", wager.id, *at), "pays-nothing", what)
            elif win is None and limit is None:
                what = f"{text} cannot be paid exactly; give the wager a limit with a multiple in the table"
                yield reasoned(document, ("wagers", wager.id, *at), "not-payable", what)


def _stakes(limit: Limit) -> range:
    least = -(-limit.minimum // limit.multiple) * limit.multiple
    return range(least, limit.maximum + 1, limit.multiple)


def _win(paytable: Paytable, wager: Wager, number: int, stake: int) -> int | None:
    """What a tier wins in the end, commission off, also where a ledger takes it later; None when it is not payable."""
    try:
        won, commission = winnings(paytable, wager, wager.tiers[number], stake)
    except NotPayable:
        return None
    return won - commission if paytable.collect is Collect.LEDGER else won
