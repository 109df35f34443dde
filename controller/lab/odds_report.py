"""Exact odds as one page of HTML with plots, for the screen and for paper; nothing in it is fetched from elsewhere."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from html import escape

from controller.game.odds import percent_text
from controller.lab.odds_figures import FileOdds
from controller.lab.odds_told import EDGES_SAY, FIGURE_HEADS, WAY_HEADS, figure_row, headline, way_rows

_STYLE = """
body { font: 15px/1.4 system-ui, sans-serif; color: #111; background: #fff; max-width: 1000px; margin: 2em auto;
  padding: 0 1em; }
h2 { font-size: 1.1em; margin-top: 2em; break-after: avoid; }
table { border-collapse: collapse; margin: 1em 0; font-size: .93em; }
th, td { padding: .15em .8em; border-bottom: 1px solid #bbb; text-align: right; font-variant-numeric: tabular-nums; }
th { border-bottom: 1.5px solid #111; vertical-align: bottom; }
thead { display: table-header-group; }
tr { break-inside: avoid; }
.words { text-align: left; }
figure { margin: 1em 0; break-inside: avoid; }
svg { max-width: 100%; height: auto; }
svg text { font: 12px system-ui, sans-serif; fill: #111; }
.grid { stroke: #ddd; } .axis { stroke: #111; }
.house { fill: #00539c; } .players { fill: #fff; stroke: #b00020; stroke-width: 2; }
.player { fill: #00539c; } .banker { fill: #b00020; } .tie { fill: #8a8a8a; }
@media print { body { margin: 0; font-size: 11px; max-width: none; } * { print-color-adjust: exact; } }
@page { margin: 15mm; }
"""


def report(found: FileOdds) -> str:
    """The page."""
    title = f"{escape(found.name)}: exact odds"
    figures = _table(FIGURE_HEADS, 1, (figure_row(each) for each in found.wagers))
    ways = _table(WAY_HEADS, 2, (row for each in found.wagers for row in way_rows(each)))
    outcomes = "; ".join(
        f"{outcome} {ways:,} ({percent_text(Fraction(ways, found.total))})" for outcome, ways in found.outcomes.items()
    )
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style></head><body>
<h1>{title}</h1>
<p>{escape(headline(found))}.<br>{outcomes}.</p>
<h2>What each wager costs</h2>
{figures}
<p>{EDGES_SAY}</p>
<figure><figcaption>House edge per unit staked</figcaption>
{"".join(_edge_bars(found))}
</figure>
<h2>How coups end</h2>
<figure><figcaption>Chance of each outcome by its total (the winner's, or the tied one)</figcaption>
{"".join(_total_bars(found))}
</figure>
<h2>Ways of each wager</h2>
{ways}
</body></html>
"""


def _table(heads: tuple[str, ...], words: int, rows: Iterable[tuple[str, ...]]) -> str:
    """A table of which the first columns are words and the others figures."""

    def cells(tag: str, row: tuple[str, ...]) -> str:
        kinds = (' class="words"' if place < words else "" for place in range(len(row)))
        return "".join(f"<{tag}{kind}>{escape(text)}</{tag}>" for kind, text in zip(kinds, row, strict=True))

    body = "\n".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return f"<table><thead><tr>{cells('th', heads)}</tr></thead><tbody>\n{body}\n</tbody></table>"


_WIDTH = 920
_LETTER = 8  # pixels for a letter of a wager's name
_FIGURES = 80  # pixels for a figure beside a bar
_ROW = 20


def _edge_bars(found: FileOdds) -> Iterator[str]:
    """A bar a wager; what favours the players goes the other way, and is hollow."""
    edges = [each.odds.house_edge for each in found.wagers]
    low, high = min([Fraction(0), *edges]), max([Fraction(0), *edges])
    span = (high - low) or Fraction(1)
    names = _LETTER * max(len(each.wager.id) for each in found.wagers)
    left = names + 30 + (_FIGURES if low < 0 else 0)
    scale = (_WIDTH - left - _FIGURES) / span
    zero = left - low * scale
    height = _ROW * len(edges) + 8
    yield f'<svg viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" role="img">\n'
    yield "<title>House edge of each wager</title>\n"
    for place, (each, edge) in enumerate(zip(found.wagers, edges, strict=True)):
        y, end = _ROW * place + 4, zero + edge * scale
        start, width = min(zero, end), abs(end - zero)
        figure_at, anchor = (end + 6, "start") if edge >= 0 else (end - 6, "end")
        yield f'<text x="{names}" y="{y + 14}" text-anchor="end">{escape(each.wager.id)}</text>'
        yield f'<rect class="{"house" if edge >= 0 else "players"}" x="{_px(start)}" y="{y + 3}"'
        yield f' width="{_px(width)}" height="{_ROW - 6}"/>'
        yield f'<text x="{_px(figure_at)}" y="{y + 14}" text-anchor="{anchor}">{percent_text(edge)}</text>\n'
    yield f'<line class="axis" x1="{_px(zero)}" x2="{_px(zero)}" y1="2" y2="{height - 2}"/></svg>'


_PLOT_HEIGHT, _LEFT, _TOP, _BOTTOM = 300, 60, 36, 40
_OUTCOMES = ("player", "banker", "tie")


def _total_bars(found: FileOdds) -> Iterator[str]:
    """For each total three bars side by side: Player wins with it, Banker does, both tie at it."""
    most = Fraction(max(found.by_total.values()), found.total)
    step = next(step for step in (Fraction(1, 1000), *(Fraction(n, 100) for n in (1, 2, 5, 10, 20))) if step * 6 > most)
    top = step * -(-most // step)
    scale = (_PLOT_HEIGHT - _TOP - _BOTTOM) / top
    floor = _PLOT_HEIGHT - _BOTTOM
    yield f'<svg viewBox="0 0 {_WIDTH} {_PLOT_HEIGHT}" width="{_WIDTH}" height="{_PLOT_HEIGHT}" role="img">\n'
    yield "<title>Chance of each outcome by total</title>\n"
    for line in range(int(top / step) + 1):
        y = _px(floor - line * step * scale)
        yield f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH}" y1="{y}" y2="{y}"/>'
        yield f'<text x="{_LEFT - 6}" y="{y + 4}" text-anchor="end">{percent_text(line * step, 1)}</text>\n'
    group = (_WIDTH - _LEFT) / 10
    for total in range(10):
        x = _LEFT + group * total
        yield f'<text x="{x + group / 2:.1f}" y="{floor + 18}" text-anchor="middle">{total}</text>'
        for place, outcome in enumerate(_OUTCOMES):
            chance = Fraction(found.by_total.get((outcome, total), 0), found.total)
            left, tall = x + group * (0.14 + 0.24 * place), chance * scale
            yield f'<rect class="{outcome}" x="{_px(left)}" y="{_px(floor - tall)}" width="{_px(group * 0.22)}"'
            yield f' height="{_px(tall)}"><title>{outcome} {total}: {percent_text(chance)}</title></rect>\n'
    yield f'<line class="axis" x1="{_LEFT}" x2="{_WIDTH}" y1="{floor}" y2="{floor}"/>'
    for place, outcome in enumerate(_OUTCOMES):
        x = _LEFT + 10 + 110 * place
        yield f'<rect class="{outcome}" x="{x}" y="8" width="14" height="14"/>'
        yield f'<text x="{x + 20}" y="20">{outcome}</text>'
    yield f'<text x="{_WIDTH / 2}" y="{_PLOT_HEIGHT - 4}" text-anchor="middle">total</text></svg>'


def _px(exact: Fraction | float) -> float:
    """Pixels, to a tenth."""
    return round(float(exact), 1)
