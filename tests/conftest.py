from __future__ import annotations

import os
import signal

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-goldens", action="store_true", help="write what the cases really say into their goldens")
    parser.addoption("--require-tools", action="store_true", help="a real program that is missing fails the test")


def pytest_configure() -> None:
    # Programs that were built once, and downloads, stay where their user keeps them.
    os.environ.setdefault("USERS_CACHE_HOME", os.environ.get("XDG_CACHE_HOME", ""))
    # No folder can be made there: what a test judges was not judged by one before it, nor by its user.
    os.environ["XDG_CACHE_HOME"] = os.devnull
    _hear_interrupts()


def _hear_interrupts() -> None:
    """A shell starts what runs in the background deaf to Ctrl-C, and our children would inherit that."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
