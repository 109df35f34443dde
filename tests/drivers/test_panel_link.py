"""The link of the panel protocol, sentence by sentence. The far side is spoken by hand."""

import pytest

from drivers.displays.panel_codec import Frame, decode
from drivers.displays.panel_link import Arrived, CameUp, LinkEvent, PanelLink, WentDown

OURS, THEIRS = "AAAAAAAA", "BBBBBBBB"


def hello(own: str = THEIRS, **pairs: str) -> Frame:
    return Frame(0, "HELLO", (("proto", "1"), ("id", own), *pairs.items()))


def due(link: PanelLink, now_ms: int) -> list[Frame]:
    """Everything the link itself sends now."""
    frames = []
    while (data := link.answer(now_ms) or link.ping(now_ms)) is not None:
        frame = decode(data)
        assert isinstance(frame, Frame)
        frames.append(frame)
    return frames


def kinds(link: PanelLink, now_ms: int) -> list[str]:
    return [f"{frame.seq:02X} {frame.kind}" for frame in due(link, now_ms)]


def a_link(baud: int = 115200) -> PanelLink:
    return PanelLink(OURS, (("table", "T"),), baud)


def a_link_that_is_up(baud: int = 115200) -> PanelLink:
    link = a_link(baud)
    link.hear(hello(to=OURS, up="1"), 0)
    assert link.up
    assert kinds(link, 0) == []
    return link


def sent(link: PanelLink, kind: str, now_ms: int) -> bytes:
    data = link.send(kind, (), now_ms)
    assert data is not None
    return data


def names(events: list[LinkEvent]) -> list[str]:
    return [type(event).__name__ for event in events]


def test_not_up_says_hello_at_once_and_once_a_second_and_nothing_else() -> None:
    link = a_link()
    assert due(link, 0) == [Frame(0, "HELLO", (("proto", "1"), ("id", OURS), ("table", "T")))]
    assert kinds(link, 999) == []
    assert link.send_deadline_ms() == 1000
    assert kinds(link, 1000) == ["00 HELLO"]
    assert not link.is_free


def test_not_up_hears_hello_only() -> None:
    link = a_link()
    kinds(link, 0)
    assert link.hear(Frame(5, "COUP"), 1) == []
    assert kinds(link, 1) == []


def test_a_hello_without_up_is_answered_at_once_and_says_whom_it_heard() -> None:
    link = a_link()
    kinds(link, 0)
    assert link.hear(hello(), 10) == []
    (answer,) = due(link, 10)
    assert (answer.value("to"), answer.value("up")) == (THEIRS, None)


def test_a_hello_to_us_brings_the_link_up_and_the_answer_says_so() -> None:
    link = a_link()
    kinds(link, 0)
    frame = hello(to=OURS, model="X")
    assert link.hear(frame, 10) == [CameUp(frame)]
    (answer,) = due(link, 10)
    assert (answer.value("to"), answer.value("up")) == (THEIRS, "1")


def test_a_hello_with_up_is_not_answered() -> None:
    link = a_link()
    kinds(link, 0)
    assert names(link.hear(hello(to=OURS, up="1"), 10)) == ["CameUp"]
    assert kinds(link, 10) == []


def test_a_hello_to_somebody_else_does_not_bring_it_up() -> None:
    link = a_link()
    kinds(link, 0)
    assert link.hear(hello(to="CCCCCCCC", up="1"), 10) == []
    assert not link.up
    assert kinds(link, 10) == []


def test_a_hello_without_up_takes_the_link_down_first() -> None:
    link = a_link_that_is_up()
    assert names(link.hear(hello(to=OURS), 10)) == ["WentDown", "CameUp"]
    assert kinds(link, 10) == ["00 HELLO"]


def test_a_hello_with_a_new_id_takes_the_link_down_first() -> None:
    link = a_link_that_is_up()
    assert names(link.hear(hello("CCCCCCCC", to=OURS, up="1"), 10)) == ["WentDown", "CameUp"]
    assert names(link.hear(hello("DDDDDDDD", to="EEEEEEEE", up="1"), 20)) == ["WentDown"]
    assert kinds(link, 20) == ["00 HELLO"]


def test_a_second_hello_with_up_changes_nothing() -> None:
    link = a_link_that_is_up()
    sent(link, "COUP", 10)
    assert link.hear(hello(to=OURS, up="1"), 20) == []
    assert not link.is_free


