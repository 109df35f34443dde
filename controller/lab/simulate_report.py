"""A simulation as one page of HTML: the table, and for each wager how its running edge comes to the exact line."""

import math
from collections.abc import Iterator
from html import escape
from typing import NamedTuple

from controller.game.odds import percent_text
from controller.lab.simulate import SIGMAS, Seen, Simulated
from controller.lab.simulate_told import headline

WIDTH, HEIGHT = 520, 260
LEFT, RIGHT, TOP, BOTTOM = 74, 12, 12, 34
_LIKELY = 1.96
"""Sigmas of the inner band: 95 of 100 runs are in it at any given coup."""
_SPAN = 40
"""The plot is as high as the outer band was when so many times fewer coups were dealt."""
_STEPS = 48

_STYLE = """
body { font: 15px/1.4 system-ui, sans-serif; color: #111; background: #fff; max-width: 1120px; margin: 2em auto; }
table { border-collapse: collapse; margin: 1em 0; }
th, td { padding: .2em .8em; border-bottom: 1px solid #bbb; text-align: right; font-variant-numeric: tabular-nums; }
th:first-child, td:first-child { text-align: left; }
.wrong { font-weight: bold; text-decoration: underline; }
figure { display: inline-block; margin: 0 1em 1em 0; break-inside: avoid; }
figcaption { font-weight: bold; }
svg text { font: 11px system-ui, sans-serif; fill: #111; }
.outer { fill: #e6e6e6; } .inner { fill: #c9c9c9; } .frame { fill: none; stroke: #777; }
.exact { stroke: #000; stroke-dasharray: 6 4; } .seen { fill: none; stroke: #00539c; stroke-width: 1.8; }
.grid { stroke: #ddd; }
"""


class _Scale(NamedTuple):
    """From coups (in powers of ten) and edges to the places of a plot, in pixels."""

    first: float
    last: float
    low: float
    high: float

    def x(self, coups: float) -> float:
        part = (math.log10(coups) - math.log10(self.first)) / (math.log10(self.last) - math.log10(self.first))
        return LEFT + part * (WIDTH - LEFT - RIGHT)

    def y(self, edge: float) -> float:
        return HEIGHT - BOTTOM - (edge - self.low) / (self.high - self.low) * (HEIGHT - TOP - BOTTOM)


def report(run: Simulated, name: str) -> str:
    """The page; nothing in it is fetched from elsewhere. `name` is the paytable's."""
    title = f"{escape(name)}: seen and exact"
    plots = "\n".join(_figure(run, number) for number in range(len(run.seen)))
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style></head><body>
<h1>{title}</h1>
<p>{escape(headline(run))}. The edge is the house's part of each unit staked; stakes that come back count as staked.
A wager more than {SIGMAS} sigma off is wrong.</p>
{_table(run)}
<p>Line: the edge seen so far. Dashes: the exact edge. Bands: where chance alone keeps it, 95 times in 100 (inner) and
within {SIGMAS} sigma (outer). Coups are in powers of ten.</p>
{plots}
</body></html>
"""


def _table(run: Simulated) -> str:
    heads = ("wager", "seen", "exact", f"less {SIGMAS} sigma", f"and {SIGMAS} sigma", "sigmas off")
    head = "".join(f"<th>{text}</th>" for text in heads)
    return f"<table><tr>{head}</tr>{''.join(map(_row, run.seen))}</table>"


def _row(seen: Seen) -> str:
    edges = map(percent_text, (seen.edge, seen.exact.edge, seen.low, seen.high))
    cells = "".join(f"<td>{text}</td>" for text in (escape(seen.wager), *edges, f"{seen.sigma:+.2f}"))
    return f"<tr>{cells}</tr>" if seen.agrees else f'<tr class="wrong">{cells}</tr>'


def _figure(run: Simulated, number: int) -> str:
    seen = run.seen[number]
    points = [(point.coups, float(point.edges[number])) for point in run.running]
    exact, deviation = float(seen.exact.edge), math.sqrt(seen.exact.variance)
    last = max(run.coups, 2)
    half = (SIGMAS * deviation / math.sqrt(last / _SPAN)) or abs(points[-1][1] - exact) or 1.0
    first = min(points[0][0], last / 2)
    scale = _Scale(first, last, exact - half, exact + half)
    line = " ".join(f"{scale.x(coups):.1f},{scale.y(edge):.1f}" for coups, edge in points)
    clip = f"plot-{number}"
    return f"""<figure><figcaption>{escape(seen.wager)}</figcaption>
<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img">
<title>{escape(seen.wager)}: {percent_text(seen.edge)} seen, {percent_text(seen.exact.edge)} exact</title>
<clipPath id="{clip}"><rect {_FRAME}/></clipPath>
<g clip-path="url(#{clip})">
<polygon class="outer" points="{_band(scale, exact, SIGMAS * deviation)}"/>
<polygon class="inner" points="{_band(scale, exact, _LIKELY * deviation)}"/>
</g>
{"".join(_axes(scale, exact, half))}
<g clip-path="url(#{clip})">
<line class="exact" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{scale.y(exact):.1f}" y2="{scale.y(exact):.1f}"/>
<polyline class="seen" points="{line}"/>
</g>
<rect class="frame" {_FRAME}/>
</svg></figure>"""


_FRAME = f'x="{LEFT}" y="{TOP}" width="{WIDTH - LEFT - RIGHT}" height="{HEIGHT - TOP - BOTTOM}"'


def _band(scale: _Scale, exact: float, deviation: float) -> str:
    """Around the exact edge, narrower as the root of the coups grows: out above it, and back below."""
    growth = (scale.last / scale.first) ** (1 / _STEPS)
    coups = [scale.first * growth**step for step in range(_STEPS + 1)]
    above = [(each, exact + deviation / math.sqrt(each)) for each in coups]
    below = [(each, exact - deviation / math.sqrt(each)) for each in reversed(coups)]
    return " ".join(f"{scale.x(each):.1f},{scale.y(edge):.1f}" for each, edge in above + below)


def _axes(scale: _Scale, exact: float, half: float) -> Iterator[str]:
    for power in range(math.ceil(math.log10(scale.first)), math.floor(math.log10(scale.last)) + 1):
        x = scale.x(10**power)
        yield f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>'
        yield f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{10**power:,}</text>'
    for edge in (exact - half * 0.8, exact - half * 0.4, exact, exact + half * 0.4, exact + half * 0.8):
        y = scale.y(edge)
        yield f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{100 * edge:.3f} %</text>'
    yield f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 4}" text-anchor="end">coups</text>'
