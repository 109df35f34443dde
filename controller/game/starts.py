"""The first four cards of a coup, by kind: every way they can lie as far as the facts asked for tell cards apart.

Cards that no asked fact tells apart are one class. A start is a class for each of the four places, and for two cards
of one class in a hand, where pairs are asked for, whether they are the same card twice (perfect) or not (mixed).
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from controller.game.cards import DECK, Card
from controller.game.coup import Coup, Pair
from controller.game.facts import FACTS, INITIAL_FACTS, ORDER_FACTS, PAIR_FACTS, Facts, Value


class TwoCards(NamedTuple):
    """A hand's first two cards: the class of each, and how the two are alike; NONE where that is not asked.

    `orders` is 2 for two classes of which either may come first. `cards` is an example.
    """

    first: int
    second: int
    alike: Pair
    orders: int
    cards: tuple[Card, Card]


class Start(NamedTuple):
    """Both hands, and what the start settles: `kind` is both two-card totals and the value of each asked fact."""

    player: TwoCards
    banker: TwoCards
    kind: tuple[Value, ...]


class Starts(NamedTuple):
    """All starts that the facts of one question tell apart, and the classes of cards they are made of."""

    classes: tuple[tuple[Card, ...], ...]
    starts: tuple[Start, ...]


def plain(names: frozenset[str]) -> frozenset[str]:
    """The plainest facts from which the named ones follow."""
    found: set[str] = set()
    for name in names:
        found |= plain(frozenset(FACTS[name].follows_from)) or {name}
    return frozenset(found)


@lru_cache(maxsize=8)  # each holds some megabytes
def starts(names: frozenset[str]) -> Starts:
    """Every start that the named plain facts can tell from another; those that are not initial are left aside."""
    asked = sorted(names & INITIAL_FACTS)
    classes = _classes(asked)
    players, bankers = (
        tuple(_hands(classes, bool(PAIR_FACTS & names), any(name.startswith(hand) for name in ORDER_FACTS & names)))
        for hand in ("player", "banker")
    )
    found: list[Start] = []
    for player in players:
        for banker in bankers:
            facts = Facts(Coup(player.cards, banker.cards))
            kind = (facts["player_two"], facts["banker_two"], *[facts[name] for name in asked])
            found.append(Start(player, banker, kind))
    return Starts(classes, tuple(found))


def _classes(asked: list[str]) -> tuple[tuple[Card, ...], ...]:
    tell = [FACTS[name].apart for name in asked]
    classes: dict[tuple[object, ...], list[Card]] = {}
    for card in DECK:
        classes.setdefault((card.value, *[apart(card) for apart in tell if apart]), []).append(card)
    return tuple(tuple(cards) for cards in classes.values())


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
