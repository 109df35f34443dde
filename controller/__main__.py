"""`python -m controller` is the program `punto`."""

import sys

from controller.cli import main

sys.exit(main())
