"""What became of every wager over some shoes, counted: by arrays where numpy is installed, else by `game`."""

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from itertools import islice

from controller.game.coup import Coup
from controller.game.facts import Facts
from controller.game.wagers import Result, Wager, resolve_by
from controller.lab.simulate_shoe import ShoeRule, coups, shuffled


@dataclass(frozen=True, slots=True)
class Game:
    """What is dealt: shoes of a seed under a rule, these wagers at one unit each."""

    rule: ShoeRule
    wagers: tuple[Wager, ...]
    seed: int
    in_arrays: bool


@dataclass(frozen=True, slots=True)
class Tally:
    """Coups, and for each wager how many each tier won, in order, then how many were pushed, then how many lost."""

    coups: int
    outcomes: tuple[tuple[int, ...], ...]

    def plus(self, other: "Tally") -> "Tally":
        """Both together."""
        pairs = zip(self.outcomes, other.outcomes, strict=True)
        added = tuple(tuple(map(sum, zip(ours, theirs, strict=True))) for ours, theirs in pairs)
        return Tally(self.coups + other.coups, added)


def no_coups(wagers: Iterable[Wager]) -> Tally:
    """A tally to begin with."""
    return Tally(0, tuple((0,) * (len(wager.tiers) + 2) for wager in wagers))


def why_no_arrays() -> str:
    """Why the coups cannot be dealt in arrays, in a few words; empty when they can."""
    try:
        import_module("numpy")
        import_module("controller.lab.simulate_facts")
    except Exception as broken:  # noqa: BLE001 whatever half an installation raises, the slow way needs none of it
        if isinstance(broken, ModuleNotFoundError) and broken.name == "numpy":
            return "without numpy"
        said = next((line.strip() for line in str(broken).splitlines() if line.strip()), "no reason given")
        return f"numpy cannot be used ({type(broken).__name__}: {ascii(said)[1:-1][:120]})"
    return ""


def tally(game: Game, shoes: range, most: int | None = None) -> Tally:
    """All coups of these shoes, or the first `most` of them, shoe after shoe."""
    return _by_arrays(game, shoes, most) if game.in_arrays else _by_game(game, shoes, most)


def _by_game(game: Game, shoes: range, most: int | None) -> Tally:
    dealt = (coup for shoe in shoes for coup in coups(shuffled(game.seed, shoe, game.rule.decks), game.rule))
    counts = [[0] * (len(wager.tiers) + 2) for wager in game.wagers]
    number = 0
    for coup in islice(dealt, most):
        _count(game.wagers, coup, counts)
        number += 1
    return Tally(number, tuple(map(tuple, counts)))


def _count(wagers: tuple[Wager, ...], coup: Coup, counts: list[list[int]]) -> None:
    facts = Facts(coup)
    for wager, counted in zip(wagers, counts, strict=True):
        resolution = resolve_by(wager, facts)
        if resolution.tier is not None:
            counted[resolution.tier - 1] += 1
        else:
            counted[-2 if resolution.result is Result.PUSH else -1] += 1


def _by_arrays(game: Game, shoes: range, most: int | None) -> Tally:
    from controller.lab.simulate_arrays import Dealer
    from controller.lab.simulate_facts import ArrayFacts, outcomes

    dealt = Dealer(game.rule, game.seed).deal(shoes)
    facts = ArrayFacts(dealt if most is None else dealt.first(most))
    return Tally(facts.coups, tuple(outcomes(wager, facts) for wager in game.wagers))
