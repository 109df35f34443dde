"""Frames of the panel link as bytes and back."""

import random

import pytest

from drivers.displays.panel_codec import Damage, Frame, FrameReader, crc16, cut, decode, encode, escape, unescape

COUP = (
    ("show", "1"),
    ("board", "412"),
    ("shoe", "3"),
    ("coup", "4"),
    ("phase", "player-rule"),
    ("call", "player-draws"),
    ("p", "TS,4C"),
    ("b", "7D,8H"),
    ("pt", "4"),
    ("bt", "5"),
    ("next", "player"),
)
LIMITS = "player:100:50000:1:1,banker:100:50000:19:20,tie:100:5000:8:1"
HELLO = (("proto", "1"), ("id", "5F0C91A2"), ("table", "Mini Baccarat 7"), ("lang", "th"), ("sim", "1"))

CASES = [
    (Frame(0, "HELLO", HELLO), b"$00 HELLO proto=1 id=5F0C91A2 table=Mini%20Baccarat%207 lang=th sim=1*C138\r\n"),
    (
        Frame(1, "LIMITS", (("n", "3"), ("from", "0"), ("rows", LIMITS))),
        b"$01 LIMITS n=3 from=0 rows=player:100:50000:1:1,banker:100:50000:19:20,tie:100:5000:8:1*E569\r\n",
    ),
    (Frame(2, "ROAD", (("shoe", "3"), ("n", "3"), ("codes", "B6T4Q8"))), b"$02 ROAD shoe=3 n=3 codes=B6T4Q8*1905\r\n"),
    (Frame(3, "NOTICE", (("level", "info"), ("text", ""))), b"$03 NOTICE level=info text=*664D\r\n"),
    (
        Frame(4, "COUP", COUP),
        b"$04 COUP show=1 board=412 shoe=3 coup=4 phase=player-rule call=player-draws"
        b" p=TS,4C b=7D,8H pt=4 bt=5 next=player*71A1\r\n",
    ),
    (Frame(4, "ACK"), b"$04 ACK*1897\r\n"),
    (Frame(2, "PING"), b"$02 PING*E4DC\r\n"),
]


def with_crc(body: bytes, end: bytes = b"\r\n") -> bytes:
    return b"$%s*%04X%s" % (body, crc16(body), end)


def test_the_crc_is_the_one_of_the_catalogue() -> None:
    assert crc16(b"123456789") == 0x29B1


@pytest.mark.parametrize(("frame", "line"), CASES)
def test_written_and_read(frame: Frame, line: bytes) -> None:
    assert encode(frame) == line
    assert decode(line) == frame
    assert FrameReader().feed(line) == [frame]


@pytest.mark.parametrize(("frame", "line"), CASES)
def test_byte_by_byte_and_with_a_tail(frame: Frame, line: bytes) -> None:
    reader = FrameReader()
    assert [item for byte in line for item in reader.feed(bytes([byte]))] == [frame]
    assert reader.feed(line + b"$05 PI") == [frame]
    assert reader.feed(line) == [Damage("cut short by the next $", b"$05 PI"), frame]


@pytest.mark.parametrize(("frame", "line"), CASES)
def test_a_lone_line_feed_ends_a_frame_too(frame: Frame, line: bytes) -> None:
    assert FrameReader().feed(line.replace(b"\r", b"")) == [frame]


@pytest.mark.parametrize(("frame", "line"), CASES)
def test_one_turned_bit_is_never_another_frame(frame: Frame, line: bytes) -> None:
    for bit in range(8 * len(line)):
        spoilt = bytearray(line)
        spoilt[bit // 8] ^= 1 << bit % 8
        good = [item for item in FrameReader().feed(bytes(spoilt) + line) if isinstance(item, Frame)]
        assert good in ([frame], [frame, frame]), spoilt
        assert len(good) == 1 or bytes(spoilt[:-2]) == line[:-2], spoilt


@pytest.mark.parametrize(
    "line",
    [
        b"$04 ACK*1898\r\n",
        b"$04 ACK*189\r\n",
        b"$04 ACK 1897\r\n",
        b"$04 ack*1897\r\n",
        b"$4 ACK*1897\r\n",
        with_crc(b"0a ACK"),
        with_crc(b" ACK"),
        with_crc(b"04 PING", b"x\r\n"),
        b"$04 ACK*1897 \r\n",
        b"$04 ACK*1897\r\r\n",
        b"$*FFFF\r\n",
        b"$\r\n",
    ],
)
def test_a_bad_form_or_crc_is_damage(line: bytes) -> None:
    (item,) = FrameReader().feed(line)
    assert isinstance(item, Damage)
    assert item.raw == line


def test_a_crc_in_small_letters_is_damage() -> None:
    line = b"$02 PING*e4dc\r\n"
    assert isinstance(decode(line), Damage)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"07 NONSENSES", ""),
        (b"07 P", ""),
        (b"07 ping", ""),
        (b"07 COUP  p=", "COUP"),
        (b"07 COUP p", "COUP"),
        (b"07 COUP P=1", "COUP"),
        (b"07 COUP p=1 p=1", "COUP"),
        (b"07 COUP p=%", "COUP"),
        (b"07 COUP p=%4", "COUP"),
        (b"07 COUP p=%GG", "COUP"),
        (b"07 COUP p=%FF", "COUP"),
        (b"07 COUP p=%ED%A0%80", "COUP"),
        (b"07 COUP p=(", "COUP"),
        (b"07 COUP p=\xe0", "COUP"),
        (b"07 COUP " + b"p" * 33 + b"=1", "COUP"),
    ],
)
def test_a_good_crc_around_nonsense_is_a_frame_with_a_problem(body: bytes, kind: str) -> None:
    frame = decode(with_crc(body))
    assert isinstance(frame, Frame)
    assert (frame.seq, frame.kind, frame.pairs) == (7, kind, ())
    assert frame.problem


