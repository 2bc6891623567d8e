"""Starts the pack: prints its port, which is how the CLI finds it, and serves until the CLI is gone."""

from __future__ import annotations

import os
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from nodeworthy.collect.moments import moments_of
from nodeworthy.collect.pack.analyzer import Analyzer, Written
from nodeworthy.collect.plan.protocol import OPTIONS, grpc, stubs
from nodeworthy.rule import Moment, Rule
from nodeworthy.rules import catalogue

# A CLI that is killed leaves its packs behind, unless they look for themselves.
LOOK_SECONDS = 0.5


def policies() -> list[Rule]:
    """The rules that a plan can prove or break, and those by which the pack speaks of itself."""
    return [rule for rule in catalogue() if rule.about_ourselves or Moment.PLAN in moments_of(rule)]


def serve(folder: Path, written: Written) -> None:
    """Serves the pack that lies in this folder; `written` makes a finding the text of a violation."""
    parent = os.getppid()
    ended = threading.Event()
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, lambda *_: ended.set())
    server = grpc().server(ThreadPoolExecutor(max_workers=4), options=OPTIONS)
    analyzer = Analyzer(policies(), (Path.cwd(), folder), written)
    stubs("analyzer_pb2_grpc").add_AnalyzerServicer_to_server(analyzer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    while os.getppid() == parent and not ended.wait(LOOK_SECONDS):
        pass
    server.stop(grace=None)
