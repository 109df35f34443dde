"""The first four cards of a coup, by kind: every way they can lie as far as the facts asked for tell cards apart.

Cards that no asked fact tells apart are one class. A start is a class for each of the four places, and for two cards
of one class in a hand, where pairs are asked for, whether they are the same card twice (perfect) or not (mixed).
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from controller.game.cards import DECK, Card, Rank, Suit
from controller.game.coup import Coup, Pair
from controller.game.facts import CARD_FACTS, FACTS, ORDER_FACTS, PAIR_FACTS, RANKS, Value, rank_value

TwoOf = tuple[Card, Card]


class Question(NamedTuple):
    """What coups are told apart by: facts, and how finely those of a card's rank look.

    `ranks` has for each of `RANKS` the first that is not told apart from it.
    """

    names: frozenset[str]
    ranks: tuple[Value, ...] = RANKS

    @property
    def cards(self) -> list[str]:
        """The facts of the cards, in order."""
        return sorted(self.names & CARD_FACTS)

    @property
    def others(self) -> list[str]:
        """The facts of value, in order."""
        return sorted(self.names - CARD_FACTS)


class TwoCards(NamedTuple):
    """A hand's first two cards: the class of each, and how the two are alike; NONE where that is not asked.

    `orders` is 2 for two classes of which either may come first. `cards` is an example.
    """

    first: int
    second: int
    alike: Pair
    orders: int
    cards: TwoOf

    @property
    def total(self) -> int:
        return (self.cards[0].value + self.cards[1].value) % 10


Kind = tuple[int, int, tuple[Value, ...]]
"""Both two-card totals, and the value of each asked fact of the cards, in order."""


class Starts(NamedTuple):
    """All starts that the facts of one question tell apart: any of `players` with any of `bankers`.

    `classes` are the cards they are made of. What a start settles is one of `kinds`: for hands n and m the one with
    the number `numbers[player_parts[n]][banker_parts[m]]`; `examples[number]` has both hands of such a start.
    """

    classes: tuple[tuple[Card, ...], ...]
    players: list[TwoCards]
    bankers: list[TwoCards]
    player_parts: list[int]
    banker_parts: list[int]
    numbers: list[list[int]]
    kinds: list[Kind]
    examples: list[tuple[TwoOf, TwoOf]]


# A fact of the first four cards, hand by hand


class Parts(NamedTuple):
    """What of each hand's first two cards a fact needs to know, and the fact's value from both."""

    player: Callable[[TwoOf], Any]
    banker: Callable[[TwoOf], Any]
    joined: Callable[[Any, Any], Value]


def _of_both(part: Callable[[TwoOf], Any], joined: Callable[[Any, Any], Value]) -> Parts:
    return Parts(part, part, joined)


def _of_player(part: Callable[[TwoOf], Value]) -> Parts:
    return Parts(part, _nothing, lambda player, _: player)


def _of_banker(part: Callable[[TwoOf], Value]) -> Parts:
    return Parts(_nothing, part, lambda _, banker: banker)


def _nothing(_cards: TwoOf) -> None:
    return None


def _pair(cards: TwoOf) -> Pair:
    return Coup(cards).player_pair


def _rank_of_pair(cards: TwoOf) -> Rank | None:
    return cards[0].rank if cards[0].rank is cards[1].rank else None


def _counted(counts: Callable[[Card], bool]) -> Parts:
    return _of_both(lambda cards: counts(cards[0]) + counts(cards[1]), lambda player, banker: player + banker)


def _suits_of_nines(cards: TwoOf) -> frozenset[Suit]:
    return frozenset(card.suit for card in cards if card.rank is Rank.NINE)


PARTS: dict[str, Parts] = {
    "player_pair": _of_player(lambda cards: _pair(cards).value),
    "banker_pair": _of_banker(lambda cards: _pair(cards).value),
    "pairs": _of_both(lambda cards: _pair(cards) is not Pair.NONE, lambda player, banker: player + banker),
    "perfect_pairs": _of_both(lambda cards: _pair(cards) is Pair.PERFECT, lambda player, banker: player + banker),
    "same_pair": _of_both(_rank_of_pair, lambda player, banker: player is not None and player is banker),
    "player_first_rank": _of_player(lambda cards: rank_value(cards[0])),
    "player_second_rank": _of_player(lambda cards: rank_value(cards[1])),
    "banker_first_rank": _of_banker(lambda cards: rank_value(cards[0])),
    "banker_second_rank": _of_banker(lambda cards: rank_value(cards[1])),
    "nines_in_four": _counted(lambda card: card.value == 9),
    "nine_suits_in_four": _of_both(_suits_of_nines, lambda player, banker: len(player | banker)),
    "diamond_nines_in_four": _counted(lambda card: card.rank is Rank.NINE and card.suit is Suit.DIAMONDS),
    "sevens_in_four": _counted(lambda card: card.value == 7),
    "sevens": _counted(lambda card: card.value == 7),
}
"""The facts of the cards, as far as the first four settle them: of `sevens` those that are not third cards."""


def parts_of(name: str, asked: Question) -> Parts:
    """How a fact of the cards comes about, its ranks no finer than they are asked for."""
    parts = PARTS[name]
    if name not in ORDER_FACTS:
        return parts
    seen_as = dict(zip(RANKS, asked.ranks, strict=True))
    return Parts(
        lambda cards: seen_as.get(parts.player(cards)), lambda cards: seen_as.get(parts.banker(cards)), parts.joined
    )


def number_of_starts(question: Question) -> int:
    """How many `starts(question)` would be, without making them."""
    players, bankers = _both_hands(_classes(question), question.names)
    return len(players) * len(bankers)


# The starts


@lru_cache(maxsize=4)  # each may hold some megabytes
def starts(question: Question) -> Starts:
    """Every start that the asked facts can tell from another; those that are not of the cards are left aside."""
    asked = [parts_of(name, question) for name in question.cards]
    classes = _classes(question)
    players, bankers = _both_hands(classes, question.names)
    player_parts, of_players = _numbered(players, [part.player for part in asked])
    banker_parts, of_bankers = _numbered(bankers, [part.banker for part in asked])
    joined = [part.joined for part in asked]
    kinds: dict[Kind, int] = {}
    examples: list[tuple[TwoOf, TwoOf]] = []
    numbers = []
    for player, of_player, player_cards in of_players:
        row = []
        for banker, of_banker, banker_cards in of_bankers:
            parts = zip(joined, of_player, of_banker, strict=True)
            values = tuple([join(one, other) for join, one, other in parts])
            number = kinds.setdefault((player, banker, values), len(kinds))
            if number == len(examples):
                examples.append((player_cards, banker_cards))
            row.append(number)
        numbers.append(row)
    return Starts(classes, players, bankers, player_parts, banker_parts, numbers, list(kinds), examples)


def _numbered(
    hands: list[TwoCards], parts: list[Callable[[TwoOf], Any]]
) -> tuple[list[int], list[tuple[int, tuple[Any, ...], TwoOf]]]:
    """For each hand the number of its total and parts, and those that there are, by number, each with an example."""
    found: dict[tuple[int, tuple[Any, ...]], int] = {}
    different: list[tuple[int, tuple[Any, ...], TwoOf]] = []
    numbers = []
    for hand in hands:
        known = hand.total, tuple([part(hand.cards) for part in parts])
        number = found.setdefault(known, len(found))
        if number == len(different):
            different.append((*known, hand.cards))
        numbers.append(number)
    return numbers, different


def _classes(question: Question) -> tuple[tuple[Card, ...], ...]:
    tell = [FACTS[name].apart for name in question.cards if name not in ORDER_FACTS]
    if question.names & ORDER_FACTS:
        seen_as = dict(zip(RANKS, question.ranks, strict=True))
        tell.append(lambda card: seen_as[rank_value(card)])
    classes: dict[tuple[object, ...], list[Card]] = {}
    for card in DECK:
        classes.setdefault((card.value, *[apart(card) for apart in tell if apart]), []).append(card)
    return tuple(tuple(cards) for cards in classes.values())


def _both_hands(classes: tuple[tuple[Card, ...], ...], names: frozenset[str]) -> tuple[list[TwoCards], list[TwoCards]]:
    """Player's hands and Banker's."""
    pairs, orders = bool(PAIR_FACTS & names), ORDER_FACTS & names
    players, bankers = (
        list(_hands(classes, pairs, any(name.startswith(hand) for name in orders))) for hand in ("player", "banker")
    )
    return players, bankers


def _hands(classes: tuple[tuple[Card, ...], ...], pairs: bool, order: bool) -> Iterator[TwoCards]:
    for first, cards in enumerate(classes):
        for second in range(0 if order else first, len(classes)):
            if first != second:
                yield TwoCards(first, second, Pair.NONE, 1 if order else 2, (cards[0], classes[second][0]))
            elif not pairs:
                yield TwoCards(first, first, Pair.NONE, 1, (cards[0], cards[-1]))
            else:
                yield TwoCards(first, first, Pair.PERFECT, 1, (cards[0], cards[0]))
                if len(cards) > 1:
                    yield TwoCards(first, first, Pair.MIXED, 1, (cards[0], cards[1]))
