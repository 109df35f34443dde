"""The writer: pictures become the fewest frames that end in a whole board; a display in trouble holds nobody up."""

from dataclasses import replace

import pytest
from panel_line import PacedEnd

from drivers.contracts import DisplayDown, DisplayReport, DisplayUp, KeyPressed, TableDisplay
from drivers.displays.panel import CoupPicture, LimitRow, Notice, PanelDisplay, PanelPicture, RoadPicture
from drivers.displays.panel_codec import Damage, Frame, FrameReader, Pairs, encode, escape
from drivers.displays.simulated import SimulatedPanel
from drivers.wires import memory_pair

PICTURE = PanelPicture(
    (LimitRow("player", "100", "50000", "1:1"), LimitRow("tie", "100", "5000", "8:1")),
    RoadPicture(3, "B6T4Q8"),
    Notice("info", ""),
    CoupPicture("betting", 3, 4, seconds=20),
)


class Table:
    """A display on a cable in memory, and a panel at the far end that is spoken by hand."""

    def __init__(self, **changes: object) -> None:
        self.near, self.far = memory_pair()
        self.near.open(0)
        self.far.open(0)
        facts = {
            "table": "Mini",
            "lang": "th",
            "simulated": False,
            "start_id": "AAAAAAAA",
            "first_board": 7,
            "baud": 115200,
        }
        self.display = PanelDisplay(self.near, **(facts | changes))  # type: ignore[arg-type]
        self.reader = FrameReader()
        self.now_ms = 0

    def turn(self, after_ms: int = 1) -> list[DisplayReport]:
        self.now_ms += after_ms
        return self.display.poll(self.now_ms)

    def heard(self) -> list[Frame]:
        """What the far end got since the last time."""
        items = self.reader.feed(self.far.poll(self.now_ms))
        assert not any(isinstance(item, Damage) for item in items)
        return [item for item in items if isinstance(item, Frame)]

    def say(self, kind: str, seq: int = 0, pairs: Pairs = ()) -> list[DisplayReport]:
        self.far.send(encode(Frame(seq, kind, pairs)), self.now_ms)
        return self.turn()

    def say_hello(self, own: str = "BBBBBBBB", **pairs: str) -> list[DisplayReport]:
        return self.say("HELLO", 0, (("proto", "1"), ("id", own), *pairs.items()))

    def come_up(self) -> None:
        self.turn()
        assert self.say_hello(to="AAAAAAAA", up="1", model="X100") == [DisplayUp("X100")]

    def show(self, picture: PanelPicture) -> None:
        self.display.show(picture, self.now_ms)

    def delivered(self) -> list[Frame]:
        """Frames of the picture, each answered, until no more come."""
        frames: list[Frame] = []
        while new := [frame for frame in self.heard() if frame.kind not in ("HELLO", "ACK")]:
            frames += new
            assert len(new) == 1, "one frame under way"
            self.say("ACK", new[0].seq)
        return frames


def a_table_that_shows(picture: PanelPicture = PICTURE) -> Table:
    table = Table()
    table.show(picture)
    table.come_up()
    table.delivered()
    return table


def kinds(frames: list[Frame]) -> list[str]:
    return [f"{frame.kind}{' show' if frame.value('show') else ''}" for frame in frames]


def test_it_is_a_table_display() -> None:
    display: TableDisplay[PanelPicture] = Table().display
    assert not display.is_up()


def test_hello_says_whose_table_it_is() -> None:
    table = Table(table="โต๊ะ" + "x" * 60, simulated=True)
    table.turn()
    (frame,) = table.heard()
    assert dict(frame.pairs) == {"proto": "1", "id": "AAAAAAAA", "table": "โต๊ะ" + "x" * 36, "lang": "th", "sim": "1"}


