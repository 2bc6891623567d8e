from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-goldens", action="store_true", help="write what the cases really say into their goldens")
    parser.addoption("--require-tools", action="store_true", help="a real program that is missing fails the test")
