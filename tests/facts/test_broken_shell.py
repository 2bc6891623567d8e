"""A script beside a node that its shell can't read is told, unless somebody fills it in first."""

from __future__ import annotations

import pytest

from nodeworthy.facts.boot.broken_shell import broken_shell


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("#!/bin/bash\nif nvidia-smi; then\n  echo ok\n", True),
        ("#!/bin/sh\necho 'no end\n", True),
        ("#!/bin/bash\nnvidia-smi && echo ok\n", False),
        ("#!/usr/bin/env python3\nif True:\n  print('(')\n", False),
        ("nvidia-smi && (\n", False),
        ("#!/bin/bash\nsource <ssinclude StackScriptID=1>\n", False),
        ("#!/bin/bash\nexport TOKEN=<YOUR_TOKEN>\n", False),
        ("#!/bin/bash\ncd <your work folder>\n", False),
        ("#!/bin/bash\n{% if gpu %}\nnvidia-smi (\n", False),
    ],
)
def test_a_script_beside_a_node(text: str, is_told: bool) -> None:
    assert bool(list(broken_shell(text, "prolog.sh"))) is is_told