def test_nothing_is_sent_before_the_link_is_up_and_then_all_four_kinds_in_order() -> None:
    table = Table()
    table.show(PICTURE)
    table.turn()
    assert kinds(table.heard()) == ["HELLO"]
    assert table.say_hello(to="AAAAAAAA", up="1", model="X100\n") == [DisplayUp("X100\\x0a")]
    frames = table.delivered()
    assert kinds(frames) == ["LIMITS", "ROAD", "NOTICE", "COUP show"]
    assert frames[0].pairs == (("n", "2"), ("from", "0"), ("rows", "player:100:50000:1:1,tie:100:5000:8:1"))
    assert frames[1].pairs == (("shoe", "3"), ("n", "3"), ("codes", "B6T4Q8"))
    assert frames[2].pairs == (("level", "info"), ("text", ""))
    assert dict(frames[3].pairs) == {
        "show": "1",
        "board": "7",
        "shoe": "3",
        "coup": "4",
        "phase": "betting",
        "seconds": "20",
        "p": "",
        "b": "",
        "next": "none",
    }
    assert table.display.shown_board == 7


def test_a_settled_coup_carries_its_result() -> None:
    coup = CoupPicture(
        *("settling", 3, 4, None, "banker-wins", ("TS", "4C"), ("7D", "AH"), 4, 8, "none", "banker", "banker", "none"),
        wins=("banker:19:20", "lucky-6:12:1"),
        pushes=(),
    )
    frames = a_table_that_shows(replace(PICTURE, coup=coup)).display._delivery._given["COUP"][0]
    assert "call=banker-wins p=TS,4C b=7D,AH pt=4 bt=8 next=none outcome=banker natural=banker pairs=none" in spelt(
        frames[0]
    )
    assert spelt(frames[0]).endswith("wins=banker:19:20,lucky-6:12:1 pushes=")


def spelt(pairs: Pairs) -> str:
    return " ".join(f"{key}={escape(value)}" for key, value in pairs)


def test_only_what_changed_goes_and_the_last_of_it_shows() -> None:
    table = a_table_that_shows()
    table.show(replace(PICTURE, notice=Notice("hold", "รอสักครู่")))
    frames = table.delivered()
    assert kinds(frames) == ["NOTICE show"]
    assert frames[0].value("board") == "8"
    table.show(replace(PICTURE, road=RoadPicture(3, "B6T4Q8P7")))
    assert kinds(table.delivered()) == ["ROAD", "NOTICE show"]
    table.show(replace(PICTURE, road=RoadPicture(3, "B6T4Q8P7")))
    assert table.delivered() == []
    assert table.display.shown_board == 9


def test_the_newest_replaces_what_is_queued() -> None:
    table = a_table_that_shows()
    for n in range(5, 9):
        table.show(replace(PICTURE, coup=CoupPicture("betting", 3, n)))
    frames = table.delivered()
    assert [frame.value("coup") for frame in frames] == ["5", "8"]
    assert kinds(frames) == ["COUP show", "COUP show"]


def test_half_a_set_that_was_taken_back_still_ends_in_a_whole_board() -> None:
    table = a_table_that_shows()
    table.show(replace(PICTURE, road=RoadPicture(3, "P7"), coup=CoupPicture("betting", 3, 5)))
    table.show(replace(PICTURE, road=RoadPicture(3, "P7")))
    frames = table.delivered()
    assert kinds(frames) == ["ROAD", "COUP show"]
    assert frames[1].value("coup") == "4"


def test_a_change_taken_back_while_it_was_under_way_is_taken_back_on_the_panel() -> None:
    table = a_table_that_shows()
    table.show(replace(PICTURE, road=RoadPicture(3, "P7"), coup=CoupPicture("betting", 3, 5)))
    table.show(PICTURE)
    frames = table.delivered()
    assert kinds(frames) == ["ROAD", "ROAD show"]
    assert frames[1].value("codes") == "B6T4Q8"