def test_a_kind_and_a_key_that_nobody_knows_are_read() -> None:
    assert decode(with_crc(b"FF GLOW x-1=a%2fb")) == Frame(0xFF, "GLOW", (("x-1", "a/b"),))


@pytest.mark.parametrize("text", ["", "Mini Baccarat 7", "ปิดรับเดิมพัน", "莊", "a*b$c=d%\r\n\x00\u202e", "🂡"])
def test_every_text_goes_over(text: str) -> None:
    assert unescape(escape(text)) == text
    assert decode(encode(Frame(1, "NOTICE", (("text", text),)))) == Frame(1, "NOTICE", (("text", text),))


def test_escapes_are_written_in_capitals_and_read_in_either_case() -> None:
    assert escape("é/ ~") == "%C3%A9/%20~"
    assert unescape("%c3%A9") == "é"
    assert escape("\ud800") == "%3F"


def test_a_text_is_cut_by_characters_and_by_room() -> None:
    assert cut("x" * 200, 100, 900) == "x" * 100
    assert cut("ก" * 200, 100, 900) == "ก" * 100
    assert cut("🂡" * 200, 100, 900) == "🂡" * 75


def test_a_dollar_always_starts_anew() -> None:
    assert FrameReader().feed(b"$04 A$02 PI$$04 ACK*1897\n")[-1] == Frame(4, "ACK")


def test_the_longest_frame_and_one_byte_more() -> None:
    longest = with_crc(b"01 NOTICE text=" + b"x" * (1024 - 23))
    assert len(longest) == 1024
    assert isinstance(decode(longest), Frame)
    assert FrameReader().feed(longest) == [decode(longest)]
    too_long = with_crc(b"01 NOTICE text=" + b"x" * (1024 - 22))
    (damage,) = FrameReader().feed(too_long)
    assert damage == Damage("longer than 1024 bytes", too_long[:1024])
    with pytest.raises(ValueError, match="1024 is the most"):
        encode(Frame(1, "NOTICE", (("text", "x" * (1024 - 22)),)))


def test_a_flood_without_an_end_is_one_damage_and_little_memory() -> None:
    reader = FrameReader()
    items = [item for _ in range(200) for item in reader.feed(b"x\x00" * 25_000)]
    assert len(items) == 1
    assert len(reader._held) <= 1024
    assert reader.feed(b"still the same line\r\n$04 ACK*1897\r\n") == [Frame(4, "ACK")]


def test_what_lies_between_frames_is_damage_but_blank_lines_are_not() -> None:
    assert FrameReader().feed(b"\r\n\n$04 ACK*1897\r\n\r\nNAK\r\n") == [
        Frame(4, "ACK"),
        Damage("outside a frame", b"NAK\r\n"),
    ]


@pytest.mark.parametrize("frame", [Frame(256, "ACK"), Frame(1, "ack"), Frame(1, "A"), Frame(1, "AB", (("A", "1"),))])
def test_what_is_no_frame_is_not_written(frame: Frame) -> None:
    with pytest.raises(ValueError, match="frame"):
        encode(frame)
    with pytest.raises(ValueError, match="not a frame"):
        encode(Frame(1, "COUP", (("p", "1"), ("p", "2"))))


@pytest.mark.parametrize("seed", range(20))
def test_however_a_stream_is_chopped_the_same_comes_out(seed: int) -> None:
    rng = random.Random(seed)
    parts = [line for _, line in CASES] + [b"$", b"\n", b"\r", b"*", b"x" * 1500, b"\xff\x00", b"$04 AC"]
    stream = b"".join(rng.choice(parts) for _ in range(100))
    whole, chopped, at = FrameReader().feed(stream), FrameReader(), 0
    items: list[Frame | Damage] = []
    while at < len(stream):
        size = rng.choice([1, 2, 7, 400])
        items += chopped.feed(stream[at : at + size])
        at += size
    assert items == whole
