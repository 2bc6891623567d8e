"""A runtime in front of runc makes its cgroups as runc beside it does: kubelet knows one way."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nodeworthy.facts.containerd.config import ConfigFile
from nodeworthy.rules.containerd_config_read.lost_keys import place_in
from nodeworthy.verdict import Draft, Severity, fail

KEY = "SystemdCgroup"
# They are programs that call runc, with the options that containerd gives them.
_IN_FRONT = "nvidia-container-runtime"
_CAUSE = (
    "containers of that runtime are made outside of the cgroups that kubelet and systemd keep for their pods: limits "
    "do not hold, and their sandboxes are killed and made anew after some seconds"
)


def cgroup_flaws(file: ConfigFile, files: Sequence[ConfigFile]) -> Iterator[Draft]:
    """Where runc of the same file leaves its cgroups to systemd, and no other file speaks of the runtime."""
    if file.adds_lines:
        return
    for section, runtimes in _runtimes(file):
        if _options(runtimes.get("runc")).get(KEY) is not True:
            continue
        for name, said in runtimes.items():
            if _leaves_it_out(said) and not any(_names(each, name) for each in files if each is not file):
                yield _draft(file, section, name)


def _leaves_it_out(said: object) -> bool:
    """What stands beside the options is another fault, which is told as such."""
    options = _options(said)
    program = posixpath.basename(str(options.get("BinaryName", "")))
    beside = isinstance(said, Mapping) and KEY in said
    return program.startswith(_IN_FRONT) and not beside and options.get(KEY, False) is False


def _options(said: object) -> Mapping[str, Any]:
    options = said.get("options") if isinstance(said, Mapping) else None
    return options if isinstance(options, Mapping) else {}


def _runtimes(file: ConfigFile) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, section in file.sections.items():
        table = section.get("containerd")
        runtimes = table.get("runtimes") if isinstance(table, Mapping) else None
        if isinstance(runtimes, Mapping):
            yield name, runtimes


def _names(file: ConfigFile, runtime: str) -> bool:
    return any(runtime in runtimes for _, runtimes in _runtimes(file))


def _draft(file: ConfigFile, section: str, runtime: str) -> Draft:
    table = f'[plugins."{section}".containerd.runtimes.{runtime}.options]'
    return fail(
        place_in(file, "", section, f"runtimes.{runtime}.options"),
        f"the runtime {runtime} makes its cgroups itself, and runc beside it leaves them to systemd",
        is_=f"no {KEY} = true in the options of {runtime}",
        should=f"{KEY} = true, as runc has it",
        cause=_CAUSE,
        remedy=f"write {KEY} = true below {table}, and restart containerd",
        severity=Severity.WARNING,
    )
