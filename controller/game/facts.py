"""The facts of a coup that a wager may ask for: one table, a name, the values it can have, and how it is read."""

from collections.abc import Callable
from typing import NamedTuple

from controller.game.coup import Coup, Pair

Value = int | str | bool


class Fact(NamedTuple):
    """`domain` holds every value the fact can have, in order; `of` reads it from a complete coup."""

    domain: tuple[Value, ...]
    of: Callable[[Coup], Value]


class Facts(dict[str, Value]):
    """The facts of one coup, each worked out when first asked for: `Facts(coup)["winner"]`. KeyError for no fact."""

    __slots__ = ("coup",)

    def __init__(self, coup: Coup) -> None:
        self.coup = coup

    def __missing__(self, name: str) -> Value:
        value = self[name] = FACTS[name].of(self.coup)
        return value


def _totals(coup: Coup) -> tuple[int, int]:
    player, banker = coup.player_total, coup.banker_total
    assert player is not None, f"{coup} has no total"
    assert banker is not None, f"{coup} has no total"
    return player, banker


def _margin(coup: Coup) -> int:
    player, banker = _totals(coup)
    return abs(player - banker)


def _third(value: int | None) -> Value:
    return "none" if value is None else value


def _pairs(coup: Coup) -> int:
    return (coup.player_pair is not Pair.NONE) + (coup.banker_pair is not Pair.NONE)


def _perfect_pairs(coup: Coup) -> int:
    return (coup.player_pair is Pair.PERFECT) + (coup.banker_pair is Pair.PERFECT)


def _same_pair(coup: Coup) -> bool:
    return _pairs(coup) == 2 and coup.player[0].rank is coup.banker[0].rank


_TOTAL = tuple(range(10))
_YES_NO = (True, False)
_PAIR = tuple(pair.value for pair in Pair)

FACTS: dict[str, Fact] = {
    "winner": Fact(("player", "banker", "tie"), lambda coup: coup.winner.value),
    "player_total": Fact(_TOTAL, lambda coup: _totals(coup)[0]),
    "banker_total": Fact(_TOTAL, lambda coup: _totals(coup)[1]),
    "total": Fact(_TOTAL, lambda coup: max(_totals(coup))),
    "player_cards": Fact((2, 3), lambda coup: len(coup.player)),
    "banker_cards": Fact((2, 3), lambda coup: len(coup.banker)),
    "cards": Fact((4, 5, 6), lambda coup: len(coup.player) + len(coup.banker)),
    "player_natural": Fact(_YES_NO, lambda coup: coup.player_two >= 8),
    "banker_natural": Fact(_YES_NO, lambda coup: coup.banker_two >= 8),
    "natural": Fact(_YES_NO, lambda coup: coup.player_two >= 8 or coup.banker_two >= 8),
    "both_natural": Fact(_YES_NO, lambda coup: coup.player_two >= 8 and coup.banker_two >= 8),
    "player_two": Fact(_TOTAL, lambda coup: coup.player_two),
    "banker_two": Fact(_TOTAL, lambda coup: coup.banker_two),
    "player_third": Fact((*_TOTAL, "none"), lambda coup: _third(coup.player_third_value)),
    "banker_third": Fact((*_TOTAL, "none"), lambda coup: _third(coup.banker_third_value)),
    "margin": Fact(_TOTAL, _margin),
    "player_pair": Fact(_PAIR, lambda coup: coup.player_pair.value),
    "banker_pair": Fact(_PAIR, lambda coup: coup.banker_pair.value),
    "pairs": Fact((0, 1, 2), _pairs),
    "perfect_pairs": Fact((0, 1, 2), _perfect_pairs),
    "points": Fact(tuple(range(19)), lambda coup: sum(_totals(coup))),
    "same_pair": Fact(_YES_NO, _same_pair),
}

PAIR_FACTS = frozenset({"player_pair", "banker_pair", "pairs", "perfect_pairs", "same_pair"})
"""The facts that look at rank and suit; all others follow from the values of the cards."""

INITIAL_FACTS = PAIR_FACTS | {"player_two", "banker_two", "player_natural", "banker_natural", "natural", "both_natural"}
"""The facts that are settled once each hand has its first two cards."""
