"""The loader: what a file says is read as written, or refused with line and column."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.host.config_file import ConfigErrors, Spot, source
from controller.host.yaml_strict import parse


def data(text: str) -> object:
    document = parse(source("x.yaml", text))
    assert document.findings == ()
    return document.data


def told(text: str | bytes) -> list[str]:
    try:
        document = parse(source("x.yaml", text))
    except ConfigErrors as errors:
        return errors.mistakes
    return [document.source.told(finding) for finding in document.findings]


# What PyYAML's safe_load makes something else of (fault 66)

AS_WRITTEN = {
    "tie: 8:1": "8:1",
    "tie: 9:1": "9:1",
    "pair: 11:1": "11:1",
    "small: 3:2": "3:2",
    "banker: 19:20": "19:20",
    "half: 1:2": "1:2",
    "x: 200:1": "200:1",
    "x: 0:95": "0:95",
    "x: 0.95:1": "0.95:1",
    "x: 1:60": "1:60",
    "x: 1:30.5": "1:30.5",
    "id: 012345": "012345",
    "id: 0123456789": "0123456789",
    "min: 1,000": "1,000",
    "min: 1_000": "1_000",
    "max: 1e3": "1e3",
    "max: 1.0e3": "1.0e3",
    "max: 1.0e+3": "1.0e+3",
    "decks: 010": "010",
    "decks: 08": "08",
    "decks: 0o10": "0o10",
    "decks: 0x10": "0x10",
    "commission: 5e-2": "5e-2",
    "commission: 5.0e-2": "5.0e-2",
    "commission: 05": "05",
    "commission: 5%": "5%",
    "side: no": "no",
    "side: off": "off",
    "side: on": "on",
    "side: yes": "yes",
    "side: n": "n",
    "side: True": "True",
    "side: NULL": "NULL",
    "max: .inf": ".inf",
    "max: .nan": ".nan",
    "t: 10:00": "10:00",
    "day: 2026-01-01": "2026-01-01",
    "x: =": "=",
    "x: -0": "-0",
    "x: +5": "+5",
    "x: 1.0": "1.0",
    "x: '5'": "5",
    'x: "true"': "true",
    "x: 'null'": "null",
    "x: ''": "",
    "x: 99999999999999999999999999": "9" * 26,
    f"x: {'9' * 5000}": "9" * 5000,
}


@pytest.mark.parametrize("line", AS_WRITTEN)
def test_a_scalar_is_text_as_written(line: str) -> None:
    assert list(data(line).values()) == [AS_WRITTEN[line]]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("line", "value"),
    [("x: 0", 0), ("x: 8", 8), ("x: -8", -8), ("x: 5000000", 5000000), ("x: true", True), ("x: false", False)],
)
def test_plain_numbers_true_and_false_are_what_they_look_like(line: str, value: object) -> None:
    (got,) = data(line).values()  # type: ignore[attr-defined]
    assert got == value
    assert type(got) is type(value)


def test_a_key_is_the_word_that_stands_there() -> None:
    assert data("no: 1\n1: 2\n1.0: 3\ntrue: 4\n010: 5") == {"no": 1, "1": 2, "1.0": 3, "true": 4, "010": 5}


def test_windows_line_ends_do_not_move_lines() -> None:
    document = parse(source("x.yaml", "a: 1\r\nb: 2\r\n"))
    assert document.data == {"a": 1, "b": 2}
    assert document.value_spots["b",] == Spot(2, 4)


# What is refused (faults 67, 68, 70)

REFUSED = {
    "duplicate": ("tie: 8\ntie: 9", "x.yaml:2:1: tie: this key is here twice, first on line 1"),
    "nested duplicate": ("a: {b: 1, 'b': 2}", "x.yaml:1:11: a.b: this key is here twice, first on line 1"),
    "anchor": ("a: &x 1", "x.yaml:1:4: a: an anchor (&x); write the value out where it is used"),
    "alias": ("a: 1\nb: *a", "x.yaml:2:4: b: an alias (*a); write the value out"),
    "merge key": ("a: {<<: {b: 1}}", "x.yaml:1:5: a: a merge key (<<); write the keys out"),
    "tag": ("a: !!python/name:os.system ''", "tag:yaml.org,2002:python/name:os.s"),
    "own tag": ("a: !x 1", "x.yaml:1:4: a: a tag (!x); take it out"),
    "second document": ("a: 1\n---\nb: 1", "x.yaml:2:1: a second document begins here"),
    "directive": ("%YAML 1.1\n---\na: 1", "x.yaml:1:1: directives (%YAML, %TAG) are not allowed"),
    "no value": ("a:\nb: 1", "x.yaml:1:3: a: no value; write one"),
    "null": ("a: null", "x.yaml:1:4: a: no value (null); write one"),
    "no blank": ("a: {pays:8:1}", "x.yaml:1:5: a.pays:8:1: unknown key; a blank is missing after pays:"),
    "no blank in a block": ("a:\n  b: 1\n  pays:8:1", "x.yaml:3:3: pays: a blank is missing after pays:"),
    "no colon": ("a: {8:1}", "x.yaml:1:8: a.8:1: no value; write one"),
    "list as key": ("a: {[1]: 2}", "a list or a map as a key"),
    "several lines": ("a: one\n  two", "x.yaml:1:4: a: a text over several lines"),
    "block text": ("a: |\n  one\n  two", "x.yaml:1:4: a: a text over several lines"),
    "tab": ("a: 1\n\tb: 2", "x.yaml:2:1: a tab; use blanks"),
    "tab in a comment": ("a: 1 #\tx", "x.yaml:1:7: a tab; use blanks"),
    "NUL": ("a: \x00", "x.yaml:1:4: the character U+0000 is not allowed"),
    "escape": ("a: \x1b[31m", "x.yaml:1:4: the character U+001B is not allowed"),
    "escape written out": ('a: "\\x1b[31m"', "x.yaml:1:4: a: the character U+001B is not allowed"),
    "line end written out": ('a: "1\\n2"', "x.yaml:1:4: a: the character U+000A is not allowed"),
    "right to left": ("a: \u202ex", "x.yaml:1:4: the character U+202E is not allowed"),
    "right to left written out": ('a: "\\u202e"', "x.yaml:1:4: a: the character U+202E is not allowed"),
    "half a character": ('a: "\\ud800"', "x.yaml:1:4: a: the character U+D800 is not allowed"),
    "beyond Unicode": ('a: "\\UFFFFFFFF"', "this cannot be read"),
    "huge version": (f"%YAML {'9' * 5000}.1\n---\na: 1", "this cannot be read"),
    "non-character": ("a: \ufffe", "x.yaml:1:4: the character U+FFFE is not allowed"),
    "invisible in a key": ("a\u200bb: 1", "x.yaml:1:2: the character U+200B is not allowed"),
    "blank that is none": ("a:\u00a01", "x.yaml:1:3: the character U+00A0 is not allowed"),
    "lone carriage return": ("a: 1\rb: 2", "x.yaml:1:5: the character U+000D is not allowed"),
    "other line end": ("a: 1\u2028b: 2", "x.yaml:1:5: the character U+2028 is not allowed"),
    "byte order mark": ("\ufeffa: 1", "x.yaml:1:1: the file begins with a byte order mark"),
    "UTF-16": ("a: 1".encode("utf-16"), "x.yaml:1:1: the file is UTF-16; save it as UTF-8"),
    "Latin-1": (b"a: 1\nb: x\xe9", "x.yaml:2:5: the byte 0xe9 is not UTF-8"),
    "empty": ("", "x.yaml:1:1: the file is empty"),
    "only a comment": ("# nothing", "x.yaml:1:1: the file is empty"),
    "just text": ("just text", "x.yaml:1:1: the file is no list of 'key: value' lines"),
    "a list": ("[8:1]", "x.yaml:1:1: the file is no list of 'key: value' lines"),
    "not YAML": ("a: [1", "not YAML: while parsing a flow sequence"),
    "percent first": ("a: %5", "a percentage is written 5%"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_is_refused_with_its_place(case: str) -> None:
    text, expected = REFUSED[case]
    assert [each for each in told(text) if expected in each], told(text)


def test_every_mistake_is_told_in_one_run() -> None:
    assert len(told("a: &x 1\nb: *x\na: 2\nc: !!int 3\n# \x07\nd:\n")) == 6


# Bombs (fault 69)


@pytest.mark.parametrize("piece", ["[", "{", "- ", "? ", "{a: [", "- - "])
def test_depth_is_refused_before_anything_is_built(piece: str) -> None:
    assert "nested deeper than 20 levels" in told(piece * 10_000)[0]


def test_twenty_levels_are_read() -> None:
    assert data("a: " + "[" * 19 + "]" * 19)
    assert "nested deeper" in told("a: " + "[" * 20 + "]" * 20)[0]


def test_laughs_are_refused_as_anchors_and_aliases() -> None:
    lines = ["a: &a [x, x]"] + [
        f"{new}: &{new} [*{old}, *{old}]" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
    ]
    assert len(told("\n".join(lines))) == 9 + 16


def test_a_file_has_at_most_so_many_entries_and_bytes() -> None:
    assert "too many entries" in told("[" + "a," * 20_000 + "a]")[0]
    assert "too large" in told("#" * (64 * 1024 + 1))[0]


# Whatever comes


@given(st.binary(max_size=300))
def test_random_bytes_are_read_or_refused(raw: bytes) -> None:
    for line in told(raw):
        assert line.isascii()
        assert line.isprintable()


@given(st.text(alphabet=st.sampled_from(list("ab1:-?,[]{}&*!|>'\"%@`# \n\t\r<~\\xU0\u202e\x00é")), max_size=120))
def test_random_yaml_is_read_or_refused(text: str) -> None:
    document = None
    try:
        document = parse(source("x.yaml", text))
    except ConfigErrors:
        return
    for finding in document.findings:
        where, shown, caret = document.source.pointed(finding).split("\n")
        assert (where + shown + caret).isprintable()
    assert document.findings or isinstance(document.data, dict)
