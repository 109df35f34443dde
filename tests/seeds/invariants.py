"""What must hold whatever happens to a table, one function a sentence. A run is over at the first that does not.

Each function is a coroutine that is sent every happening in turn and raises Broken. `truth` is the table itself.
"""

from collections import deque
from collections.abc import Callable, Generator, Mapping

from controller.game.cards import parse_card
from controller.game.coup import deal_coup
from controller.game.settlement import Bet, settle
from controller.game.wagers import Settles
from controller.host.record import to_plain
from controller.host.translate import panel_picture
from controller.table.board import view
from controller.table.events import (
    BetPlaced,
    BetsClosed,
    BetsOpened,
    BetsWithdrawn,
    CardBurned,
    CardDealt,
    CommissionCollected,
    CommissionOwed,
    CoupConfirmed,
    CoupSettled,
    CoupVoided,
    Event,
    FirstCardShown,
    InitialDealSettled,
    InitialDealUndone,
    ShoeBegun,
    ShoeEnded,
    TableHeld,
    TableResumed,
)
from controller.table.inputs import (
    CardRead,
    DiskFailed,
    EnterCard,
    ProgramStarted,
    ReportMissed,
    Resume,
    StartShoe,
    VoidCoup,
)
from controller.table.machine import BETS_CLOSED, HELD, IN_COUP, SETTLING, TILT
from controller.table.state import TableState
from controller.table.table import step
from drivers.displays.panel_picture import PanelPicture, frames_of
from drivers.displays.simulated import Board
from tests.seeds.happenings import (
    Answered,
    DiskRefused,
    Ended,
    Followed,
    Gone,
    Happening,
    PanelShows,
    Recorded,
    Shown,
    Started,
    Told,
)
from tests.seeds.truth import Truth, in_order


class Broken(Exception):
    """An invariant does not hold: its name, and what was seen."""


Watch = Generator[None, Happening, None]
Invariant = Callable[[Truth], Watch]

PERSON = (Resume, EnterCard, StartShoe, VoidCoup)
"""With these a person answers for what lies on the table."""
KNOWN = (*IN_COUP, SETTLING)
PICTURES_KEPT = 20_000


def never_a_wrong_card(truth: Truth) -> Watch:
    """The cards that the table takes, other than declared ones, are cards that left the shoe, each once, in order."""
    place, shoes = 0, 0
    while True:
        match (yield):
            case Recorded(events=events, what=what):
                for event in events:
                    if isinstance(event, ShoeBegun):
                        shoes += 1
                    card = _accepted(event)
                    if card is None:
                        continue
                    if card in truth.out[place:]:
                        place = truth.out.index(card, place) + 1
                    elif truth.is_excused or isinstance(what, PERSON):
                        truth.excuse()
                    else:
                        raise Broken(f"{card} was taken ({event}); out of the shoe since are {truth.out[place:][:20]}")


def _accepted(event: Event) -> str | None:
    match event:
        case FirstCardShown(card=card):
            return str(card)
        case CardBurned(card=card) if card is not None:
            return str(card)
        case CardDealt(card=card, declared=False):
            return str(card)
        case _:
            return None


def held_or_right(truth: Truth) -> Watch:
    """What the table takes for its coup lies on the table, unless a person ordered it, which is then on record."""
    while True:
        match (yield):
            case Recorded(what=what, after=after, events=events, quiet=quiet):
                for event in events:
                    if isinstance(event, CoupSettled):
                        _settled_right(event, truth, isinstance(what, PERSON))
                if not truth.bears(after.hands) and not truth.is_excused:
                    if not isinstance(what, PERSON):
                        raise Broken(
                            f"the table has {in_order(after.hands)}, there lie {truth.laid} (before: {truth.before})"
                            f" after {what}"
                        )
                    truth.excuse()
                if isinstance(what, PERSON) and quiet and _lies_unknown(after, truth):
                    truth.excuse()  # a card lies there that the table does not know of, and nothing is on its way
                opens = any(isinstance(event, BetsOpened) for event in events)
                if opens or not (after.hands.player or truth.is_begun()):
                    truth.calm()


def _lies_unknown(table: TableState, truth: Truth) -> bool:
    """Whether the coup has cards on the table that the table does not have: its first is one, too."""
    if table.conducted is BETS_CLOSED:
        return truth.is_begun()
    return table.conducted in KNOWN and not truth.is_all(table.hands)


def _settled_right(event: CoupSettled, truth: Truth, by_person: bool) -> None:
    cards = in_order(event.hands)
    dealt = deal_coup([parse_card(card) for card in cards])
    if dealt != event.hands:
        raise Broken(f"coup {event.coup} settles {event.hands}, its cards make {dealt}")
    if cards not in (truth.laid, *truth.before) and not truth.is_excused and not by_person:
        raise Broken(f"coup {event.coup} settles {cards}, there lie {truth.laid} (before: {truth.before})")


