"""Every kind of coup that can be dealt, one example of each: what a condition is checked against, exactly.

A coup without its cards is a course: both two-card totals and the values of both third cards. All facts but those of
the cards follow from it. A shoe of at least two decks is taken for granted: one deck has no perfect pair.
"""

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

from controller.game.cards import DECK
from controller.game.coup import Coup
from controller.game.facts import CARD_FACTS, Facts, Value
from controller.game.starts import plain, starts

ONE_OF_EACH_VALUE = (DECK[9], *DECK[:9])
"""A card for each point value: `ONE_OF_EACH_VALUE[card.value]` counts the same as `card`."""
_WORTHLESS = DECK[12]


def reachable(names: Iterable[str]) -> tuple[Facts, ...]:
    """Facts of coups that between them show every combination of values the named facts can have together."""
    return _reachable(frozenset(names))


@lru_cache(maxsize=64)
def _reachable(names: frozenset[str]) -> tuple[Facts, ...]:
    asked = sorted(names)
    return _distinct(_by_cards(names) if CARD_FACTS & names else map(Facts, every_course()), asked)


def _distinct(every: Iterable[Facts], names: Iterable[str]) -> tuple[Facts, ...]:
    first: dict[tuple[Value, ...], Facts] = {}
    for facts in every:
        first.setdefault(tuple([facts[name] for name in names]), facts)
    return tuple(first.values())


def _by_cards(names: frozenset[str]) -> Iterator[Facts]:
    """A coup for each combination of the plain facts from which the named ones follow."""
    asked = plain(names)
    endings = _endings(tuple(sorted(asked - CARD_FACTS)))
    kinds: set[tuple[Value, ...]] = set()
    seen: set[tuple[tuple[Value, ...], tuple[Value, ...]]] = set()
    for start in starts(asked).starts:
        if start.kind in kinds:
            continue
        kinds.add(start.kind)
        player_two, banker_two, *of_cards = start.kind
        for values, course in endings[player_two, banker_two]:
            key = (tuple(of_cards), values)
            if key not in seen:
                seen.add(key)
                player, banker = start.player.cards + course.player[2:], start.banker.cards + course.banker[2:]
                yield Facts(Coup(player, banker))


Ending = tuple[tuple[Value, ...], Coup]


def _endings(names: tuple[str, ...]) -> dict[tuple[Value, Value], list[Ending]]:
    """For both two-card totals every course that follows on them, with what these facts are in it."""
    found: dict[tuple[Value, Value], list[Ending]] = {}
    for course in every_course():
        facts = Facts(course)
        ending = tuple([facts[name] for name in names]), course
        found.setdefault((course.player_two, course.banker_two), []).append(ending)
    return found


@cache
def every_course() -> tuple[Coup, ...]:
    """A coup of each course, 3,394 in all."""
    hands = [(card, _WORTHLESS) for card in ONE_OF_EACH_VALUE]
    return tuple(coup for player in hands for banker in hands for coup in finished(Coup(player, banker)))


def finished(coup: Coup) -> Iterator[Coup]:
    """Every way, by value, to complete a coup that has its first four cards."""
    if coup.complete:
        yield coup
        return
    for card in ONE_OF_EACH_VALUE:
        yield from finished(coup.dealt(card))
