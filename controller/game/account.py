"""The account of a settled coup: cards, outcome, wagers and money as one plain object, ready to be written as JSON."""

from collections.abc import Iterable

from controller.game.coup import Coup
from controller.game.settlement import Bet, Line, Settlement, settle
from controller.game.wagers import Facts, Paytable, Result, odds_text, resolve_by


def account(paytable: Paytable, bets: Iterable[Bet], coup: Coup) -> dict[str, object]:
    """The account of a complete coup, keys in fixed order; amounts in minor units.

    `wins` and `pushes` name the paytable's wagers, also those that nobody bet on. Raises what `settle` raises.
    """
    settlement = settle(paytable, bets, coup)
    facts = Facts(coup)
    results = [(wager.id, resolve_by(wager, facts).result) for wager in paytable.wagers]
    wins = [wager for wager, result in results if result is Result.WIN]
    return settled_account(coup, wins, [wager for wager, result in results if result is Result.PUSH], settlement)


def settled_account(
    coup: Coup, wins: Iterable[str], pushes: Iterable[str], settlement: Settlement
) -> dict[str, object]:
    """The same of a coup that is settled already."""
    outcome = _outcome(coup, Facts(coup)) | {"wins": list(wins), "pushes": list(pushes)}
    return outcome | money_account(settlement)


def money_account(settlement: Settlement) -> dict[str, object]:
    """The money alone: a line a bet, and the sums."""
    return {
        "lines": [_line(line) for line in settlement.lines],
        "staked": settlement.staked,
        "returned": settlement.returned,
        "commission": settlement.commission,
        "house_net": settlement.house_net,
    }


def _outcome(coup: Coup, facts: Facts) -> dict[str, object]:
    return {
        "cards_used": facts["cards"],
        "player": [str(card) for card in coup.player],
        "banker": [str(card) for card in coup.banker],
        "player_two": coup.player_two,
        "banker_two": coup.banker_two,
        "player_total": coup.player_total,
        "banker_total": coup.banker_total,
        "winner": facts["winner"],
        "natural": coup.natural.value,
        "player_drew": len(coup.player) == 3,
        "banker_drew": len(coup.banker) == 3,
        "margin": facts["margin"],
        "player_pair": facts["player_pair"],
        "banker_pair": facts["banker_pair"],
    }


def _line(line: Line) -> dict[str, object]:
    return {
        "seat": line.seat,
        "wager": line.wager,
        "stake": line.stake,
        "result": line.result.value,
        "tier": line.tier,
        "odds": None if line.odds is None else odds_text(line.odds),
        "commission": line.commission,
        "won": line.won,
        "returned": line.returned,
    }
