"""The entry of tools/demo: a Ctrl-C that comes while the program is still being loaded ends it without a word."""

import signal
import sys


def main() -> int:
    """The exit code of the demonstration."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # nothing was started that somebody would have to end
    from tools.demo_command import main as command

    return command()


if __name__ == "__main__":
    sys.exit(main())