def test_pictures_that_change_faster_than_they_go_are_shown_all_the_same() -> None:
    table = a_table_that_shows()
    shown = 0
    for n in range(100):
        coup = CoupPicture("betting", 3, n)
        table.show(PanelPicture(PICTURE.limits, RoadPicture(n, "P7"), Notice("info", str(n)), coup))
        for frame in table.heard():
            shown += frame.value("show") == "1"
            if frame.kind != "ACK":
                table.now_ms += 40
                table.say("ACK", frame.seq)
    assert shown >= 10


def test_many_limits_go_on_several_frames_in_order() -> None:
    rows = tuple(LimitRow(f"wager-{n}", "100", "5000", "12:1/20:1") for n in range(100))
    table = Table()
    table.show(replace(PICTURE, limits=rows))
    table.come_up()
    frames = [frame for frame in table.delivered() if frame.kind == "LIMITS"]
    assert len(frames) > 2
    assert {frame.value("n") for frame in frames} == {"100"}
    texts = [(frame.value("rows") or "").split(",") for frame in frames]
    assert [frame.value("from") for frame in frames] == [str(sum(map(len, texts[:at]))) for at in range(len(texts))]
    assert ",".join(",".join(text) for text in texts) == ",".join(row.text() for row in rows)
    table.show(replace(PICTURE, limits=rows[1:]))
    assert kinds(table.delivered())[-2:] == ["LIMITS", "LIMITS show"]


def test_limits_that_change_between_their_frames_begin_again() -> None:
    rows = tuple(LimitRow(f"wager-{n}", "100", "5000", "12:1/20:1") for n in range(100))
    table = a_table_that_shows()
    table.show(replace(PICTURE, limits=rows))
    table.show(replace(PICTURE, limits=rows[:2]))
    frames = table.delivered()
    assert [frame.value("n") for frame in frames] == ["100", "2"]
    assert kinds(frames) == ["LIMITS", "LIMITS show"]


def test_a_table_without_limits_sends_one_empty_list() -> None:
    table = Table()
    table.show(replace(PICTURE, limits=()))
    table.come_up()
    assert table.delivered()[0].pairs == (("n", "0"), ("from", "0"), ("rows", ""))


def test_a_row_that_fits_no_frame_is_refused_when_it_is_to_be_shown() -> None:
    with pytest.raises(ValueError, match="shorten its id"):
        Table().show(replace(PICTURE, limits=(LimitRow("w" * 1000, "1", "2", "1:1"),)))


@pytest.mark.parametrize("text", ["x" * 300, "ก" * 300, "🂡" * 300, "\x1b" * 300, "\ud800" * 300])
def test_every_text_fits_its_frame(text: str) -> None:
    coup = CoupPicture("settling", 9999, 999, outcome="tie", wins=(text[:150],) * 50, pushes=("tie",) * 200)
    picture = PanelPicture((), RoadPicture(1, "B6" * 156), Notice("tilt", text), coup)
    table = Table(table=text, first_board=10**9)
    table.show(picture)
    table.come_up()
    frames = table.delivered()
    assert kinds(frames) == ["LIMITS", "ROAD", "NOTICE", "COUP show"]
    assert len(frames[2].value("text") or "") in (75, 100)


def test_fault_82_what_a_key_is_called_is_one_escaped_line() -> None:
    table = a_table_that_shows()
    reports = table.say("KEY", 1, (("name", "a\n\x1b[2J\u202e" + "x" * 300), ("board", "7")))
    assert isinstance(reports[0], KeyPressed)
    assert reports[0].name.startswith("a\\x0a\\x1b[2J\\u{202e}xxx")
    assert len(reports[0].name) == 200


def test_a_key_counts_while_its_board_is_the_one_shown() -> None:
    table = a_table_that_shows()
    key = (("name", "close"), ("board", "7"))
    assert table.say("KEY", 1, key) == [KeyPressed("close", 7, current=True)]
    assert table.say("KEY", 1, key) == []
    assert [frame.kind for frame in table.heard()] == ["ACK", "ACK"]
    table.show(replace(PICTURE, notice=Notice("hold", "x")))
    assert table.say("KEY", 2, key) == [KeyPressed("close", 7, current=False)]
    assert table.say("KEY", 3, (("name", "close"), ("board", "8"))) == [KeyPressed("close", 8, current=True)]


