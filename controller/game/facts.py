"""The facts of a coup that a wager may ask for: one table, a name, the values it can have, and how it is read."""

from collections.abc import Callable
from typing import NamedTuple

from controller.game.cards import Card, Rank, Suit
from controller.game.coup import Coup, Pair, winner_by

Value = int | str | bool


class Fact(NamedTuple):
    """`domain` holds every value the fact can have, in order; `of` reads it from a complete coup.

    `apart` says how cards must be told apart beyond their point value to know it, None when the value is enough.
    `of_totals` reads it from both final totals alone, None when they are not enough.
    """

    domain: tuple[Value, ...]
    of: Callable[[Coup], Value]
    apart: Callable[[Card], object] | None = None
    of_totals: Callable[[int, int], Value] | None = None


def _of_totals(domain: tuple[Value, ...], of: Callable[[int, int], Value]) -> Fact:
    return Fact(domain, lambda coup: of(*totals(coup)), of_totals=of)


class Facts(dict[str, Value]):
    """The facts of one coup, each worked out when first asked for: `Facts(coup)["winner"]`. KeyError for no fact."""

    __slots__ = ("coup",)

    def __init__(self, coup: Coup) -> None:
        self.coup = coup

    def __missing__(self, name: str) -> Value:
        value = self[name] = FACTS[name].of(self.coup)
        return value


def totals(coup: Coup) -> tuple[int, int]:
    """Both hands' final totals."""
    player, banker = coup.player_total, coup.banker_total
    assert player is not None, f"{coup} has no total"
    assert banker is not None, f"{coup} has no total"
    return player, banker


def _third(value: int | None) -> Value:
    return "none" if value is None else value


def _pairs(coup: Coup) -> int:
    return (coup.player_pair is not Pair.NONE) + (coup.banker_pair is not Pair.NONE)


def _perfect_pairs(coup: Coup) -> int:
    return (coup.player_pair is Pair.PERFECT) + (coup.banker_pair is Pair.PERFECT)


def _same_pair(coup: Coup) -> bool:
    return _pairs(coup) == 2 and coup.player[0].rank is coup.banker[0].rank


def _first_four(coup: Coup) -> tuple[Card, ...]:
    return (*coup.player[:2], *coup.banker[:2])


def _nine_suits(coup: Coup) -> int:
    return len({card.suit for card in _first_four(coup) if card.rank is Rank.NINE})


def _diamond_nines(coup: Coup) -> int:
    return sum(card.rank is Rank.NINE and card.suit is Suit.DIAMONDS for card in _first_four(coup))


def rank_value(card: Card) -> Value:
    """A card's rank as the facts write it."""
    return card.value if 2 <= card.value <= 9 else card.rank.value


def _suit_of_a_nine(card: Card) -> Suit | None:
    return card.suit if card.rank is Rank.NINE else None


def _by_rank(card: Card) -> Rank:
    return card.rank


_TOTAL = tuple(range(10))
_YES_NO = (True, False)
_PAIR = tuple(pair.value for pair in Pair)
RANKS: tuple[Value, ...] = ("A", *range(2, 10), "T", "J", "Q", "K")
"""The ranks as the facts write them."""

FACTS: dict[str, Fact] = {
    "winner": _of_totals(("player", "banker", "tie"), lambda player, banker: winner_by(player, banker).value),
    "player_total": _of_totals(_TOTAL, lambda player, banker: player),
    "banker_total": _of_totals(_TOTAL, lambda player, banker: banker),
    "total": _of_totals(_TOTAL, max),
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
    "margin": _of_totals(_TOTAL, lambda player, banker: abs(player - banker)),
    "player_pair": Fact(_PAIR, lambda coup: coup.player_pair.value, apart=_by_rank),
    "banker_pair": Fact(_PAIR, lambda coup: coup.banker_pair.value, apart=_by_rank),
    "pairs": Fact((0, 1, 2), _pairs, apart=_by_rank),
    "perfect_pairs": Fact((0, 1, 2), _perfect_pairs, apart=_by_rank),
    "points": _of_totals(tuple(range(19)), lambda player, banker: player + banker),
    "same_pair": Fact(_YES_NO, _same_pair, apart=_by_rank),
    "player_first_rank": Fact(RANKS, lambda coup: rank_value(coup.player[0]), apart=_by_rank),
    "player_second_rank": Fact(RANKS, lambda coup: rank_value(coup.player[1]), apart=_by_rank),
    "banker_first_rank": Fact(RANKS, lambda coup: rank_value(coup.banker[0]), apart=_by_rank),
    "banker_second_rank": Fact(RANKS, lambda coup: rank_value(coup.banker[1]), apart=_by_rank),
    "nines_in_four": Fact(tuple(range(5)), lambda coup: sum(card.value == 9 for card in _first_four(coup))),
    "nine_suits_in_four": Fact(tuple(range(5)), _nine_suits, apart=_suit_of_a_nine),
    "diamond_nines_in_four": Fact(tuple(range(5)), _diamond_nines, apart=_suit_of_a_nine),
    "sevens_in_four": Fact(tuple(range(5)), lambda coup: sum(card.value == 7 for card in _first_four(coup))),
    "sevens": Fact(
        tuple(range(7)),
        lambda coup: sum(card.value == 7 for card in (*coup.player, *coup.banker)),
    ),
}

PAIR_FACTS = frozenset({"player_pair", "banker_pair", "pairs", "perfect_pairs", "same_pair"})
"""The facts that look at whether two cards are the same in rank, or in rank and suit."""

ORDER_FACTS = frozenset({"player_first_rank", "player_second_rank", "banker_first_rank", "banker_second_rank"})
"""The facts that tell a hand's first card from its second."""

SINGLE_CARD_FACTS = ORDER_FACTS | {
    "nines_in_four", "nine_suits_in_four", "diamond_nines_in_four", "sevens_in_four", "sevens",
}  # fmt: skip
"""The facts that look at what a single card is."""

CARD_FACTS = PAIR_FACTS | SINGLE_CARD_FACTS
"""The facts that look at the cards; all others follow from both two-card totals and the values of the third cards."""

INITIAL_FACTS = (CARD_FACTS - {"sevens"}) | {
    "player_two", "banker_two", "player_natural", "banker_natural", "natural", "both_natural",
}  # fmt: skip
"""The facts that are settled once each hand has its first two cards."""
