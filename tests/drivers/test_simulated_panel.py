"""The simulated panel: covered unless it has a whole board, and able to misbehave."""

import pytest

from drivers.contracts import DisplayReport, KeyPressed
from drivers.displays.panel import CoupPicture, LimitRow, Notice, PanelDisplay, PanelPicture, RoadPicture
from drivers.displays.panel_codec import Frame, FrameReader, Pairs, encode
from drivers.displays.simulated import SimulatedPanel
from drivers.wires import memory_pair

PICTURE = PanelPicture(
    (LimitRow("tie", "100", "5000", "8:1/9:1"),),
    RoadPicture(3, "B6"),
    Notice("info", "สวัสดี"),
    CoupPicture("betting", 3, 4),
)


class Pair:
    """A real controller's writer and a simulated panel on one cable."""

    def __init__(self) -> None:
        self.near, self.far = memory_pair()
        self.near.open(0)
        self.far.open(0)
        self.panel = SimulatedPanel(self.far, panel_id="BBBBBBBB")
        self.now_ms = 0
        self.reports: list[DisplayReport] = []
        self.start_controller("AAAAAAAA", 1)

    def start_controller(self, start_id: str, first_board: int) -> None:
        self.display = PanelDisplay(
            self.near,
            table="Mini 7",
            lang="th",
            simulated=True,
            start_id=start_id,
            first_board=first_board,
            baud=115200,
        )
        self.display.show(PICTURE, self.now_ms)

    def run(self, for_ms: int) -> None:
        for _ in range(for_ms // 5):
            self.now_ms += 5
            self.reports += self.display.poll(self.now_ms)
            self.panel.poll(self.now_ms)

    def keys(self) -> list[DisplayReport]:
        return [report for report in self.reports if isinstance(report, KeyPressed)]


def a_pair_that_shows() -> Pair:
    pair = Pair()
    pair.run(100)
    assert pair.panel.shown is not None
    return pair


class ByHand:
    """A panel and a controller that is spoken by hand."""

    def __init__(self) -> None:
        self.near, far = memory_pair()
        self.near.open(0)
        far.open(0)
        self.panel = SimulatedPanel(far, panel_id="BBBBBBBB")
        self.reader = FrameReader()
        self.say(0, "HELLO", (("proto", "1"), ("id", "AAAAAAAA"), ("to", "BBBBBBBB"), ("sim", "1")))

    def say(self, seq: int, kind: str, pairs: Pairs = ()) -> list[str]:
        self.near.send(encode(Frame(seq, kind, pairs)), 0)
        self.panel.poll(0)
        items = self.reader.feed(self.near.poll(0))
        return [f"{item.seq:02X} {item.kind}" for item in items if isinstance(item, Frame)]

    def show(self, seq: int, kind: str, pairs: Pairs, board: int) -> list[str]:
        return self.say(seq, kind, (("show", "1"), ("board", str(board)), *pairs))


LIMITS = (("n", "1"), ("from", "0"), ("rows", "tie:100:5000:8:1"))
ROAD = (("shoe", "1"), ("n", "0"), ("codes", ""))
NOTICE = (("level", "info"), ("text", ""))
COUP = (("phase", "betting"), ("shoe", "1"), ("coup", "1"))


def by_hand_shown() -> ByHand:
    hand = ByHand()
    hand.say(1, "LIMITS", LIMITS)
    hand.say(2, "ROAD", ROAD)
    hand.say(3, "NOTICE", NOTICE)
    hand.show(4, "COUP", COUP, 412)
    assert hand.panel.shown is not None
    return hand


def test_it_shows_what_the_controller_means() -> None:
    board = a_pair_that_shows().panel.shown
    assert board is not None
    assert (board.board, board.table, board.lang, board.sim) == (1, "Mini 7", "th", True)
    assert board.limits == PICTURE.limits
    assert board.road == {"shoe": "3", "n": "1", "codes": "B6"}
    assert board.notice == {"level": "info", "text": "สวัสดี"}
    assert board.coup == {"shoe": "3", "coup": "4", "phase": "betting", "p": "", "b": "", "next": "none"}


def test_covered_until_all_four_kinds_are_there() -> None:
    hand = ByHand()
    assert hand.say(1, "LIMITS", LIMITS) == ["01 ACK"]
    hand.say(2, "ROAD", ROAD)
    hand.show(3, "COUP", COUP, 411)
    assert hand.panel.shown is None
    hand.show(4, "NOTICE", NOTICE, 412)
    assert hand.panel.shown is not None
    assert hand.panel.shown.board == 412


def test_what_comes_without_show_is_kept_aside() -> None:
    hand = by_hand_shown()
    hand.say(5, "ROAD", (("shoe", "1"), ("n", "1"), ("codes", "B6")))
    assert hand.panel.shown is not None
    assert hand.panel.shown.road["codes"] == ""
    hand.show(6, "COUP", COUP, 413)
    assert hand.panel.shown.road["codes"] == "B6"


def test_limits_in_several_frames_are_shown_when_the_last_is_there() -> None:
    hand = by_hand_shown()
    hand.show(5, "LIMITS", (("n", "2"), ("from", "0"), ("rows", "tie:1:2:8:1")), 413)
    assert hand.panel.shown is not None
    assert hand.panel.shown.board == 412
    hand.say(6, "LIMITS", (("n", "2"), ("from", "7"), ("rows", "pair:1:2:11:1")))
    hand.show(7, "LIMITS", (("n", "2"), ("from", "1"), ("rows", "pair:1:2:11:1")), 414)
    assert [row.wager for row in hand.panel.shown.limits] == ["tie", "pair"]


@pytest.mark.parametrize("rows", ["tie", "tie:1:2", "a:b:c:d," + "e" * 5])
def test_limits_that_cannot_be_read_are_answered_and_change_nothing(rows: str) -> None:
    hand = by_hand_shown()
    assert hand.show(5, "LIMITS", (("n", "1"), ("from", "0"), ("rows", rows)), 413) == ["05 ACK"]
    assert hand.panel.shown is not None
    assert (hand.panel.shown.board, hand.panel.not_understood) == (412, 1)


def test_fault_41_an_old_frame_is_answered_and_not_shown_again() -> None:
    hand = by_hand_shown()
    hand.show(5, "COUP", (("phase", "dealing"), ("shoe", "1"), ("coup", "1")), 413)
    assert hand.show(5, "COUP", (("phase", "dealing"), ("shoe", "1"), ("coup", "1")), 413) == ["05 ACK"]
    assert hand.show(4, "COUP", COUP, 412) == ["04 ACK"]
    assert hand.panel.shown is not None
    assert hand.panel.shown.coup["phase"] == "dealing"
    assert hand.panel.boards_shown == 2


def test_a_kind_that_it_does_not_know_is_answered() -> None:
    hand = by_hand_shown()
    assert hand.say(5, "GLOW") == ["05 ACK"]
    assert hand.panel.not_understood == 1


def test_it_covers_itself_three_seconds_after_the_last_good_frame() -> None:
    pair = a_pair_that_shows()
    seen = [now_ms for now_ms in range(pair.now_ms, pair.now_ms + 5000) if pair.panel.poll(now_ms) or pair.panel.shown]
    assert 2000 < len(seen) <= 3000


def test_it_stays_uncovered_while_the_controller_lives() -> None:
    pair = a_pair_that_shows()
    pair.run(20_000)
    assert pair.panel.shown is not None
    assert pair.panel.boards_shown == 1


def test_a_controller_that_starts_anew_covers_and_paints() -> None:
    pair = a_pair_that_shows()
    pair.start_controller("CCCCCCCC", 1000)
    pair.run(5)
    assert pair.panel.shown is None
    pair.run(1500)
    assert pair.panel.shown is not None
    assert pair.panel.shown.board == 1000


@pytest.mark.parametrize("at_byte", [1, 9, 40])
def test_fault_40_a_panel_restart_in_mid_frame_ends_in_a_whole_board(at_byte: int) -> None:
    pair = a_pair_that_shows()
    pair.far.send(b"$55 KEY name=close board=1"[:at_byte], pair.now_ms)
    pair.panel.restart("DDDDDDDD", pair.now_ms)
    assert pair.panel.shown is None
    pair.run(1500)
    assert pair.panel.shown is not None
    assert pair.panel.shown.limits == PICTURE.limits


def test_a_key_carries_the_board_that_was_seen() -> None:
    pair = a_pair_that_shows()
    assert pair.panel.press("close")
    pair.run(50)
    assert pair.keys() == [KeyPressed("close", 1, current=True)]


def test_nobody_can_press_a_key_on_a_covered_panel() -> None:
    assert not Pair().panel.press("close")


def test_hammering_a_key_fills_no_memory() -> None:
    pair = a_pair_that_shows()
    assert [pair.panel.press("close") for _ in range(10)] == [True] * 8 + [False] * 2


def test_a_key_is_never_sent_again_after_a_link_restart() -> None:
    pair = a_pair_that_shows()
    pair.panel.press("close")
    pair.panel.press("close")
    pair.start_controller("CCCCCCCC", 1000)
    pair.near.poll(pair.now_ms)
    pair.run(3000)
    assert pair.keys() == []


def test_fault_41_a_panel_that_sends_everything_twice_presses_a_key_once() -> None:
    pair = a_pair_that_shows()
    pair.panel.misbehaviour.send_twice = True
    pair.panel.press("close")
    pair.run(2000)
    assert len(pair.keys()) == 1
    assert pair.display.is_up()


def test_lost_answers_and_damaged_frames_are_made_good() -> None:
    pair = a_pair_that_shows()
    pair.panel.misbehaviour.drop_answers = 2
    pair.display.show(PanelPicture((), PICTURE.road, PICTURE.notice, PICTURE.coup), pair.now_ms)
    pair.run(1000)
    assert pair.panel.shown is not None
    assert pair.panel.boards_shown == 2
    pair.panel.misbehaviour.damage_frames = 3
    pair.panel.press("close")
    pair.run(2000)
    assert len(pair.keys()) == 1
    assert pair.display.frames_damaged == 3


def test_fault_38_a_panel_that_stops_reading_is_covered_and_comes_back() -> None:
    pair = a_pair_that_shows()
    pair.panel.misbehaviour.stops_reading = True
    pair.run(4000)
    assert pair.panel.shown is None
    assert not pair.display.is_up()
    pair.panel.misbehaviour.stops_reading = False
    pair.run(2500)
    assert pair.panel.shown is not None
