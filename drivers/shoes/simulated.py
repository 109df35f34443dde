"""An Angel Eye II-EX compatible shoe without a shoe: deals when told, and misbehaves when told.

It is the device at the far end of a line, with the device's own codec, its own cards and its own drawing rules. The
simulated and the emulated shoe are this one class.
"""

from collections.abc import Iterable, Sequence

from drivers.escape import escaped
from drivers.shoes.simulated_device import Device, ShoeSettings
from drivers.shoes.simulated_faults import Fault
from drivers.shoes.simulated_line import DeviceEnd, Transmitter

__all__ = ["ORDERS", "ShoeSettings", "SimulatedShoe"]

ORDERS = "draw [N], coup, cut, result, power, shoe, error N, clear N, key lock|unlock, unplug MS"
MOST_DRAWN = 1_000
MOST_ERROR = 63
MOST_UNPLUGGED_MS = 600_000


class SimulatedShoe:
    """The device on `end`. `cards` (top first, burn included) fill the first shoe; the next ones are shuffled.

    Shuffled shoe n uses seed + n - 1. Never waits: `order` acts at once, the copies go out in `poll` as time goes by.
    `device` may be asked how it stands.
    """

    def __init__(
        self,
        end: DeviceEnd,
        settings: ShoeSettings,
        cards: Sequence[str] | None = None,
        faults: Iterable[Fault] = (),
    ) -> None:
        self._line = Transmitter(end, settings.copies, settings.copy_gap_ms, settings.seed)
        self.device = Device(self._line, settings, cards, faults)

    def order(self, line: str, now_ms: int) -> str:
        """Carry out one order (ORDERS); "ok" or "error TEXT", in one line."""
        self._line.now_ms = now_ms
        if self._line.is_behind():
            return "error too many reports wait to be sent; try again in a moment"
        trouble = self._carry_out(line.split())
        return f"error {trouble}" if trouble else "ok"

    def poll(self, now_ms: int) -> None:
        """Send the copies that are due."""
        self._line.poll(now_ms)

    def deadline_ms(self) -> int | None:
        """When `poll` must be called."""
        return self._line.deadline_ms()

    def is_silent(self) -> bool:
        """Nothing waits to be sent."""
        return self._line.is_silent()

    def _carry_out(self, words: list[str]) -> str:
        """What was in the way, "" when nothing."""
        match words:
            case ["draw"]:
                return self.device.draw_many(1)
            case ["draw", number] if _is_from(number, 1, MOST_DRAWN):
                return self.device.draw_many(int(number))
            case ["coup"]:
                return self.device.play_on()
            case ["cut"]:
                return self.device.bring_out_cut_card()
            case ["result"]:
                return self.device.tell_result()
            case ["power"]:
                return self.device.power()
            case ["shoe"]:
                return self.device.next_shoe()
            case ["error", number] if _is_from(number, 1, MOST_ERROR):
                return self.device.stop(int(number))
            case ["clear", number] if _is_from(number, 1, MOST_ERROR):
                return self.device.clear(int(number))
            case ["key", ("lock" | "unlock") as turned]:
                return self.device.turn_key(lock=turned == "lock")
            case ["unplug", number] if _is_from(number, 1, MOST_UNPLUGGED_MS):
                return self._line.unplug(int(number))
            case _:
                return f"unknown order '{escaped(' '.join(words), 60)}'; write {ORDERS}"


def _is_from(text: str, least: int, most: int) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 9 and least <= int(text) <= most