def one_report_one_input(truth: Truth) -> Watch:
    """A card's report reaches the journal once, in order, whatever restarts between its copies; else it is held."""
    place, missed = 0, False
    while True:
        match (yield):
            case Recorded(what=CardRead(), raw=raw, after=after):
                frame = raw[: len(raw) // 2]
                if frame in truth.reports[place:]:
                    place = truth.reports.index(frame, place) + 1
                elif not missed and after.phase is not HELD:
                    raise Broken(f"the report {frame!r} was sent once and came to the table again")
                missed = False
            case Recorded(what=ReportMissed()):
                missed = True


def one_settlement_a_coup(truth: Truth) -> Watch:
    """Coups are settled once, confirmed or void once and never both; shoes and coups never skip or repeat a number."""
    shoe, coup, stands = 0, 0, "over"
    while True:
        match (yield):
            case Recorded(events=events):
                for event in events:
                    match event:
                        case ShoeBegun():
                            _is(event.shoe, shoe + 1, event)
                            shoe, coup, stands = event.shoe, 0, "over"
                        case BetsOpened():
                            _is((event.shoe, event.coup, stands), (shoe, coup + 1, "over"), event)
                            coup, stands = event.coup, "open"
                        case CoupSettled():
                            _is((event.shoe, event.coup, stands), (shoe, coup, "open"), event)
                            stands = "settled"
                        case CoupConfirmed():
                            _is((event.shoe, event.coup, stands), (shoe, coup, "settled"), event)
                            stands = "over"
                        case CoupVoided():
                            _is((event.shoe, event.coup, stands in ("open", "settled")), (shoe, coup, True), event)
                            stands = "over"
                        case ShoeEnded():
                            _is(event.shoe, shoe, event)
                            stands = "ended"


def _is(got: object, wanted: object, event: Event) -> None:
    if got != wanted:
        raise Broken(f"{got} where {wanted} was due: {event}")


def stakes_are_conserved(truth: Truth) -> Watch:
    """Every stake goes back or is settled once, within the differential; no shoe begins on what is owed, as told."""
    layout: dict[tuple[int, str], int] = {}
    owed: dict[int, int] = {}
    while True:
        match (yield):
            case Recorded(events=events, before=before, after=after):
                for event in events:
                    match event:
                        case BetPlaced():
                            spot = (event.seat, event.wager)
                            layout[spot] = layout.get(spot, 0) + event.stake
                            _is(event.total, layout[spot], event)
                        case BetsWithdrawn():
                            _is(event.amount, layout.pop((event.seat, event.wager), 0), event)
                        case BetsClosed():
                            _is(event.staked, sum(layout.values()), event)
                        case CoupSettled():
                            _paid(event, layout, before)
                        case CoupConfirmed():
                            layout.clear()
                        case CoupVoided() | ShoeEnded():
                            _is(event.returned, sum(layout.values()), event)
                            layout.clear()
                        case CommissionOwed():
                            owed[event.seat] = owed.get(event.seat, 0) + event.amount
                            _is(event.total, owed[event.seat], event)
                            owed = {seat: amount for seat, amount in owed.items() if amount}
                        case ShoeBegun() if owed:
                            raise Broken(f"a shoe begins while seats owe {owed}")
                        case CommissionCollected():
                            _is(event.amount, owed.pop(event.seat, 0), event)
                on_table = {(bet.seat, bet.wager): bet.stake for bet in after.bets}
                apart = sum(stake * {"player": 1, "banker": -1}.get(wager, 0) for (_, wager), stake in layout.items())
                if abs(apart) > (after.rules.differential or 0):
                    raise Broken(f"Player and Banker differ by {apart}: {layout}")
                if on_table != layout or dict(after.owed) != owed:
                    raise Broken(
                        f"on the layout {on_table}, by the events {layout}; owed {after.owed}, by events {owed}"
                    )


def _paid(event: CoupSettled, layout: Mapping[tuple[int, str], int], before: TableState) -> None:
    bets = tuple(Bet(seat, wager, stake) for (seat, wager), stake in layout.items())
    lines = {(line.seat, line.wager): line.stake for line in event.settlement.lines}
    if lines != layout:
        raise Broken(f"settled are {lines}, on the layout were {layout}")
    ours = settle(before.rules.paytable, bets, event.hands)
    returned = sum(line.returned for line in event.settlement.lines)
    if sorted(map(repr, ours.lines)) != sorted(map(repr, event.settlement.lines)):
        raise Broken(f"settled {event.settlement}, by the paytable {ours}")
    if event.settlement.staked - returned != event.settlement.house_net:
        raise Broken(f"staked less returned is not the house's: {event.settlement}")


def paid_after_four_cards(truth: Truth) -> Watch:
    """What is paid at the initial deal stands in the coup's settlement, once, or is undone before the coup is void."""
    paid: tuple[object, ...] = ()
    while True:
        match (yield):
            case Recorded(events=events, before=before):
                for event in events:
                    match event:
                        case InitialDealSettled():
                            _is((paid, len(in_order(event.hands))), ((), 4), event)
                            paid = event.settlement.lines
                        case InitialDealUndone():
                            _is(event.settlement.lines, paid or None, event)
                            paid = ()
                        case CoupSettled():
                            wagers = before.rules.paytable.by_id
                            lines = event.settlement.lines
                            early = [line for line in lines if wagers[line.wager].settles is Settles.INITIAL_DEAL]
                            _is(tuple(early), paid, event)
                        case CoupVoided():
                            _is(paid, (), event)
                        case CoupConfirmed():
                            paid = ()


def the_journal_first(truth: Truth) -> Watch:
    """What the display is given is what the disk bears; only a table that cannot write may show that it is held."""
    state: TableState | None = None
    may_differ = False
    seen: tuple[TableState, PanelPicture] | None = None
    while True:
        match (yield):
            case Recorded(after=after):
                state, may_differ = after, False
            case DiskRefused():
                may_differ = True
            case Started(state=begun):
                state = begun
            case Gone():
                may_differ = False
            case Shown(picture=picture) if (
                seen and seen[0] is state and state.deadline_ms is None and seen[1] == picture
            ):
                pass
            case Shown(picture=picture, now_ms=now_ms) if state is not None:
                pictures = [panel_picture(state.rules, view(state, now_ms))]
                if may_differ and state.phase is not TILT:
                    failed = step(state, DiskFailed(now_ms, ""))[0]
                    pictures.append(panel_picture(state.rules, view(failed, now_ms)))
                if picture not in pictures:
                    raise Broken(f"shown is {picture.coup}, on the disk is {pictures[0].coup}")
                seen = (state, picture) if picture == pictures[0] else None


def what_is_shown_was(truth: Truth) -> Watch:
    """Every board of the panel is one whole state of the table, and none of a start comes after a newer one."""
    given: deque[tuple[int, PanelPicture]] = deque(maxlen=PICTURES_KEPT)
    number, shown, last_board = 0, 0, -1
    while True:
        match (yield):
            case Shown(picture=picture):
                if not given or given[-1][1] != picture:
                    number += 1
                    given.append((number, picture))
            case PanelShows(board=board):
                at = next((at for at, picture in reversed(given) if _is_board(picture, board)), 0)
                if not at:
                    raise Broken(f"no state of the table was {board.coup}, {board.notice}")
                if at < shown and not any(_is_board(picture, board) for later, picture in given if later >= shown):
                    raise Broken(f"state {at} was shown after state {shown}")
                if board.board <= last_board:
                    raise Broken(f"board {board.board} came after {last_board}")
                shown, last_board = max(shown, at), board.board
                while given and given[0][0] < shown:
                    given.popleft()
            case Gone():
                last_board = -1


def _is_board(picture: PanelPicture, board: Board) -> bool:
    if picture.limits != board.limits:
        return False
    frames = frames_of(picture)
    ours = [dict(frames[kind][0]) for kind in ("COUP", "NOTICE", "ROAD")]
    return ours == [dict(board.coup), dict(board.notice), dict(board.road)]


def the_journal_before_the_answer(truth: Truth) -> Watch:
    """An order that is answered as done is on the disk with that very answer, and a state told is the disk's."""
    answers: dict[str, Mapping[str, object]] = {}
    seq, phase, may_differ = 0, "no-shoe", False
    while True:
        match (yield):
            case Recorded() as record:
                seq, phase, may_differ = record.seq, record.after.phase.value, False
                if record.order_id is not None and record.answer is not None:
                    answers.setdefault(record.order_id, record.answer)
            case DiskRefused():
                may_differ = True
            case Gone():
                may_differ = False
            case Answered(do="state", answer=answer):
                if answer["seq"] != seq or (
                    answer["phase"] != phase and not (may_differ and answer["phase"] == "held")
                ):
                    raise Broken(f"told is {answer['phase']} at {answer['seq']}, on the disk is {phase} at {seq}")
            case Answered(order_id=order_id, answer=answer) if answer["ok"]:
                if answers.get(order_id) != answer:
                    raise Broken(f"{order_id} was answered {answer}, on the disk is {answers.get(order_id)}")


def an_order_is_carried_out_once(truth: Truth) -> Watch:
    """However often an order is asked for, it is on the disk as carried out once; if it was answered, it is there."""
    done: set[str] = set()
    answered: set[str] = set()
    while True:
        match (yield):
            case Recorded(order_id=order_id, answer=answer) if order_id is not None and answer is not None:
                if order_id in done:
                    raise Broken(f"{order_id} was carried out twice")
                done.add(order_id)
            case Answered(do=do, order_id=order_id, answer=answer) if do != "state" and answer["ok"]:
                answered.add(order_id)
            case Ended() if answered - done:
                raise Broken(f"{answered - done} were answered and are not on the disk")


def a_hold_needs_an_order(truth: Truth) -> Watch:
    """No hold ends by itself, and what holds and ends it is on record."""
    while True:
        match (yield):
            case Recorded(what=what, before=before, after=after, events=events):
                if before.phase is HELD and after.phase is not HELD and not isinstance(what, PERSON):
                    raise Broken(f"{what} ended the hold for {before.hold}")
                if before.phase is not HELD and after.phase is HELD and not _says(events, TableHeld):
                    raise Broken(f"{what} held the table and the record does not say so")
                if before.phase is HELD and after.phase is not HELD and not _says(events, TableResumed):
                    raise Broken(f"{what} ended a hold and the record does not say so")


def _says(events: tuple[Event, ...], kind: type[Event]) -> bool:
    return any(isinstance(event, kind) for event in events)


def told_once_in_order(truth: Truth) -> Watch:
    """Who follows the events gets each once, in order, as it is on the disk; the log is told nothing else."""
    events: list[dict[str, object]] = []
    told: set[int] = set()
    followed = 0
    fresh: deque[Event] = deque()
    while True:
        match (yield):
            case Recorded(events=said):
                events += [to_plain_event(event) for event in said]
                fresh += said
            case Followed(event=event):
                followed += 1
                told.add(followed)
                seq = event["seq"]
                plain = {key: value for key, value in event.items() if key not in ("seq", "at", "simulated")}
                if seq != followed or followed > len(events) or plain != events[followed - 1]:
                    raise Broken(f"event {followed} was followed as {event}")
            case Told(event=event):
                if not fresh or fresh.popleft() != event:
                    raise Broken(f"the log was told {event}, which is not what came next on the disk")
            case Gone():
                fresh.clear()


def to_plain_event(event: Event) -> dict[str, object]:
    """An event as the journal writes it."""
    plain = to_plain(event, "event")
    assert isinstance(plain, dict)
    return plain


def a_restart_goes_on(truth: Truth) -> Watch:
    """A program that starts takes the table up exactly as the disk bears it."""
    state: TableState | None = None
    while True:
        match (yield):
            case Recorded(after=after):
                state = after
            case Started(state=begun) if state is not None and begun != state:
                raise Broken(f"the journal bears {state}, the program went on with {begun}")


def a_start_is_said(truth: Truth) -> Watch:
    """After each start the first record is the start itself: nothing is taken in before it."""
    begins = False
    while True:
        match (yield):
            case Started(state=state):
                begins = state.phase is not TILT
            case Recorded(what=what):
                if begins and not isinstance(what, ProgramStarted | DiskFailed):
                    raise Broken(f"{what} was recorded before the start")
                begins = False


def the_record_verifies(truth: Truth) -> Watch:
    """At the end the journal verifies, and its replay leads to the state that was in force."""
    state: TableState | None = None
    while True:
        match (yield):
            case Recorded(after=after):
                state = after
            case Started(state=begun) if begun.phase is TILT:
                raise Broken("the program found its own record broken")
            case Ended(difference=difference, replayed=replayed):
                if difference:
                    raise Broken(f"the verifier says: {difference}")
                if replayed != state:
                    raise Broken(f"the replay leads to {replayed}, in force was {state}")


INVARIANTS: tuple[Invariant, ...] = (
    never_a_wrong_card,
    held_or_right,
    one_report_one_input,
    one_settlement_a_coup,
    stakes_are_conserved,
    paid_after_four_cards,
    the_journal_first,
    what_is_shown_was,
    the_journal_before_the_answer,
    an_order_is_carried_out_once,
    a_hold_needs_an_order,
    told_once_in_order,
    a_restart_goes_on,
    a_start_is_said,
    the_record_verifies,
)
"""Beside these a run itself ends as broken when a table does not come to the end of its shoe by lawful orders."""


class Watching:
    """All invariants of one run."""

    def __init__(self, truth: Truth) -> None:
        self._watches = [(invariant.__name__, invariant(truth)) for invariant in INVARIANTS]
        for _, watch in self._watches:
            next(watch)

    def see(self, what: Happening) -> None:
        """Raises Broken, with the name of what does not hold; after that nothing is looked at any more."""
        for name, watch in self._watches:
            try:
                watch.send(what)
            except Broken as broken:
                self._watches = []
                raise Broken(f"{name}: {broken}") from None
