"""How bad the world of one seed is: which kinds of trouble there are and how often."""

import random
from dataclasses import dataclass


@dataclass(slots=True)
class Troubles:
    """Chances: of the line a copy, of people an act, of the rest a minute. Means: calls that a program lives."""

    lost: float
    repeated: float
    late: float
    noise: float
    drips: float
    panel_noise: float
    unplugs: float
    panel_unplugs: float
    shoe_power: float
    panel_power: float
    device_faults: float
    clumsy: float
    kills: int
    stops: float
    keeps_line: bool
    disk: float
    clock_jumps: float


def troubles_of(chance: random.Random) -> Troubles:
    """Each kind is absent in some runs, so that the others are seen alone and deep in a shoe."""

    def some(most: float, share: float = 0.5) -> float:
        return most * chance.random() ** 2 if chance.random() < share else 0.0

    return Troubles(
        lost=some(0.15),
        repeated=some(0.1),
        late=some(0.08),
        noise=some(0.004),
        drips=some(0.1),
        panel_noise=some(0.001),
        unplugs=some(0.6),
        panel_unplugs=some(0.6),
        shoe_power=some(0.3),
        panel_power=some(0.6),
        device_faults=some(0.08),
        clumsy=some(0.08),
        kills=chance.choice((0, 0, 1000, 4000, 12000)),
        stops=some(0.3),
        keeps_line=chance.random() < 0.5,
        disk=some(0.5, 0.4),
        clock_jumps=some(2.0),
    )


def calm(troubles: Troubles) -> None:
    """All is well from now on: what was begun must come to its end."""
    for name in Troubles.__slots__:
        setattr(troubles, name, 0 if name == "kills" else getattr(troubles, name) if name == "keeps_line" else 0.0)
