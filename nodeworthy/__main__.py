import sys

from nodeworthy import interrupts

interrupts.begin()

from nodeworthy.cli import main  # noqa: E402 - from the first step on it can be ended

sys.exit(main())
