"""The command `sheaf`: starts Node with the command's own file, and is replaced by it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

from ._node import command
from .errors import SheafError


def main() -> int:
    try:
        words = [*command(), *sys.argv[1:]]
    except SheafError as error:
        print(f"sheaf: {error}", file=sys.stderr)
        return 1
    if os.name != "nt":
        os.execv(words[0], words)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C reaches Node too; its answer to it counts
    return subprocess.call(words)


if __name__ == "__main__":
    sys.exit(main())
