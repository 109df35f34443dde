"""A figure of the benchmark: ours beside the bare work of the same run."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """`ours` and `bare` in `unit`; `ratio` must be at most `most` or at least `least` (None: not judged)."""

    name: str
    ours: float
    bare: float
    unit: str
    ratio: float
    most: float | None = None
    least: float | None = None
    note: str = ""

    def holds(self) -> bool:
        """Whether the ratio is what it must be."""
        return (self.most is None or self.ratio <= self.most) and (self.least is None or self.ratio >= self.least)

    def line(self) -> str:
        """The figure as a person reads it."""
        if self.most is not None:
            wanted = f"at most {self.most:g}"
        elif self.least is not None:
            wanted = f"at least {self.least:g}"
        else:
            wanted = "not judged"
        verdict = "ok" if self.holds() else "MISSED"
        note = f"; {self.note}" if self.note else ""
        return (
            f"{self.name}: ours {self.ours:,.1f} {self.unit}, bare {self.bare:,.1f} {self.unit}, "
            f"ratio {self.ratio:.3f} ({wanted}) {verdict}{note}"
        )
