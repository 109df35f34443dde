"""Where the program dies: between any two of its calls to the outside, by number."""

import random


class KilledHere(BaseException):
    """Power off, kill -9: nothing of the program runs any more. Not an Exception, so that nothing in it catches it."""


class Kills:
    """Counts the calls; the call with the drawn number is the last thing that the program does."""

    def __init__(self, chance: random.Random, mean_calls: int) -> None:
        self._chance = chance
        self._mean_calls = mean_calls
        self._left = 0
        self.place = ""
        self.draw()

    def draw(self) -> None:
        """A new program: how many calls it has to live. One in six does not survive its start."""
        near = self._chance.random() < 0.15
        self._left = self._chance.randrange(1, 40) if near else 40 + int(self._chance.expovariate(1 / self._mean_calls))

    def stop(self) -> None:
        """No kills any more."""
        self._left = -1

    def here(self, place: str) -> None:
        """A call to the outside. Raises KilledHere when it is the last one."""
        self._left -= 1
        if self._left == 0:
            self.place = place
            raise KilledHere(place)
