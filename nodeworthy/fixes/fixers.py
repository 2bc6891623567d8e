"""Which fixer knows what to do about the findings of which rule. Rules know nothing of it: they stay pure."""

from __future__ import annotations

import importlib

from nodeworthy.fixes.fault import Fixer

# Module and function, by the id of the rule; each is imported when it is needed.
_FIXERS = {
    "containerd-paths": ("containerd_paths", "fixes"),
    "hami-policy-known": ("words_in_a_line", "policies"),
    "kubelet-survives-reboot": ("kubelet_enabled", "fixes"),
    "shared-storage-mounted": ("words_in_a_line", "mount_options"),
    "slurm-script-found": ("line_ends", "fixes"),
    "toolkit-env-wellformed": ("toolkit_env", "fixes"),
    "user-data-format": ("line_ends", "fixes"),
}
MENDED = tuple(_FIXERS)


def fixer(rule: str) -> Fixer | None:
    if rule not in _FIXERS:
        return None
    module, name = _FIXERS[rule]
    found: Fixer = getattr(importlib.import_module(f"nodeworthy.fixes.{module}"), name)
    return found