def test_the_other_side_hears_us_once_it_answers_or_says_that_it_is_up() -> None:
    link = a_link()
    link.hear(hello(to=OURS), 0)
    assert (link.up, link.answered) == (True, False)
    link.hear(hello(to=OURS, up="1"), 0)
    assert link.answered
    link.hear(hello(to=OURS), 0)
    assert not link.answered
    link.hear(Frame(1, "PING"), 0)
    assert link.answered


def test_numbers_start_at_01_go_to_ff_and_start_again() -> None:
    link = a_link_that_is_up()
    seqs = []
    for _ in range(256):
        seqs.append(int(sent(link, "COUP", 0)[1:3], 16))
        link.hear(Frame(seqs[-1], "ACK"), 0)
    assert seqs == [*range(1, 256), 1]


def test_coming_up_again_forgets_numbers_and_queue() -> None:
    link = a_link_that_is_up()
    sent(link, "COUP", 0)
    link.hear(Frame(1, "ACK"), 0)
    sent(link, "ROAD", 0)
    link.hear(Frame(7, "KEY"), 0)
    link.hear(hello(to=OURS), 10)
    assert kinds(link, 10) == ["00 HELLO"]
    assert link.is_free
    assert names(link.hear(Frame(7, "KEY"), 20)) == ["Arrived"]
    assert sent(link, "COUP", 20).startswith(b"$01 ")


def test_one_frame_under_way_and_answers_go_at_once_all_the_same() -> None:
    link = a_link_that_is_up()
    sent(link, "COUP", 0)
    assert not link.is_free
    assert names(link.hear(Frame(0x3A, "KEY"), 5)) == ["Arrived"]
    assert kinds(link, 5) == ["3A ACK"]
    link.hear(Frame(1, "ACK"), 6)
    assert link.is_free
    assert sent(link, "COUP", 6).startswith(b"$02 ")


