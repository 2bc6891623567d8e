"""What shows that a workload verifies nodes, and does no work of its own."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.facts.pod.template import ENDLESS, PodTemplate
from nodeworthy.known.verification import LABEL, LOOP, signs
from nodeworthy.verdict import Known

# Kinds that come again and again, or never go.
_REPEATED_KINDS = frozenset(("CronJob", "CronWorkflow", *ENDLESS))


def why_verification(pod: PodTemplate) -> str | None:
    """What says so; None where nothing does."""
    label = pod.labels.get(LABEL) or pod.annotations.get(LABEL)
    if label is not None and str(label.value).lower() not in ("false", "no", ""):
        return f"it is marked {LABEL}"
    known = signs(comes_again=pod.kind in _REPEATED_KINDS or loops(pod))
    for name in _names(pod):
        found = known.names.search(name)
        if found is not None:
            return f"it is called {found[1]}"
    for each in pod.containers:
        found = known.programs.search(" ".join(each.words))
        if found is not None:
            return f"it runs {found[1]}"
    return None


def _names(pod: PodTemplate) -> Iterator[str]:
    yield pod.name
    yield pod.namespace
    for each in pod.containers:
        yield each.name
        image = each.image.state
        if isinstance(image, Known) and isinstance(image.value, str):
            yield image.value.rsplit("/", maxsplit=1)[-1]


def loops(pod: PodTemplate) -> bool:
    """Whether it goes on for ever by itself."""
    return any(LOOP.search(" ".join(each.words)) for each in pod.containers)
