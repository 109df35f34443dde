"""Every cell of the tableau, drawing where it stands and standing where it draws."""

from collections.abc import Iterator

from controller.game import tableau
from controller.game.tableau import TABLEAU, THIRD_VALUES, TWO_CARD_TOTALS, Rule, read_tableau
from tools.mutation import ROOT, Mutation

FILE = "controller/game/tableau.py"
TESTS = ("tests/rules/test_third_card.py",)


def mutations() -> Iterator[Mutation]:
    """One a cell: 8 of Player's, 8 of Banker's when Player stood, 80 when Player drew."""
    source = (ROOT / FILE).read_text(encoding="utf-8")
    assert source.count(TABLEAU) == 1
    for name, rule in _rules(read_tableau(TABLEAU)):
        text = source.replace(TABLEAU, printed(rule))
        yield Mutation("tableau", name, FILE, text, TESTS)


def _rules(rule: Rule) -> Iterator[tuple[str, Rule]]:
    player, stood, drew = rule
    for total in sorted(TWO_CARD_TOTALS):
        yield f"Player {total} {_does(total in player)}", rule._replace(player_draws_on=player ^ {total})
    for total in sorted(TWO_CARD_TOTALS):
        changed = rule._replace(banker_draws_on_when_player_stood=stood ^ {total})
        yield f"Banker {total} {_does(total in stood)} when Player stood", changed
    for total in sorted(TWO_CARD_TOTALS):
        for third in sorted(THIRD_VALUES):
            rows = (*drew[:total], drew[total] ^ {third}, *drew[total + 1 :])
            name = f"Banker {total} {_does(third in drew[total])} on Player's third {third}"
            yield name, rule._replace(banker_draws_on_third=rows)


def _does(drew: bool) -> str:
    return "stands" if drew else "draws"


def printed(rule: Rule) -> str:
    """The table that states this rule. It must be a whole one, or the mutation would only be a misprint."""
    ours, tableau._RULE = tableau._RULE, rule
    try:
        text = tableau.printed()
    finally:
        tableau._RULE = ours
    assert read_tableau(text) == rule
    return text