@pytest.mark.parametrize(("baud", "again_ms"), [(115200, 1 + 2 + 250), (9600, 14 + 15 + 250), (1200, 109 + 117 + 250)])
def test_a_frame_goes_again_when_its_answer_can_have_come(baud: int, again_ms: int) -> None:
    link = a_link_that_is_up(baud)
    data = sent(link, "XY", 0)
    assert len(data) == 13
    again_ms = -(-13 * 10_000 // baud) - (-14 * 10_000 // baud) + 250
    assert link.send_deadline_ms() == again_ms
    assert link.answer(again_ms - 1) is None
    assert link.answer(again_ms) == data
    assert link.answer(again_ms) is None
    assert link.answer(2 * again_ms) == data


def test_a_frame_waits_for_what_is_still_on_the_line_before_it() -> None:
    link = a_link_that_is_up(1200)
    link.hear(Frame(9, "KEY"), 0)
    link.answer(0)
    sent(link, "XY", 0)
    assert link.send_deadline_ms() == 117 + 109 + 117 + 250


def test_it_goes_again_until_the_link_is_down() -> None:
    link = a_link_that_is_up()
    sent(link, "COUP", 0)
    times = [now_ms for now_ms in range(3000) if link.answer(now_ms) is not None]
    assert len(times) == 11
    assert link.pass_time(3000) == [WentDown("nothing heard for 3 s")]
    assert kinds(link, 3000) == ["00 HELLO"]
    assert kinds(link, 3500) == []


def test_the_number_of_the_last_good_frame_is_answered_and_not_acted_on() -> None:
    link = a_link_that_is_up()
    assert link.hear(Frame(1, "KEY"), 0) == [Arrived(Frame(1, "KEY"))]
    assert link.hear(Frame(1, "KEY"), 5) == []
    assert kinds(link, 5) == ["01 ACK", "01 ACK"]
    assert names(link.hear(Frame(2, "KEY"), 6)) == ["Arrived"]
    assert names(link.hear(Frame(1, "KEY"), 7)) == ["Arrived"]


def test_an_answer_with_another_number_is_ignored() -> None:
    link = a_link_that_is_up()
    sent(link, "COUP", 0)
    link.hear(Frame(2, "ACK"), 1)
    link.hear(Frame(0, "ACK"), 1)
    assert not link.is_free
    link.hear(Frame(1, "ACK", (("later", "1"),)), 1)
    assert link.is_free


def test_a_good_crc_around_nonsense_is_answered_counted_and_not_acted_on() -> None:
    link = a_link_that_is_up()
    assert link.hear(Frame(1, "COUP", (), "an escape that makes no sense"), 0) == []
    assert link.hear(Frame(2, "", (), "no kind that could be read"), 0) == []
    assert link.hear(Frame(0, "KEY"), 0) == []
    assert kinds(link, 0) == ["01 ACK", "02 ACK", "00 ACK"]
    assert link.not_understood == 3


def test_an_answer_or_hello_that_makes_no_sense_is_not_answered() -> None:
    link = a_link_that_is_up()
    sent(link, "COUP", 0)
    assert link.hear(Frame(1, "ACK", (), "a key twice"), 0) == []
    assert link.hear(Frame(0, "HELLO", (), "a key twice"), 0) == []
    assert link.hear(Frame(0, "HELLO", (("proto", "1"), ("id", "short"))), 0) == []
    assert link.hear(Frame(3, "HELLO", hello(to=OURS).pairs), 0) == []
    assert link.answer(0) is None
    assert link.up
    assert not link.is_free
    assert link.not_understood == 4


def test_ping_after_a_second_of_sending_nothing_and_no_earlier() -> None:
    link = a_link_that_is_up()
    assert kinds(link, 999) == []
    link.hear(Frame(1, "KEY"), 999)
    assert kinds(link, 999) == ["01 ACK"]
    assert kinds(link, 2000) == []
    assert link.send_deadline_ms() == 2001
    assert kinds(link, 2001) == ["01 PING"]
    assert not link.is_free


def test_a_ping_is_answered_and_nobody_hears_of_it() -> None:
    link = a_link_that_is_up()
    assert link.hear(Frame(9, "PING"), 0) == []
    assert kinds(link, 0) == ["09 ACK"]


def test_three_seconds_without_a_good_frame_and_an_answer_counts() -> None:
    link = a_link_that_is_up()
    link.hear(Frame(9, "ACK"), 2000)
    assert link.silence_deadline_ms() == 5000
    assert link.pass_time(4999) == []
    assert names(link.pass_time(5000)) == ["WentDown"]
    assert link.silence_deadline_ms() is None
    assert link.pass_time(9000) == []


@pytest.mark.parametrize(("theirs", "spoken"), [("1", 1), ("2", 1), ("9", 1)])
def test_both_speak_the_lower_version(theirs: str, spoken: int) -> None:
    link = a_link()
    link.hear(Frame(0, "HELLO", (("proto", theirs), ("id", THEIRS), ("to", OURS))), 0)
    assert (link.up, link.proto) == (True, spoken)


@pytest.mark.parametrize("theirs", ["0", "x", "", "-1"])
def test_fault_39_a_version_that_nobody_speaks_is_said(theirs: str) -> None:
    link = a_link()
    link.hear(Frame(0, "HELLO", (("proto", theirs), ("id", THEIRS), ("to", OURS))), 0)
    assert not link.up
    assert f"proto='{theirs}'" in link.trouble


def test_fault_39_a_line_that_echoes_does_not_come_up_with_itself() -> None:
    link = a_link()
    for now_ms in range(0, 5000, 100):
        for frame in due(link, now_ms):
            link.hear(frame, now_ms)
        assert not link.up
    assert "echoes" in link.trouble
    assert link.not_understood == 5


def test_ids_are_hex_digits_of_either_case() -> None:
    link = a_link()
    link.hear(hello("bbbbbbbb", to=OURS.lower()), 0)
    assert due(link, 0)[0].value("to") == "bbbbbbbb"
    assert link.hear(hello("BBBBBBBB", to=OURS, up="1"), 0) == []
    with pytest.raises(ValueError, match="8 hex digits"):
        PanelLink("nothex!!", (), 9600)


def test_a_start_that_could_be_taken_for_the_last_one_begins_with_the_same_bytes_or_a_ping() -> None:
    link = a_link_that_is_up()
    first = sent(link, "LIMITS", 0)
    link.hear(hello(to=OURS), 1)
    assert kinds(link, 1) == ["00 HELLO"]
    assert sent(link, "LIMITS", 1) == first
    link.hear(hello(to=OURS), 2)
    assert kinds(link, 2) == ["00 HELLO"]
    assert link.send("ROAD", (), 2) is None
    assert kinds(link, 2) == ["01 PING"]
    link.hear(Frame(1, "ACK"), 3)
    assert sent(link, "ROAD", 3).startswith(b"$02 ROAD")


def test_two_links_that_hear_each_other_come_up_whoever_speaks_first() -> None:
    for first in (0, 1):
        links = (PanelLink(OURS, (), 9600), PanelLink(THEIRS, (), 9600))
        for now_ms in range(first, first + 4):
            for frame in due(links[now_ms % 2], now_ms):
                links[1 - now_ms % 2].hear(frame, now_ms)
        assert links[0].up
        assert links[1].up