def test_a_key_of_the_board_before_a_link_restart_is_not_current() -> None:
    table = a_table_that_shows()
    table.say_hello(to="AAAAAAAA")
    reports = table.say("KEY", 1, (("name", "close"), ("board", "7")))
    assert reports[0] == KeyPressed("close", 7, current=False)


@pytest.mark.parametrize(
    "pairs", [(), (("name", "x"),), (("name", ""), ("board", "7")), (("name", "x"), ("board", "-7"))]
)
def test_a_key_that_makes_no_sense_is_answered_and_counted(pairs: Pairs) -> None:
    table = a_table_that_shows()
    assert table.say("KEY", 1, pairs) == []
    assert kinds(table.heard()) == ["ACK"]
    assert table.display.not_understood == 1


def test_fault_41_a_duplicated_answer_moves_nothing() -> None:
    table = Table()
    table.show(PICTURE)
    table.come_up()
    table.heard()
    for _ in range(3):
        table.say("ACK", 1)
    assert kinds(table.heard()) == ["ROAD"]


def test_fault_37_a_display_unplugged_is_down_at_once_and_painted_in_full_when_it_is_back() -> None:
    table = a_table_that_shows()
    table.show(replace(PICTURE, coup=CoupPicture("dealing", 3, 4)))
    table.near.unplug()
    reports = table.turn()
    assert len(reports) == 1
    assert isinstance(reports[0], DisplayDown)
    assert "memory" in reports[0].trouble
    assert not table.display.is_up()
    assert table.display.trouble
    table.far.poll(table.now_ms)
    table.near.plug()
    table.far.keep_trying(table.now_ms)
    for _ in range(30):
        table.turn(100)
        table.far.poll(table.now_ms)
    table.reader = FrameReader()
    assert table.say_hello(to="AAAAAAAA", up="1") == [DisplayUp("")]
    assert kinds(table.delivered()) == ["LIMITS", "ROAD", "NOTICE", "COUP show"]


def test_fault_38_a_display_that_stops_reading_holds_nobody_up_and_is_flagged() -> None:
    table = a_table_that_shows()
    reports: list[DisplayReport] = []
    for n in range(400):
        table.show(replace(PICTURE, coup=CoupPicture("dealing", 3, n)))
        reports += table.turn(10)
    assert [type(report) for report in reports] == [DisplayDown]
    waiting = table.far.poll(table.now_ms)
    assert len(waiting) < 14 * 200, "one frame again and again, then HELLO"


class StuckEnd(PacedEnd):
    """A line that took the last frame and does not get rid of it."""

    def __init__(self, near: PacedEnd) -> None:
        self.near, self.stuck, self.taken = near, False, 0
        self.name, self.is_up, self.trouble = "stuck", True, ""

    def poll(self, now_ms: int) -> bytes:
        return self.near.poll(now_ms)

    def send(self, data: bytes, now_ms: int) -> bool:
        self.taken += len(data) if self.stuck else 0
        return self.near.send(data, now_ms)

    def waiting_out(self) -> int:
        return self.taken


def test_fault_38_what_the_line_does_not_take_is_one_frame_at_most() -> None:
    table = a_table_that_shows()
    wire = StuckEnd(table.near)  # type: ignore[arg-type]
    table.display.wire = wire
    wire.stuck = True
    for n in range(100):
        table.show(replace(PICTURE, coup=CoupPicture("dealing", 3, n)))
        table.say("PING", 1 + n)
    assert 0 < wire.taken <= 1024
    deadline_ms = table.display.deadline_ms()
    assert deadline_ms is not None
    assert deadline_ms > table.now_ms, "no reason to wake up"


