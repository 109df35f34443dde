"""The exact distribution of eight decks from nothing, beside numpy over all 10^6 sequences of values; and then more.

Each side runs in a fresh process, and its clock starts after the imports.
"""

import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from tools.bench_figures import Figure

ROUNDS = 9
PAYTABLE = Path(__file__).parents[1] / "config" / "paytables" / "side-wagers.yaml"

BARE = """
import numpy as np, time
from controller.game import tableau
began = time.perf_counter()
counts = np.array([128] + [32] * 9)
cards = np.indices((10,) * 6, dtype=np.int8).reshape(6, -1)
ways = np.ones(10**6, dtype=np.int64)
for place in range(6):
    left = counts[cards[place]]
    for before in range(place):
        left = left - (cards[before] == cards[place])
    ways *= left
draws = np.zeros((10, 11), bool)
for banker in range(8):
    for third in range(10):
        draws[banker, third] = tableau.banker_draws(banker, third)
    draws[banker, 10] = tableau.banker_draws(banker, None)
player, banker = (cards[0] + cards[2]) % 10, (cards[1] + cards[3]) % 10
natural = (player > 7) | (banker > 7)
player_draws = ~natural & (player < 6)
banker_draws = ~natural & draws[banker, np.where(player_draws, cards[4], 10)]
player = np.where(player_draws, (player + cards[4]) % 10, player)
banker = np.where(banker_draws, (banker + np.where(player_draws, cards[5], cards[4])) % 10, banker)
found = [int(ways[each].sum()) for each in (player > banker, banker > player, player == banker)]
print(__import__("json").dumps([found, time.perf_counter() - began]))
"""

OURS = f"""
import json, time
from pathlib import Path
from controller.game.odds import Chances, odds, outcomes
from controller.host.config import load_paytable
wagers = load_paytable(Path({str(PAYTABLE)!r})).wagers
began = time.perf_counter()
chances = Chances.of(8)
found = list(outcomes(chances).values())
odds(wagers[0], chances)
first = time.perf_counter() - began
further = []
for wager in wagers[1:]:
    began = time.perf_counter()
    odds(wager, chances)
    further.append(time.perf_counter() - began)
print(json.dumps([found, first, further]))
"""


def measure(percent: int) -> list[Figure]:
    """Medians of some rounds, each side in turn, in milliseconds."""
    rounds = max(3, ROUNDS * percent // 100)
    bare, first, further = [], [], []
    for _ in range(rounds):
        bare_found, bare_s = _told(BARE)
        found, first_s, further_s = _told(OURS)
        if found != bare_found:
            raise SystemExit(f"bench: {found} is not {bare_found}")
        bare.append(bare_s * 1000)
        first.append(first_s * 1000)
        further.append([seconds * 1000 for seconds in further_s])
    bare_ms, first_ms = statistics.median(bare), statistics.median(first)
    dearest_ms = max(statistics.median(of_one) for of_one in zip(*further, strict=True))
    return [
        Figure("odds from nothing", first_ms, bare_ms, "ms", first_ms / bare_ms, most=0.5, note="bare: numpy"),
        Figure(
            "odds, dearest further wager", dearest_ms, first_ms, "ms", dearest_ms / first_ms, most=0.1,
            note="bare: the first wager",
        ),
    ]  # fmt: skip


def _told(program: str) -> list[Any]:
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    told: list[Any] = json.loads(done.stdout)
    return told
