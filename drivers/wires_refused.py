"""Why a port cannot be opened, in one line that says what to do."""

import errno

from drivers.contracts import WireRefused
from drivers.escape import escaped

_NOT_A_PORT = {errno.ENOTTY, errno.EISDIR, errno.EINVAL}
_GONE = {errno.ENOENT, errno.ENODEV, errno.ENXIO, errno.ENOTDIR}
_BUSY = {errno.EBUSY, errno.EAGAIN, errno.EWOULDBLOCK}
_FORBIDDEN = {errno.EACCES, errno.EPERM}


def refusal(name: str, error: Exception, held_by: str = "") -> WireRefused:
    """What to tell a person about `error`, an OSError, termios.error, SerialException or ValueError from opening.

    `name` is the port, already in one line; `held_by` says which program has it, where that is known.
    """
    return WireRefused(f"{name}: {_what_and_what_to_do(error, held_by)}")


def _what_and_what_to_do(error: Exception, held_by: str) -> str:
    code = _errno(error)
    if code in _GONE:
        return "no such port; plug the cable in or correct 'port' (punto ports lists what is there)"
    if code in _BUSY:
        return f"busy (another program has it: {held_by or 'not to be seen from here'}); stop that program"
    if code in _FORBIDDEN:
        return "permission denied: add the user to group dialout, then log in again"
    if code in _NOT_A_PORT:
        return "not a serial port; correct 'port' (punto ports lists what is there)"
    if code == errno.ECONNREFUSED:
        return "connection refused; check address and port number, and that the device server is on"
    return f"cannot be opened: {escaped(_text(error))}; check the port and the cable"


def _errno(error: Exception) -> int | None:
    """The number of the system's error. pyserial buries it in another exception, or in its text only."""
    seen: BaseException | None = error
    while seen is not None:
        first = seen.args[0] if seen.args else None
        if isinstance(first, int):
            return first
        seen = seen.__cause__ or seen.__context__
    return None


def _text(error: Exception) -> str:
    strerror = error.strerror if isinstance(error, OSError) else None
    return strerror or str(error) or type(error).__name__
