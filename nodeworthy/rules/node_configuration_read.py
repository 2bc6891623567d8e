"""kubelet and Talos know every setting in their configuration.

kubelet passes over what it does not know: it fails to read its configuration strictly, says so in one line of its log,
and reads it leniently, without the setting. Memory that should be kept for the system is not kept, and images are
collected as ever. Often it is an argument of the command line (`kube-reserved`, `kubelet-arg`), which its configuration
spells otherwise, or one level too deep.

Talos takes no configuration with a key that it does not know, nor a patch: `talosctl apply-config` ends with "unknown
keys found during decoding", and a machine that starts with it joins no cluster. So it does with what stands below
`machine.kubelet.extraConfig`, which has to be kubelet's: no kubelet is started.

Asked is whether any release has had the setting: whether that of this node still has it is not known here.
"""

from __future__ import annotations

from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.fleet.node_configuration import (
    NodeConfiguration,
    UnreadSetting,
    configurations_written,
    unread_settings,
)
from nodeworthy.known.node_configuration import TALOS, source_of
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Related, Severity, fail, skip

RULE = Rule(
    "node-configuration-read",
    severity=Severity.ERROR,
    title="kubelet and Talos know every setting in their configuration",
    remedy="write the setting as its reader spells it, or leave it out",
    never_unknown="what is not known of a configuration hides no setting that is written in it",
)

_MOST_RELATED = 10


@RULE.check
def each_setting_is_read(configuration: NodeConfiguration) -> Findings:
    found = unread_settings(configuration)
    if found:
        yield _unread(configuration, found)


@RULE.check
def each_written_setting_is_read(script: BootScript) -> Findings:
    written = list(configurations_written(script))
    if not written:
        skip("it writes no configuration of kubelet")
    for each in written:
        found = unread_settings(each)
        if found:
            yield _unread(each, found)


def _unread(configuration: NodeConfiguration, found: list[UnreadSetting]) -> Draft:
    first, *others = found
    is_refused = configuration.program == TALOS or bool(configuration.within)
    reader = configuration.reader
    return fail(
        first.place,
        f"{reader} has no setting {first.path}"
        + (": Talos refuses the configuration" if is_refused else ": it is passed over"),
        is_=first.path,
        should=first.should,
        related=[Related(each.place, f"nor has it {each.path}") for each in others[:_MOST_RELATED]],
        cause=f"{_what_comes_of_it(configuration)} ({source_of(configuration.program)})",
        remedy=_how_to_tell(configuration, first),
        severity=Severity.ERROR if is_refused else Severity.WARNING,
    )


def _what_comes_of_it(configuration: NodeConfiguration) -> str:
    if configuration.within:
        return f"Talos reads {configuration.within} strictly, and starts no kubelet with what kubelet does not have"
    if configuration.program == TALOS:
        return "it takes no configuration and no patch with unknown keys: the node keeps its old one, or never joins"
    return "kubelet says so in one line of its log (strict decoding failed), and goes on with its default"


def _how_to_tell(configuration: NodeConfiguration, first: UnreadSetting) -> str:
    written = f"write {first.should} instead" if not first.should.startswith("no ") else "leave it out"
    if configuration.program == TALOS:
        return f"{written}; `talosctl validate --mode metal --config FILE` tells"
    return f"{written}; `kubectl get --raw /api/v1/nodes/NODE/proxy/configz` shows what kubelet goes by"
