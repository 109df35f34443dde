"""A program that appends to a journal until it is killed; each line on stdout acknowledges one input."""

import sys

from recorded_values import append_card

from controller.host.journal import Journal

if __name__ == "__main__":
    journal = Journal.open(sys.argv[1], "bac-07", True)
    while True:
        print(*append_card(journal), flush=True)
