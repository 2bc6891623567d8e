"""A runtime in front of runc makes its cgroups as runc beside it does: kubelet knows one way."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nodeworthy.boot.effects import How, Writes
from nodeworthy.facts.boot.chosen_releases import kubernetes_chosen
from nodeworthy.facts.boot.runtime_starts import is_others, makes_a_kubeadm_node
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.boot.unread_steps import other_scripts
from nodeworthy.facts.containerd.config import ConfigFile
from nodeworthy.known.containerd import defaults
from nodeworthy.patterns import pattern
from nodeworthy.rules.containerd_config_read.lost_keys import place_in
from nodeworthy.verdict import Draft, Known, Related, Severity, fail

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


# kubelet beside containerd's own default, on a node of kubeadm's.
#
# kubeadm has kubelet leave its cgroups to systemd since 1.22; `containerd config default` does not. From 1.31 on
# kubelet asks its runtime which it is: nothing is said of newer releases, nor of those that nobody names.

_SINCE, _ASKS_SINCE = (1, 22), (1, 31)
_ARCHIVE = pattern(r"pkgs\.k8s\.io/core:/stable:/v(1\.\d+)(?!\d)")
_COMMENT = pattern(r"(?:^|(?<=\s))#[^\n]*", re.MULTILINE)
_TURNED_ROUND = pattern(r"SystemdCgroup\s*\\?=\s*true\s*([/|#@])\s*SystemdCgroup\s*\\?=\s*false")
# Who says anything else of cgroups, or has another runtime, may have kubelet agree.
_SAYS_MORE = pattern(r"(?i)cgroup|cri-dockerd|cri-?o\b|\.toml\.(?:j2|tmpl|tpl)")


def apart_from_kubelet(script: BootScript) -> Draft | None:
    written = next((each for each in script.timeline.of(Writes) if _is_the_default(each)), None)
    if written is None or script.is_a_part or not makes_a_kubeadm_node(script.timeline):
        return None
    said = "\n".join(_COMMENT.sub("", part.text) for part in script.userdata.parts)
    release = _kubernetes(script, said)
    if release is None or not _SINCE <= release < _ASKS_SINCE or _SAYS_MORE.search(_TURNED_ROUND.sub("", said)):
        return None
    if is_others(said) or next(other_scripts(script.timeline), None) is not None:
        return None
    return fail(
        written.place,
        "containerd makes its cgroups itself, and kubelet of kubeadm leaves them to systemd",
        is_=f"{KEY} = false, as `containerd config default` has it",
        should=f"{KEY} = true below runc's options",
        cause=f"kubelet {release[0]}.{release[1]} does not ask its runtime: pods lie outside of the cgroups that it "
        "and systemd keep for them, limits do not hold, and under cgroup v2 sandboxes are killed and made anew",
        remedy=f"sed -i 's/{KEY} = false/{KEY} = true/' {written.path.shown()}; systemctl restart containerd",
        severity=Severity.WARNING,
    )


def _is_the_default(effect: Writes) -> bool:
    is_config = effect.path.shown() == defaults().config and effect.how is How.WRITE
    return is_config and "config default" in f"{effect.command} {effect.printed_by}"


def _kubernetes(script: BootScript, said: str) -> tuple[int, int] | None:
    chosen = kubernetes_chosen(script)
    state = chosen.state if chosen is not None else None
    named = {state.value} if isinstance(state, Known) else set(_ARCHIVE.findall(said))
    if len(named) != 1:
        return None
    major, _, minor = next(iter(named)).partition(".")
    return int(major), int(minor)


# The same key once more, below runc's options of the default.
#
# `containerd config default` says `SystemdCgroup = false` there since 1.5: who adds a line has it twice, and TOML knows
# no such table. An address that quotes the section's name fits one of its two names alone, and adds nothing elsewhere.
# Docker's packages are newer wherever they are; Debian 11 has 1.4.

_ADDS = pattern(r"runc\\?\.options[^/\n]{0,40}/[ \t]{0,8}a[\\ \t]{0,120}" + KEY + r"[ \t]{0,8}=")
_REPLACES = pattern(KEY + r"[^/|#@\n]{0,40}[/|#@][^/|#@\n]{0,40}" + KEY)
_QUOTES_ONE_NAME = "grpc"
_OF_DOCKERS = pattern(r"\b(?:containerd\.io|docker-ce)\b")
_BEFORE_IT = pattern(
    r"containerd(?:\.io|_(?:version|release))?[\"']?[ \t]{0,4}[=:-][\"' \t]{0,4}v?1\.[0-4](?!\d)"
    r"|CONTAINERD_(?:VERSION|RELEASE)[ \t]{0,4}[=:][\"' \t]{0,4}v?1\.[0-4](?!\d)"
)


def added_to_the_default(script: BootScript) -> Draft | None:
    steps = [each for each in script.timeline.of(Writes) if each.path.shown() == defaults().config]
    begins = next((index for index, each in enumerate(steps) if _is_the_default(each)), None)
    said = "\n".join(part.text for part in script.userdata.parts)
    if begins is None or not _OF_DOCKERS.search(said) or _BEFORE_IT.search(said):
        return None
    edits = steps[begins + 1 :]
    if any(each.how is not How.EDIT or _may_take_it_away(each) for each in edits):
        return None
    added = next((each for each in edits if _adds_it(each) and not each.conditions), None)
    if added is None:
        return None
    return fail(
        added.place,
        f"{KEY} is added below runc's options, where containerd's own default says it already",
        is_=f"{KEY} twice in one table",
        should=f"{KEY} = true once",
        cause="containerd does not start: TOML refuses a key that stands twice in one table",
        remedy=f"sed -i 's/{KEY} = false/{KEY} = true/' {added.path.shown()}; systemctl restart containerd",
        related=(Related(steps[begins].place, f"{KEY} = false is written here"),),
    )


def _adds_it(edit: Writes) -> bool:
    told = [each.shown() for each in edit.expressions]
    return any(_ADDS.search(each) and _QUOTES_ONE_NAME not in each for each in told)


def _may_take_it_away(edit: Writes) -> bool:
    """Of sed's that name the key, those that add it, or write another value behind it, leave it where it is."""
    told = [each.shown() for each in edit.expressions]
    left = all(KEY not in each or _ADDS.search(each) or _REPLACES.search(each) for each in told)
    return not told or not left or any(each.known is None for each in edit.expressions)
