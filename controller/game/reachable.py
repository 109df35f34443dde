"""Every kind of coup that can be dealt, one example of each: what a condition is checked against, exactly.

Two coups are of one kind when they agree in both two-card totals, both third values, and the pairs of both hands.
A shoe of at least two decks is taken for granted: one deck has no perfect pair.
"""

from collections.abc import Iterable, Iterator
from functools import cache

from controller.game.cards import DECK, Card
from controller.game.coup import Coup, Pair
from controller.game.facts import PAIR_FACTS, Facts, Value

_CLUBS = DECK[:13]
_ONE_OF_EACH_VALUE = (_CLUBS[9], *_CLUBS[:9])
_KIND_OF_START = ("player_two", "banker_two", "player_pair", "banker_pair", "same_pair")


def reachable(names: Iterable[str]) -> tuple[Facts, ...]:
    """Facts of coups that between them show every combination of values the named facts can have together."""
    asked = sorted(set(names))
    return _distinct(_every_kind() if PAIR_FACTS.intersection(asked) else _every_kind_without_pair(), asked)


def _distinct(every: Iterable[Facts], names: Iterable[str]) -> tuple[Facts, ...]:
    first: dict[tuple[Value, ...], Facts] = {}
    for facts in every:
        first.setdefault(tuple([facts[name] for name in names]), facts)
    return tuple(first.values())


@cache
def _every_kind() -> tuple[Facts, ...]:
    starts = [Facts(Coup(player, banker)) for player in _hands() for banker in _hands()]
    return tuple(Facts(coup) for start in _distinct(starts, _KIND_OF_START) for coup in _finished(start.coup))


@cache
def _every_kind_without_pair() -> tuple[Facts, ...]:
    hands = [hand for hand in _hands() if hand[0].rank is not hand[1].rank]
    return tuple(Facts(coup) for player in hands for banker in hands for coup in _finished(Coup(player, banker)))


def _hands() -> list[tuple[Card, ...]]:
    """Two cards: of each total an example without a pair, and of each rank a mixed and a perfect pair."""
    first: dict[tuple[object, ...], tuple[Card, ...]] = {}
    for club in _CLUBS:
        for card in DECK:
            hand = Coup(player=(club, card))
            pair = hand.player_pair
            first.setdefault((pair, hand.player_two if pair is Pair.NONE else club.rank), hand.player)
    return list(first.values())


def _finished(coup: Coup) -> Iterator[Coup]:
    if coup.complete:
        yield coup
        return
    for card in _ONE_OF_EACH_VALUE:
        yield from _finished(coup.dealt(card))
