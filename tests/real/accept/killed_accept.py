"""Runs nodeworthy as a user does, and sends itself a signal at one of its questions to the API server.

killed_accept.py SIGNAL NUMBER before|after ARGUMENTS…
"""

from __future__ import annotations

import os
import runpy
import sys
from typing import Any

from nodeworthy.collect.cluster.connection import Connection
from nodeworthy.collect.workload.live import turn
from nodeworthy.collect.workload.live.running import Times
from nodeworthy.commands.accept import live

# So that the next run need not wait for a minute until the dead one's turn is over.
turn.LASTS_SECONDS = 5
live.TIMES = Times(poll=0.3, opt_out=2.0)


def main(number: int, at: int, when: str) -> None:
    asked, count = Connection._sent, 0

    def counted(self: Connection, *given: Any, **named: Any) -> Any:
        nonlocal count
        count += 1
        if (count, when) == (at, "before"):
            os.kill(os.getpid(), number)
        answer = asked(self, *given, **named)
        if (count, when) == (at, "after"):
            os.kill(os.getpid(), number)
        return answer

    Connection._sent = counted  # type: ignore[method-assign]


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
    sys.argv = ["nodeworthy", *sys.argv[4:]]
    runpy.run_module("nodeworthy", run_name="__main__")
