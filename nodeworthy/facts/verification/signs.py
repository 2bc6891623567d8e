"""What shows that a workload verifies nodes, and does no work of its own."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.facts.pod.template import ENDLESS, PodTemplate
from nodeworthy.known.verification import LABEL, LOOP, Signs, seconds_of, signs
from nodeworthy.verdict import Known

# Kinds that come again and again, or never go.
_SCHEDULED = frozenset(("CronJob", "CronWorkflow"))
_REPEATED_KINDS = _SCHEDULED | ENDLESS


def why_verification(pod: PodTemplate) -> str | None:
    """What says so; None where nothing does."""
    label = pod.labels.get(LABEL) or pod.annotations.get(LABEL)
    if label is not None and str(label.value).lower() not in ("false", "no", ""):
        return f"it is marked {LABEL}"
    return _shown_by(pod, signs(comes_again=pod.kind in _REPEATED_KINDS or loops(pod)))


def is_a_trial(pod: PodTemplate) -> bool:
    """Whether it is what somebody starts by hand to try a machine, and no work that comes again by itself."""
    if pod.kind in _SCHEDULED or LABEL in pod.labels or LABEL in pod.annotations:
        return False
    return _shown_by(pod, signs(comes_again=pod.kind in _REPEATED_KINDS or loops(pod), by_hand=False)) is None


def seconds_by_itself(pod: PodTemplate) -> int:
    """How long it goes on by its own arguments."""
    return max((seconds_of(" ".join(each.words)) for each in pod.containers), default=0)


def _shown_by(pod: PodTemplate, known: Signs) -> str | None:
    for name in _names(pod):
        found = known.names.search(name)
        if found is not None:
            return f"it is called {found[1]}"
    for each in pod.at_work:
        found = known.programs.search(" ".join(each.words))
        if found is not None:
            return f"it runs {found[1]}"
    return None


def _names(pod: PodTemplate) -> Iterator[str]:
    yield pod.name
    yield pod.namespace
    for each in pod.at_work:
        yield each.name
        image = each.image.state
        if isinstance(image, Known) and isinstance(image.value, str):
            yield image.value.rsplit("/", maxsplit=1)[-1]


def loops(pod: PodTemplate) -> bool:
    """Whether it goes on for ever by itself."""
    return any(LOOP.search(" ".join(each.words)) for each in pod.containers)
