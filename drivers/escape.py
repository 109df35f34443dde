"""Text from devices, files and the network, made fit for one line of a terminal or a log."""

MOST_CHARACTERS = 200


def escaped(text: str, most: int = MOST_CHARACTERS) -> str:
    r"""`text` as printable ASCII in one line of at most `most` characters.

    Everything else is written as \xNN or \u{NNNN}: line ends, terminal sequences, letters that run from right to left.
    What is cut ends in "...". A text that went through here once comes out unchanged, unless it is cut again.
    """
    assert most >= 3
    if len(text) <= most and text.isascii() and text.isprintable():
        return text
    pieces: list[str] = []
    length = 0
    for character in text:
        piece = _escape(character)
        if length + len(piece) > most:
            return _cut(pieces, length, most)
        pieces.append(piece)
        length += len(piece)
    return "".join(pieces)


def _escape(character: str) -> str:
    point = ord(character)
    if 0x20 <= point < 0x7F:
        return character
    return f"\\x{point:02x}" if point < 0x100 else f"\\u{{{point:x}}}"


def _cut(pieces: list[str], length: int, most: int) -> str:
    """Whole pieces only, so that no escape is cut in two."""
    while length > most - 3:
        length -= len(pieces.pop())
    return "".join(pieces) + "..."
