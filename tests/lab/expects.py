"""What was expected of a script before it ran, from `expects.yaml` beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from nodeworthy.lab.images import IMAGES, layers
from nodeworthy.lab.told import Course


@dataclass(frozen=True)
class Expects:
    image: str = "debian"
    # What the script asks its machine, and what this machine answers.
    answers: Mapping[str, str] = field(default_factory=dict)
    # Lines of commands that fail: the script goes on, or stops there.
    failed: Sequence[int] = ()
    stopped: int | None = None
    reboots: bool = False
    # What is so wrong with its packing that nobody runs it: its timeline, which tells what was meant, is not compared.
    fault: str = ""
    # RmProfilingAdminOnly as it was loaded; empty where the module is not loaded.
    profiling: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    absent: Sequence[str] = ()
    enabled: Mapping[str, str | None] = field(default_factory=dict)
    active: Mapping[str, str] = field(default_factory=dict)
    # Written by programs for themselves: no script says so.
    others: Sequence[str] = ()
    fails: bool = False

    def course(self) -> Course:
        image = IMAGES[self.image]
        return Course(self.answers, frozenset(self.failed), self.stopped, self.reboots, image.loads_module)

    def layers(self) -> list[Path]:
        return layers(self.image)


def expects(folder: Path) -> Expects:
    file = folder / "expects.yaml"
    told: dict[str, Any] = yaml.safe_load(file.read_text()) or {}
    return Expects(**told)
