"""A step that leaves a stamp behind was done where the stamp is there."""

from __future__ import annotations

import pytest

from nodeworthy.boot.unpack import unpack
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.rules.profiling_before_driver import RULE
from nodeworthy.verdict import Place
from tests.boot.rules.boots import judged

OPTION = "echo options nvidia NVreg_RestrictProfilingToAdminUsers=0 > /etc/modprobe.d/x.conf"
ONCE = f"""
once() {{
  if [[ -f /var/lib/$1.done ]]; then return 0; fi
  "$2"
  touch /var/lib/$1.done
}}
option() {{ {OPTION}; }}
driver() {{ modprobe nvidia; }}
once option option
once driver driver
"""


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (ONCE, "pass"),
        (f"if [ ! -e /var/x ]; then\n{OPTION}\ntouch /var/x\nfi\nmodprobe nvidia", "pass"),
        (f"if [ -e /var/x ]; then\n{OPTION}\ntouch /var/x\nfi\nmodprobe nvidia", "fail"),
        (f"if [ ! -e /var/x ]; then\n{OPTION}\nfi\ntouch /var/x\nmodprobe nvidia", "fail"),
        (f"if [ ! -e /var/x ]; then\n{OPTION}\ntouch /var/y\nfi\nmodprobe nvidia", "fail"),
    ],
)
def test_what_was_done_once_is_done(script: str, expected: str) -> None:
    place = Place("user-data.sh")
    read = BootScript(place, unpack(f"#!/bin/bash\n{script}".encode(), place))
    assert judged(RULE, read).verdict == expected
