"""What a report reads, as rows of its own: cards, coups and bets follow from the events, in order."""

from collections.abc import Callable, Sequence

from controller.game.settlement import Line
from controller.game.wagers import Facts, odds_text
from controller.table.events import (
    BetPlaced,
    BetsOpened,
    BetsWithdrawn,
    CardBurned,
    CardDealt,
    CardSetAside,
    CoupConfirmed,
    CoupSettled,
    CoupVoided,
    Event,
    FirstCardShown,
    ShoeBegun,
    ShoeEnded,
)

Row = tuple[object, ...]
LARGEST = 2**63 - 1
FOLLOWED = (BetPlaced, BetsWithdrawn, BetsOpened, CoupSettled, ShoeBegun)
"""The events that a tabulator must have seen since the last coup ended, to go on."""


class Tabulator:
    """Follows the events of one table. `shoe` and `coup` are where it is; None before the first."""

    def __init__(self, simulated: int) -> None:
        self.shoe: int | None = None
        self.coup: int | None = None
        self.settled: CoupSettled | None = None
        self.stakes: dict[tuple[int, str], int] = {}
        self.simulated = simulated

    def copy(self) -> "Tabulator":
        """Another one that is where this one is."""
        other = Tabulator(self.simulated)
        other.shoe, other.coup, other.settled, other.stakes = self.shoe, self.coup, self.settled, dict(self.stakes)
        return other

    def belongs(self, event: Event) -> tuple[int | None, int | None]:
        """In which shoe and coup an event is; the table moves on with it."""
        kind = type(event)
        if kind is BetsOpened or kind is ShoeBegun:
            self.shoe, self.coup = event.shoe, getattr(event, "coup", None)  # type: ignore[union-attr]
        return getattr(event, "shoe", self.shoe), getattr(event, "coup", self.coup)

    def follow(self, event: Event) -> None:
        """Stakes and settlement as they stand after this event."""
        match event:
            case BetPlaced():
                self.stakes[event.seat, event.wager] = event.total
            case BetsWithdrawn():
                self.stakes.pop((event.seat, event.wager), None)
            case CoupSettled():
                self.settled = event
            case BetsOpened() | ShoeEnded() | CoupConfirmed() | CoupVoided():
                self.stakes, self.settled = {}, None
            case _:
                pass

    def rows(self, seq: int, input_seq: int, event: Event) -> tuple[list[Row], list[Row], list[Row]] | None:
        """The rows of `cards`, `coups` and `bets` that this event, the `seq`-th, gives; None when it gives none."""
        make = _MAKERS.get(type(event))
        found = make(self, seq, input_seq, event) if make is not None else None
        self.follow(event)
        return found

    def _dealt(self, seq: int, input_seq: int, event: CardDealt) -> tuple[list[Row], list[Row], list[Row]]:
        return [self._card(seq, input_seq, str(event.place), str(event.card), int(event.declared))], [], []

    def _burned(self, seq: int, input_seq: int, event: CardBurned) -> tuple[list[Row], list[Row], list[Row]]:
        return [self._card(seq, input_seq, f"burn-{event.number}", _text(event.card))], [], []

    def _first(self, seq: int, input_seq: int, event: FirstCardShown) -> tuple[list[Row], list[Row], list[Row]]:
        return [self._card(seq, input_seq, "first", str(event.card))], [], []

    def _aside(self, seq: int, input_seq: int, event: CardSetAside) -> tuple[list[Row], list[Row], list[Row]]:
        return [self._card(seq, input_seq, "aside", _text(event.card))], [], []

    def _card(self, seq: int, input_seq: int, place: str, card: str | None, declared: int = 0) -> Row:
        coup = self.coup if "-" in place and not place.startswith("burn") else None
        return seq, input_seq, self.shoe, coup, place, card, declared, self.simulated

    def _confirmed(self, seq: int, input_seq: int, event: CoupConfirmed) -> tuple[list[Row], list[Row], list[Row]]:
        settled = self.settled
        assert settled is not None, f"coup {event.coup} was confirmed before it was settled"
        hands, money, facts = settled.hands, settled.settlement, Facts(settled.hands)
        coup = (
            *(seq, input_seq, event.shoe, event.coup, hands.winner.value),
            *(_texts(hands.player), _texts(hands.banker), hands.player_total, hands.banker_total),
            *(hands.natural.value, facts["player_pair"], facts["banker_pair"]),
            *map(_amount, (money.staked, money.returned, money.commission, money.house_net)),
            self.simulated,
        )
        place = (input_seq, event.shoe, event.coup)
        bets = [(seq, number, *place, *_bet(line), self.simulated) for number, line in enumerate(money.lines, 1)]
        return [], [coup], bets

    def _voided(self, seq: int, input_seq: int, event: CoupVoided) -> tuple[list[Row], list[Row], list[Row]]:
        hands = event.hands
        coup = (
            *(seq, input_seq, event.shoe, event.coup, "void", _texts(hands.player), _texts(hands.banker)),
            *(hands.player_total, hands.banker_total, None, None, None),
            *(_amount(event.returned), _amount(event.returned), 0, 0, self.simulated),
        )
        place = (input_seq, event.shoe, event.coup)
        bets: list[Row] = [
            (seq, number, *place, seat, wager, stake, "void", None, None, 0, 0, stake, self.simulated)
            for number, ((seat, wager), stake) in enumerate(self.stakes.items(), 1)
        ]
        return [], [coup], bets


_MAKERS: dict[type[Event], Callable[..., tuple[list[Row], list[Row], list[Row]]]] = {
    CardDealt: Tabulator._dealt,
    CardBurned: Tabulator._burned,
    FirstCardShown: Tabulator._first,
    CardSetAside: Tabulator._aside,
    CoupConfirmed: Tabulator._confirmed,
    CoupVoided: Tabulator._voided,
}


def _bet(line: Line) -> Row:
    odds = None if line.odds is None else odds_text(line.odds)
    return (
        *(line.seat, line.wager, line.stake, line.result.value, line.tier, odds),
        *map(_amount, (line.commission, line.won, line.returned)),
    )


def _amount(minor_units: int) -> int | str:
    """SQLite's whole numbers end at 64 bits; an amount beyond stands as text."""
    return minor_units if -LARGEST <= minor_units <= LARGEST else str(minor_units)


def _texts(cards: Sequence[object]) -> str:
    return " ".join(map(str, cards))


def _text(card: object) -> str | None:
    return None if card is None else str(card)
