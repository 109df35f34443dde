"""The exact odds of a wager: of all ordered deals of six cards, how many win (by tier), push and lose.

All figures are whole numbers and fractions. The house edge counts commission at its exact rate, before any rounding.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import compress
from math import perm

from controller.game.cards import DECK, Card
from controller.game.facts import Facts
from controller.game.kinds import Kinds, summed
from controller.game.odds_cards import Counted, Row, card_ways
from controller.game.odds_values import ways_by_course
from controller.game.reachable import course_kinds, course_rows, every_course
from controller.game.shoe import Inventory, ShoeEmpty
from controller.game.starts import Question
from controller.game.wagers import Wager, resolve_kinds

MOST_DECKS = 12

Chance = tuple[Facts, int]
"""The facts of one coup of a kind, and the ways of that kind."""


@dataclass(slots=True)
class Chances:
    """What a shoe can deal: `left` counts each card. Kinds of coups are counted when they are first asked for."""

    left: Mapping[Card, int]
    _courses: list[int] | None = None
    _known: dict[Question, tuple[Kinds, list[int]]] = field(default_factory=dict)

    @classmethod
    def of(cls, decks: int, without: Iterable[Card] = ()) -> "Chances":
        """A whole shoe, or one with these cards gone.

        Raises ForeignCard when more of a card is gone than the decks hold, ShoeEmpty when fewer than six are left.
        """
        assert 1 <= decks <= MOST_DECKS, f"a shoe has 1 to {MOST_DECKS} decks, not {decks}"
        inventory = Inventory.full(decks)
        for card in without:
            inventory = inventory.without(card)
        if inventory.cards_left < 6:
            raise ShoeEmpty(f"{inventory.cards_left} cards are left; a coup needs six")
        return cls({card: decks - inventory.out(card) for card in DECK})

    @property
    def total(self) -> int:
        """All ordered deals of six cards: n (n-1) ... (n-5)."""
        return perm(sum(self.left.values()), 6)

    def by(self, names: frozenset[str]) -> list[Chance]:
        """For each combination of values that the named facts can have: an example, and its ways, all above zero."""
        asked = Question(names)
        counted, found = self._counted(asked), []
        for row, ways in counted.ways.items():
            facts = Facts(counted.coup(row))
            facts.update(zip((*asked.cards, *asked.others), row, strict=True))
            found.append((facts, ways))
        return found

    def kinds(self, question: Question) -> tuple[Kinds, list[int]]:
        """Kinds of coups as a table, and the ways of each; without facts of the cards every course is a kind."""
        if not question.cards:
            return course_kinds(), self._course_ways()
        if question not in self._known:
            ways = card_ways(self.left, question).ways
            self._known[question] = Kinds.of((*question.cards, *question.others), list(ways)), list(ways.values())
        return self._known[question]

    def _course_ways(self) -> list[int]:
        """The ways of each of `every_course()`."""
        if self._courses is None:
            counts = [0] * 10
            for card, number in self.left.items():
                counts[card.value] += number
            self._courses = ways_by_course(counts)
        return self._courses

    def _counted(self, question: Question) -> Counted:
        if question.cards:
            return card_ways(self.left, question)
        of_course = self._course_ways()
        rows, courses = list(course_rows(question.others)), every_course()
        sums: defaultdict[Row, int] = defaultdict(int)
        for row, ways in zip(rows, of_course, strict=True):
            sums[row] += ways
        dealt = compress(range(len(rows)), of_course)
        examples = {rows[course]: (courses[course], course) for course in dealt}
        return Counted({row: ways for row, ways in sums.items() if ways}, examples)


@dataclass(frozen=True, slots=True)
class Odds:
    """What becomes of a wager: ways of each tier, to push and to lose; `nets` is what each tier wins of one staked."""

    tiers: tuple[int, ...]
    push: int
    lose: int
    nets: tuple[Fraction, ...]

    @property
    def win(self) -> int:
        return sum(self.tiers)

    @property
    def total(self) -> int:
        return self.win + self.push + self.lose

    @property
    def hit(self) -> Fraction:
        """How often it wins."""
        return Fraction(self.win, self.total)

    @property
    def house_edge(self) -> Fraction:
        """What the house keeps of each unit staked; below zero when it pays."""
        return (self.lose - self._won(1)) / self.total

    @property
    def house_edge_resolved(self) -> Fraction | None:
        """What the house keeps of each unit that won or lost, pushes left out; None when every coup pushes."""
        resolved = self.win + self.lose
        return (self.lose - self._won(1)) / resolved if resolved else None

    @property
    def variance(self) -> Fraction:
        """Of what one unit staked wins; its root is the standard deviation."""
        return (self.lose + self._won(2)) / self.total - self.house_edge**2

    def _won(self, power: int) -> Fraction:
        return sum((ways * net**power for ways, net in zip(self.tiers, self.nets, strict=True)), Fraction(0))


def odds(wager: Wager, chances: Chances) -> Odds:
    """The exact odds of a wager on what this shoe can deal."""
    kinds, ways = chances.kinds(wager.question())
    winning, pushing = resolve_kinds(wager, kinds)
    tiers = tuple(summed(ways, some) for some in winning)
    push = summed(ways, pushing)
    lose = sum(ways) - sum(tiers) - push
    kept = 1 - wager.commission
    return Odds(tiers, push, lose, tuple(tier.pays * kept for tier in wager.tiers))


def outcomes(chances: Chances) -> dict[str, int]:
    """Ways of each outcome: "player", "banker", "tie"."""
    found = dict.fromkeys(("player", "banker", "tie"), 0)
    for facts, ways in chances.by(frozenset({"winner"})):
        found[str(facts["winner"])] = ways
    return found


def percent_text(exact: Fraction, places: int = 4) -> str:
    """As a percentage, rounded, halves to even: "1.0579 %"."""
    scaled = round(exact * 10 ** (places + 2))
    whole, part = divmod(abs(scaled), 10**places)
    return f"{'-' if scaled < 0 else ''}{whole}.{part:0{places}} %"