def test_fault_39_garbage_and_nak_are_counted_and_never_answered() -> None:
    table = a_table_that_shows()
    table.far.send(b"NAK\r\n\x15\x15$$garbage*0000\r\n" + bytes(range(256)), table.now_ms)
    assert table.turn() == []
    assert table.heard() == []
    assert table.display.frames_damaged >= 3


def test_fault_39_an_unanswered_frame_goes_again_with_the_same_bytes_then_the_display_is_down() -> None:
    table = Table()
    table.show(PICTURE)
    table.come_up()
    sent, reports = [], []
    for _ in range(32):
        reports += table.turn(100)
        sent += [frame.raw for frame in table.heard() if frame.kind == "LIMITS"]
    assert len(sent) >= 10
    assert len(set(sent)) == 1
    assert [type(report) for report in reports] == [DisplayDown]


def test_fault_40_a_display_that_restarts_in_mid_frame_is_painted_in_full() -> None:
    table = a_table_that_shows()
    table.show(replace(PICTURE, coup=CoupPicture("dealing", 3, 5)))
    table.heard()
    table.far.send(b"$09 AC", table.now_ms)
    assert [type(report) for report in table.say_hello("CCCCCCCC", to="AAAAAAAA", up="1")] == [DisplayDown, DisplayUp]
    frames = table.delivered()
    assert kinds(frames[-4:]) == ["LIMITS", "ROAD", "NOTICE", "COUP show"]
    assert frames[-1].value("coup") == "5"


def test_hellos_that_piled_up_in_the_port_are_one_change() -> None:
    table = a_table_that_shows()
    old = encode(Frame(0, "HELLO", (("proto", "1"), ("id", "BBBBBBBB"), ("to", "AAAAAAAA"))))
    table.far.send(old * 100, table.now_ms)
    assert [type(report) for report in table.turn()] == [DisplayDown]
    assert kinds(table.heard()) == ["HELLO", "LIMITS"]
    assert [type(report) for report in table.say("ACK", 1)] == [DisplayUp]


def test_fault_38_a_display_that_talks_but_never_hears_is_not_up() -> None:
    table = a_table_that_shows()
    reports: list[DisplayReport] = []
    for _ in range(10):
        reports += table.say_hello(to="AAAAAAAA")
        reports += table.turn(1000)
    assert [type(report) for report in reports] == [DisplayDown]
    assert not table.display.is_up()


def test_fault_42_a_thousand_coups_and_no_key_is_current_for_another_board() -> None:
    near, far = memory_pair()
    near.open(0)
    far.open(0)
    display = PanelDisplay(near, table="T", lang="en", simulated=True, start_id="AAAAAAAA", first_board=1, baud=115200)
    panel = SimulatedPanel(far, panel_id="BBBBBBBB")
    current = 0
    for n in range(1, 1001):
        display.show(
            replace(PICTURE, road=RoadPicture(n // 80, "P7"), coup=CoupPicture("settling", n // 80, n)), n * 20
        )
        for now_ms in range(n * 20, n * 20 + 20):
            for report in display.poll(now_ms):
                if isinstance(report, KeyPressed) and report.current:
                    assert panel.shown is not None
                    assert report.board == panel.shown.board
                    current += 1
            panel.poll(now_ms)
            if now_ms % 20 == 10:
                panel.press("close")
        assert panel.shown is not None
        assert panel.shown.coup["coup"] == str(n)
    assert current > 900


def test_the_trace_holds_every_frame_both_ways_and_is_bounded() -> None:
    table = a_table_that_shows()
    lines = table.display.trace()
    assert {line.direction for line in lines} == {"<", ">"}
    assert b"".join(line.data for line in lines if line.direction == ">").count(b"\n") == 5
    assert not any(line.damaged for line in lines)
    table.far.send(b"NAK\r\n" * 5000, table.now_ms)
    table.turn()
    lines = table.display.trace()
    assert len(lines) == 1000
    assert lines[0].damaged
    assert table.display.trace() == []
