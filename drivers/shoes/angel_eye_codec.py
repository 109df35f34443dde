"""Angel Eye II-EX compatible reports <-> frames. No port, no clock. Compatible, not verified on hardware.

    ENQ  Seq '1'..'9'  Code  Data  ETX  BCC: XOR from Seq through ETX as two upper-case hex digits

The maker's manual is not public; this layout is the one that two independent host programs agree on.
"""

from functools import lru_cache, reduce
from operator import xor

from drivers.shoes.angel_eye_fields import DeviceReport, FieldRefused, data_of, report_of

ENQ = 0x05
"""Begins a report, and is found nowhere else in one."""
ETX = 0x03
"""Ends a report's data; the BCC's two characters follow."""
MOST_BYTES = 64
"""Kept of one frame; the longest lawful one has 12."""


def bcc(data: bytes) -> bytes:
    """The two characters that check `data`."""
    return b"%02X" % reduce(xor, data, 0)


@lru_cache(maxsize=16)
def decode_frame(frame: bytes) -> tuple[int, DeviceReport] | str:
    """The sequence number 1..9 and the report of one whole frame, or why it is refused (one line)."""
    if len(frame) < 6:
        return f"too short: {len(frame)} bytes are no frame"
    if frame[0] != ENQ:
        return f"begins with 0x{frame[0]:02X}, not ENQ"
    if frame[-3] != ETX:
        return "no ETX before the checksum"
    if frame[-2:] != bcc(frame[1:-2]):
        return f"checksum is not {bcc(frame[1:-2]).decode()}"
    if frame[1] not in b"123456789":
        return f"sequence 0x{frame[1]:02X}"
    try:
        return frame[1] - ord("0"), report_of(chr(frame[2]), frame[3:-3])
    except FieldRefused as refused:
        return str(refused)


def encode_report(report: DeviceReport, seq: int) -> bytes:
    """The frame of `report`. Raises ValueError for what no frame can say: the frame must decode to the same again."""
    code, data = data_of(report)
    body = b"%d%s%s%c" % (seq, code.encode(), data, ETX)
    frame = bytes([ENQ]) + body + bcc(body)
    decoded = decode_frame(frame)
    if decoded != (seq, report):
        raise ValueError(f"no frame says {report} with number {seq} ({decoded})")
    return frame
