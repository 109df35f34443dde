"""Progress of long work, on a terminal only."""

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Work = TypeVar("Work")

EVERY = 500
"""So many steps between two looks at the screen."""


def watched(work: Iterable[Work], name: str, say: Callable[[Work], str]) -> Iterator[Work]:
    """The same items; how far it is shows on stderr while that is a terminal."""
    if not sys.stderr.isatty():
        yield from work
        return
    from rich.console import Console

    with Console(stderr=True).status(name) as status:
        for number, item in enumerate(work):
            if number % EVERY == 0:
                status.update(f"{name}: {say(item)}")
            yield item


def last(items: Iterable[Work]) -> Work:
    """The last of at least one item, none of the others kept."""
    (item,) = deque(items, maxlen=1)
    return item
