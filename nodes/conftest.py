"""Turns on the library's node suite. Tests of your own stand beside `test_node.py` and take testinfra's `host`."""

from __future__ import annotations

from nodeworthy.suite import plugin

pytest_addoption = plugin.add
