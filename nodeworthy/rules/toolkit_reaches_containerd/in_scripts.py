"""A boot script that installs the toolkit, and what it tells containerd."""

from __future__ import annotations

from nodeworthy.facts.boot.default_elsewhere import DefaultElsewhere, FoundAtStart, default_elsewhere, found_at_start
from nodeworthy.facts.boot.script import PART, BootScript
from nodeworthy.facts.boot.toolkit_installed import ToldInVain, told_in_vain, toolkit_installed
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.known.containerd import defaults
from nodeworthy.rules.toolkit_reaches_containerd import RULE
from nodeworthy.verdict import Draft, Findings, Related, Severity, fail, skip


@RULE.check
def the_script_writes_it_into_containerd(script: BootScript, operator: OperatorValues | None) -> Findings:
    elsewhere = default_elsewhere(script)
    if elsewhere is not None:
        yield _default_elsewhere(elsewhere)
        return
    if script.is_a_part:
        skip(PART)
    by_itself = found_at_start(script.timeline) if operator is None else None
    if by_itself is not None:
        yield from [_found_too_late(by_itself)] if by_itself.is_too_late else []
        return
    found = toolkit_installed(script)
    if found is None:
        skip("nothing here installs a toolkit on a node of Kubernetes that has it from nobody else")
    if operator is not None or any(each.fleet.operator is not None for each in script.pools):
        skip("a GPU operator is there, whose toolkit writes the runtime")
    in_vain = told_in_vain(script.timeline) if found.is_told else None
    if in_vain is not None:
        yield _never_read(in_vain)
    if found.is_told:
        return
    handler = defaults().runtime_class
    yield fail(
        found,
        f"{found.package} is installed, and the runtime {handler} is written into no containerd",
        is_=found.installs.command,
        should=f"the runtime {handler} in containerd, which kubelet uses",
        related=found.says,
        cause=f'the package writes no configuration: pods that need it end with: no runtime for "{handler}" is '
        "configured, and others get no GPU",
        remedy="behind it: nvidia-ctk runtime configure --runtime=containerd, and systemctl restart containerd",
        severity=Severity.WARNING,
    )


def _never_read(found: ToldInVain) -> Draft:
    return fail(
        found.written,
        "containerd is told of NVIDIA's runtime while it runs, and is not started anew",
        is_=found.written.command,
        should="systemctl restart containerd behind it",
        related=[Related(found.runs_since.place, "containerd runs since here")],
        cause="containerd reads its configuration when it starts: until then pods that need the runtime end with: "
        f'no runtime for "{defaults().runtime_class}" is configured',
        remedy=f"behind {found.written.place.spot}: systemctl restart containerd",
        severity=Severity.WARNING,
    )


def _default_elsewhere(found: DefaultElsewhere) -> Draft:
    """Pods that name the runtime class get it all the same."""
    return fail(
        found,
        f"NVIDIA's runtime is made the default in {found.edit.path.shown()}, which {found.distribution} does not read",
        is_=found.edit.command,
        should=f"default-runtime: nvidia in /etc/rancher/{found.distribution}/config.yaml",
        related=[found.says],
        cause=f"{found.distribution} runs a containerd of its own, finds the runtime when it starts, and leaves runc "
        "its default: pods without runtimeClassName: nvidia get no GPU",
        remedy=f"give pods runtimeClassName: nvidia, or say default-runtime: nvidia to {found.distribution} itself",
        severity=Severity.WARNING,
    )


def _found_too_late(found: FoundAtStart) -> Draft:
    return fail(
        found,
        f"{found.package} comes behind the start of {found.distribution}, which does not find its runtime any more",
        is_=found.installs.command,
        should=f"the toolkit first, or a restart of {found.distribution} behind it",
        related=[Related(found.started.place, f"{found.distribution} starts here")],
        cause=f"{found.distribution} looks for nvidia-container-runtime when it starts: until it does so again, pods "
        f'end with: no runtime for "{defaults().runtime_class}" is configured',
        remedy=f"move it before {found.started.place.spot}, or behind it: systemctl restart {found.unit}",
        severity=Severity.WARNING,
    )
