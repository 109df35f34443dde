"""From the start of the program to its first HELLO, beside a bare Python that imports the same modules."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tools.bench_figures import Figure
from tools.bench_table import PAYTABLE, TABLE
from tools.listening import listen

ROUNDS = 11
MODULES = (
    "argparse, dataclasses, enum, fractions, hashlib, json, os, pathlib, selectors, signal, socket, sqlite3, tempfile,"
    " uuid, pydantic, serial, serial.tools.list_ports, transitions, yaml"
)
LONGEST_S = 20.0


def measure(percent: int) -> list[Figure]:
    """Medians of some rounds, each side in turn, in milliseconds."""
    rounds = max(3, ROUNDS * percent // 100)
    ours, bare = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "main.yaml").write_text(PAYTABLE)
        (folder / "table.yaml").write_text(
            TABLE.replace("display: {driver: none}", f"display: {{driver: panel, port: {folder}/panel}}")
        )
        for number in range(rounds):
            bare.append(_bare_ms())
            ours.append(_hello_ms(folder, number))
    ours_ms, bare_ms = sorted(ours)[rounds // 2], sorted(bare)[rounds // 2]
    return [Figure("start", ours_ms, bare_ms, "ms", ours_ms / bare_ms, most=4)]


def _bare_ms() -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", f"import {MODULES}"], check=True)
    return (time.perf_counter() - began) * 1000


def _hello_ms(folder: Path, number: int) -> float:
    shoe, panel = listen(f"pty:{folder}/shoe"), listen(f"pty:{folder}/panel")
    command = [sys.executable, "-m", "controller", "run", f"{folder}/table.yaml", "--shoe-port", f"{folder}/shoe"]
    command += ["--journal", f"{folder}/{number}.journal", "--control", f"{folder}/{number}.control"]
    began = time.perf_counter()
    child = subprocess.Popen(command, stderr=subprocess.DEVNULL, env=os.environ | {"PYTHONDONTWRITEBYTECODE": ""})
    try:
        heard = b""
        while b"HELLO" not in heard:
            heard += panel.poll(time.monotonic_ns() // 1_000_000)
            if time.perf_counter() - began > LONGEST_S or child.poll() is not None:
                raise SystemExit("bench: the program never said HELLO")
            time.sleep(0.0005)
        return (time.perf_counter() - began) * 1000
    finally:
        child.kill()
        child.wait()
        shoe.close()
        panel.close()
