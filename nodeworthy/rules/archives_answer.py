"""The archives that packages, keys and manifests come from still exist.

A script that made nodes for years makes none on the day on which an archive is switched off, and an image that was
built once can't be built again. CentOS 7 and 8 look for their packages at hosts that have no address any more; NVIDIA
has signed the archive of CUDA with another key since April 2022, and apt refuses it for the old one; Weave Net's
manifest, the old archive of Helm's stable charts, EPEL 7 and Bintray are gone. Those of Kubernetes' own packages are
told by kubelet-survives-reboot, and images that no registry has by the rules of pods.

What stands in a comment, or is only looked for or replaced (`sed -i s/mirror/vault/`), asks for nothing. Where the file
itself names what takes its place (vault.centos.org, cuda-keyring), nothing is said.
"""

from __future__ import annotations

from nodeworthy.facts.boot.gone_source_asked import GoneSourceAsked
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Related, Severity, fail

RULE = Rule(
    "archives-answer",
    severity=Severity.ERROR,
    title="The archives that packages, keys and manifests come from still exist",
    remedy="take it from where it is kept now, or take a system that is maintained",
    never_unknown="only what is known to be gone is told",
)

_MOST_RELATED = 10


@RULE.check
def it_is_there(asked: GoneSourceAsked) -> Findings:
    source = asked.source
    if not asked.in_vain:
        return
    yield fail(
        asked.place,
        f"{source.called} {source.now}",
        is_=asked.written,
        should=source.should,
        related=[Related(each, "it is asked here as well") for each in asked.others[:_MOST_RELATED]],
        cause=source.says,
        remedy=f"use {source.should}",
    )
