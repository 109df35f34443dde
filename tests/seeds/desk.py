"""The control desk of a table in memory: people ask, the program answers, or dies before it does."""

from collections import deque
from collections.abc import Callable, Mapping

from controller.host.control import Request
from tests.seeds.kills import Kills

Events = Callable[[int, int], list[dict[str, object]]]
PAGE = 50


class Desk:
    """What a ControlServer is to the loop. `answered` and `followed` are told what comes out."""

    path = "desk"

    def __init__(
        self,
        kills: Kills,
        answered: Callable[[Request, Mapping[str, object]], None],
        followed: Callable[[Mapping[str, object]], None],
        cursor: int,
    ) -> None:
        self._kills = kills
        self._answered = answered
        self._followed = followed
        self._cursor = cursor
        self._asked: deque[Request] = deque()
        self._open: dict[int, Request] = {}
        self._clients = 0

    def ask(self, order_id: str, do: str, fields: Mapping[str, object]) -> None:
        """Somebody asks."""
        self._clients += 1
        self._asked.append(Request(self._clients, order_id, do, fields))

    def poll(self) -> list[Request]:
        requests = list(self._asked)
        self._asked.clear()
        self._open |= {request.client: request for request in requests}
        return requests

    def answer(self, client: int, answer: Mapping[str, object]) -> None:
        self._kills.here("before an answer")
        self._answered(self._open.pop(client), answer)
        self._kills.here("after an answer")

    def pump(self, events_after: Events) -> None:
        for event in events_after(self._cursor, PAGE):
            seq = event["seq"]
            assert isinstance(seq, int)
            self._cursor = seq
            self._followed(event)

    def fileno(self) -> int:
        return -1

    def close(self) -> None:
        """Nothing to give back."""
