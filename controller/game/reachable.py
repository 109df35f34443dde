"""Every kind of coup that can be dealt, one example of each: what a condition is checked against, exactly.

A coup without its cards is a course: both two-card totals and the values of both third cards. All facts but those of
the cards follow from it. A shoe of at least two decks is taken for granted: one deck has no perfect pair.
"""

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import starmap

from controller.game.cards import DECK
from controller.game.coup import Coup
from controller.game.facts import FACTS, INITIAL_FACTS, Facts, Value, totals
from controller.game.kinds import Kinds
from controller.game.starts import Question, TwoOf, number_of_starts, starts

ONE_OF_EACH_VALUE = (DECK[9], *DECK[:9])
"""A card for each point value: `ONE_OF_EACH_VALUE[card.value]` counts the same as `card`."""
_WORTHLESS = DECK[12]

Example = tuple[tuple[TwoOf, TwoOf] | None, int]
"""Both hands' first two cards where they matter, and the number of a course among `every_course()`."""


def reachable(names: Iterable[str]) -> tuple[Facts, ...]:
    """Facts of coups that between them show every combination of values the named facts can have together."""
    question = Question(frozenset(names))
    first = _by_cards(question) if question.cards else _by_course(question.others)
    found = []
    for row, example in first.items():
        facts = Facts(_coup(example))
        facts.update(zip((*question.cards, *question.others), row, strict=True))
        found.append(facts)
    return tuple(found)


def reachable_kinds(question: Question) -> Kinds:
    """Kinds of coups that show them, as a table; without facts of the cards every course is a kind."""
    return _of_cards(question)[0] if question.cards else course_kinds()


def example_of(question: Question, number: int) -> Coup:
    """A coup of a kind of `reachable_kinds`."""
    return _coup(_of_cards(question)[1][number]) if question.cards else every_course()[number]


def least_work(question: Question) -> int:
    """What `work` is at least, at once: what is far too much need not even be counted."""
    return (_AT_ALL + number_of_starts(question)) if question.cards else len(every_course()) // 8


def work(question: Question) -> int:
    """How much there is to look through to know all that the asked facts tell apart: starts, and courses after them.

    Counted without looking: what is too much can be refused beforehand.
    """
    if not question.cards or question.names <= INITIAL_FACTS:
        return least_work(question)
    courses = courses_by_totals()
    return least_work(question) + sum(len(courses[player, banker]) for player, banker, _ in starts(question).kinds)


_AT_ALL = 2_000  # what even the fewest cards take


@lru_cache(maxsize=4)  # each may hold some megabytes
def _of_cards(question: Question) -> tuple[Kinds, list[Example]]:
    first = _by_cards(question)
    return Kinds.of([*question.cards, *question.others], list(first)), list(first.values())


def _by_course(names: list[str]) -> dict[tuple[Value, ...], Example]:
    first: dict[tuple[Value, ...], Example] = {}
    for number, row in enumerate(course_rows(names)):
        if row not in first:
            first[row] = None, number
    return first


def _by_cards(question: Question) -> dict[tuple[Value, ...], Example]:
    cards, found = question.cards, starts(question)
    sevens = cards.index("sevens") if "sevens" in cards else None
    endings = _endings(question.others, count_sevens=sevens is not None)
    first: dict[tuple[Value, ...], Example] = {}
    for (player, banker, of_four), example in zip(found.kinds, found.examples, strict=True):
        for more, of_course, course in endings[player, banker]:
            row = with_sevens(of_four, sevens, more) + of_course
            if row not in first:
                first[row] = example, course
    return first


def with_sevens(of_four: tuple[Value, ...], place: int | None, more: int) -> tuple[Value, ...]:
    """The values of card facts with the sevens among the third cards added at the place where all are counted."""
    if place is None or not more:
        return of_four
    return (*of_four[:place], int(of_four[place]) + more, *of_four[place + 1 :])


Ending = tuple[int, tuple[Value, ...], int]
"""Sevens among the third cards (0 when they are not counted), what the course settles, and the course's number."""


def _endings(names: list[str], *, count_sevens: bool) -> dict[tuple[int, int], list[Ending]]:
    """For both two-card totals the courses that follow on them, one for each difference that is asked for."""
    rows = list(course_rows(names))
    found: dict[tuple[int, int], list[Ending]] = {}
    for both, courses in courses_by_totals().items():
        first: dict[tuple[int, tuple[Value, ...]], int] = {}
        for number in courses:
            first.setdefault((third_sevens()[number] if count_sevens else 0, rows[number]), number)
        found[both] = [(more, row, number) for (more, row), number in first.items()]
    return found


# The courses


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


@cache
def courses_by_totals() -> dict[tuple[int, int], list[int]]:
    """For both two-card totals the numbers of the courses that follow on them."""
    found: dict[tuple[int, int], list[int]] = {}
    for number, course in enumerate(every_course()):
        found.setdefault((course.player_two, course.banker_two), []).append(number)
    return found


def course_rows(names: Iterable[str]) -> Iterator[tuple[Value, ...]]:
    """For each of `every_course()` the values of these facts, none of them about the cards."""
    columns = [_course_column(name) for name in names]
    return zip(*columns, strict=True) if columns else iter([()] * len(every_course()))


@cache
def _course_column(name: str) -> tuple[Value, ...]:
    fact = FACTS[name]
    return tuple(map(fact.of, every_course()) if fact.of_totals is None else starmap(fact.of_totals, _totals()))


@cache
def _totals() -> tuple[tuple[int, int], ...]:
    """Both totals of each of `every_course()`."""
    return tuple(map(totals, every_course()))


@cache
def course_kinds() -> Kinds:
    """Each of `every_course()` as a kind, for facts of value only."""
    return Kinds(len(every_course()), _course_column)


@cache
def third_sevens() -> tuple[int, ...]:
    """For each of `every_course()` how many of its third cards are sevens."""
    return tuple((course.player_third_value == 7) + (course.banker_third_value == 7) for course in every_course())


def _coup(example: Example) -> Coup:
    first_four, number = example
    course = every_course()[number]
    if first_four is None:
        return course
    player, banker = first_four
    return Coup(player + course.player[2:], banker + course.banker[2:])
