"""What kubelet's containerd on a node says of its own configuration."""

from __future__ import annotations

from nodeworthy.facts.node.node import Node
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Findings, Unknown, fail, need, skip

IGNORED = "Ignoring unknown key"
_FIELD = pattern(r"\b(?P<name>key|plugin)=(?:\"(?P<quoted>(?:[^\"\\]|\\.)*)\"|(?P<bare>\S+))")


def told_of(node: Node) -> Findings:
    if isinstance(node.runtime.state, Unknown) and isinstance(node.endpoint.state, Unknown):
        skip(f"no runtime of a kubelet's is here: {node.endpoint.state.why}")
    used = need(node.runtime)
    if not used.is_containerd:
        skip(f"kubelet talks to {used.name}, and not to containerd")
    ignored = [_told(line) for line in used.warnings if IGNORED in line]
    if ignored:
        yield fail(
            used,
            f"containerd passes over {len(ignored)} of the keys that were written for it",
            is_="; ".join(dict.fromkeys(ignored)),
            should="plugin names and keys of this release",
            cause="what it passes over counts as if nobody had written it",
            remedy=f"containerd config migrate shows {used.config} as this release writes it; then restart "
            f"{used.unit or used.name}",
        )
    if not need(used.handlers):
        yield fail(
            used,
            "containerd runs without its CRI plugin, and kubelet has no runtime",
            is_="disabled_plugins names it",
            should="the CRI plugin on",
            cause='Docker\'s package of containerd writes disabled_plugins = ["cri"] into its config',
            remedy=f"take it out of disabled_plugins in {used.config}, then restart {used.unit or used.name}",
        )


def _told(line: str) -> str:
    fields = {each["name"]: each["quoted"] or each["bare"] for each in _FIELD.finditer(line)}
    return f"{fields['key']} of {fields.get('plugin', 'a plugin')}" if "key" in fields else line
