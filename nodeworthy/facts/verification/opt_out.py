"""Whether a pod keeps away from nodes that were taken out of verification."""

from __future__ import annotations

from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.known.verification import OPT_OUTS


def honours_opt_out(pod: PodTemplate) -> bool:
    """By a required node affinity (NotIn, DoesNotExist), or by choosing nodes that are marked otherwise."""
    return any(pod.selection.refuses(label, value) for label, value in OPT_OUTS.items())


def expression() -> str:
    label, value = next(iter(OPT_OUTS.items()))
    return f"{{key: {label}, operator: NotIn, values: [{value}]}}"
