"""How every tool reads its options."""

import argparse
from typing import NoReturn

from drivers.escape import escaped


class OptionParser(argparse.ArgumentParser):
    """One line for a wrong option, as for every other mistake; the exit code is 2."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {escaped(message)}; {self.prog} --help shows examples\n")
