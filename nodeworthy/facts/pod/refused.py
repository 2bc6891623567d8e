"""What the API server refuses of an object that makes pods, and says so as soon as somebody applies it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from nodeworthy.documents.settled import why_incomplete
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.pod.containers import Container, NotAQuantity, quantity
from nodeworthy.facts.pod.misplaced import misplaced_settings, why_fields_are_free
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.known.gone_apis import gone_api
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Draft, Place, Related, fail

_SELECTING = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet")
_ENDING = ("Job", "CronJob")
_ONCE, _ALWAYS = ("Never", "OnFailure"), ("Always",)
# A name is a part of a host's name; that of a container has no dots.
_SUBDOMAIN = pattern(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*")
_LABEL = pattern(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?")
_COUNTED = ("cpu", "memory", "ephemeral-storage")
# Where a text holds one of these, something makes another of it before a server sees it.
MADE_LATER = pattern(r"[{}$<>%@]|__|\b(?:YOUR|CHANGE|REPLACE)|PLACEHOLDER")
# A word in capitals within a name, as MODEL_TAG: a script puts another in its place.
STANDS_FOR_ANOTHER = pattern(r"[A-Z][A-Z0-9]*_[A-Z]")
# What an operator writes into its own templates, where it adds more than the one value.
_COMPLETED_LATER = pattern(r"(?i)\bFILLED[ _]BY\b")
# YAML's parsers do not agree on what else is one (`yes`, `on`, `0o17`, a date).
_BOOLEAN = pattern(r"(?i:true|false)")
_NUMBER = pattern(r"[-+]?\d+(?:\.\d+)?")
_MOST_RELATED = 10


@dataclass(frozen=True)
class PodRefusal:
    place: Place
    # As a message goes on behind the object's title.
    says: str
    is_: str
    should: str
    cause: str


def draft_of_refusals(who: str, found: Sequence[PodRefusal], and_so: str, tells: str = "") -> Draft:
    """One finding of all that one program refuses of an object. `who` is it, with the object's title."""
    first, *others = found
    return fail(
        first.place,
        f"{who} {first.says}",
        is_=first.is_,
        should=first.should,
        related=[Related(each.place, f"it {each.says}: {each.is_}") for each in others[:_MOST_RELATED]],
        cause=f"{first.cause}: {and_so}",
        remedy=f"write {first.should}{tells}",
    )


def refusals(pod: PodTemplate) -> Iterator[PodRefusal]:
    if why_fields_are_free(pod) is not None:
        return
    yield from _no_strings(pod)
    yield from _names(pod)
    yield from _without_a_volume(pod)
    yield from _twice(pod)
    yield from _selects_others(pod)
    yield from _started_again(pod)
    for each in pod.containers:
        yield from _asks_beyond_its_limit(each)


def api_gone(pod: PodTemplate) -> PodRefusal | None:
    version = pod.document.get("apiVersion")
    gone = gone_api(version.string, pod.kind)
    if gone is None or not is_whole(pod):
        return None
    return PodRefusal(
        version.place,
        f"is asked for in a version of the API that is gone: {version.text}",
        version.string,
        f"apiVersion: {gone.now}",
        f'no matches for kind "{pod.kind}": Kubernetes has not served it there since {gone.until}',
    )


def served_by_nobody(pod: PodTemplate) -> PodRefusal | None:
    """A kind of somebody else's, in a version that no release of its maker's serves."""
    version = pod.document.get("apiVersion")
    if not version.text or "." not in version.text or MADE_LATER.search(version.text) or pod.elsewhere is not None:
        return None
    from nodeworthy.known.others_kinds import versions_instead

    served = versions_instead(version.text, pod.kind)
    if not served:
        return None
    return PodRefusal(
        version.place,
        f"is asked for in a version of the API that nobody serves: {version.text}",
        version.text,
        f"apiVersion: {served[0]}",
        f'no matches for kind "{pod.kind}" in version "{version.text}"',
    )


def lacks_its_container(pod: PodTemplate) -> Iterator[PodRefusal]:
    """Kubeflow's training operator knows the container that works by its name."""
    from nodeworthy.known.others_kinds import container_of

    wanted = container_of(pod.document.get("apiVersion").string, pod.kind)
    names = [each.tree.get("name") for each in pod.containers if not each.is_init]
    is_told = names and all(each.text and not MADE_LATER.search(each.text) for each in names)
    if wanted is None or not is_told or pod.why_hidden or any(each.text == wanted for each in names):
        return
    yield PodRefusal(
        names[0].place,
        f"has no container called {wanted}",
        ", ".join(each.string for each in names),
        f"name: {wanted}",
        f"must have at least one container with name {wanted}: Kubeflow's training operator takes no other for the one "
        "that works",
    )


def lacks_a_field(pod: PodTemplate) -> Iterator[PodRefusal]:
    """What the schema of somebody else's kind requires, and this object of it leaves out."""
    from nodeworthy.known.others_kinds import fields_of_kind

    for path, names in fields_of_kind(pod.document.get("apiVersion").string, pod.kind).items():
        holder = pod.document.get(*path.split("."))
        if not holder.is_mapping or why_incomplete(holder) or "$patch" in holder.mapping:
            continue
        for name in names:
            if holder.get(name).is_absent:
                yield PodRefusal(
                    holder.heading,
                    f"has no {name} in {path}",
                    f"no {name}",
                    f"{path}.{name}",
                    f"{path}.{name}: Required value, by the schema of {pod.kind}",
                )


def waits_for_more_than_it_has(pod: PodTemplate) -> Iterator[PodRefusal]:
    """A gang of Volcano's that would wait for more pods than its tasks make."""
    api, spec = pod.document.get("apiVersion").string, pod.document.get("spec")
    least, tasks = spec.get("minAvailable"), spec.get("tasks").sequence
    # A task without a number has one.
    made = [each.get("replicas") for each in tasks]
    numbers = [1 if each.is_absent else each.value for each in made]
    if not api.startswith("batch.volcano.sh/") or not isinstance(least.value, int) or pod.elsewhere is not None:
        return
    counted = [each for each in numbers if isinstance(each, int)]
    if tasks and len(counted) == len(numbers) and least.value > sum(counted):
        yield PodRefusal(
            least.place,
            f"waits for {least.value} pods at least, and its tasks make {sum(counted)}",
            str(least.value),
            f"minAvailable: {sum(counted)} at most",
            "job 'minAvailable' should not be greater than total replicas in tasks",
        )


def no_choice(spec: Tree) -> Iterator[PodRefusal]:
    """The refusals of how a pod chooses its nodes, which a chart's template copies from its values."""
    yield from _no_texts(_texts_of_its_choice(spec))


def no_texts_of_chart(values: Tree, metadata: Mapping[str, str]) -> Iterator[tuple[str, Tree]]:
    """What a chart copies where Kubernetes takes a text alone, and is none: how its pods choose their nodes, and the
    labels and annotations that it keeps under these names."""
    said = list(_texts_of_its_choice(values))
    for name, called in metadata.items():
        said += [(f"{called} {key}", tree) for key, tree in values.get(name).mapping.items()]
    return (each for each in said if isinstance(each[1].value, (bool, int, float)))


def no_pod(pod: PodTemplate) -> Iterator[PodRefusal]:
    """The refusals of a pod template that another kind of object holds: the schema is the same there."""
    yield from _no_texts(_texts_of_a_pod(pod))


def _no_strings(pod: PodTemplate) -> Iterator[PodRefusal]:
    yield from _no_texts(_texts(pod))


def _no_texts(texts: Iterable[tuple[str, Tree]]) -> Iterator[PodRefusal]:
    """Kubernetes takes no number and no boolean where it wants a text, and refuses the object as a whole."""
    for called, tree in texts:
        if (written := _no_text(tree)) is not None:
            yield PodRefusal(
                tree.place,
                f"says {called} as {tree.kind()}, where Kubernetes takes a text alone",
                written,
                f'"{written}"',
                f"cannot unmarshal {_of_go(tree)} into Go struct field … of type string",
            )


def _texts(pod: PodTemplate) -> Iterator[tuple[str, Tree]]:
    holders = {"": pod.document, "the pod's ": pod.template} if pod.kind != "Pod" else {"": pod.document}
    for whose, holder in holders.items():
        for name in ("labels", "annotations"):
            for key, tree in holder.get("metadata", name).mapping.items():
                yield f"{whose}{name[:-1]} {key}", tree
    for key, tree in pod.document.get("spec", "selector", "matchLabels").mapping.items():
        yield f"the label {key} of its selector", tree
    yield from _texts_of_a_pod(pod)


def _texts_of_a_pod(pod: PodTemplate) -> Iterator[tuple[str, Tree]]:
    yield from _texts_of_its_choice(pod.spec)
    for container in pod.containers:
        for each in container.tree.get("env").sequence:
            yield f"the variable {each.get('name').text or '?'}", each.get("value")
        for name in ("command", "args"):
            yield from ((f"a word of {name}", each) for each in container.tree.get(name).sequence)


def _texts_of_its_choice(spec: Tree) -> Iterator[tuple[str, Tree]]:
    for key, tree in spec.get("nodeSelector").mapping.items():
        yield f"nodeSelector's {key}", tree
    for each in spec.get("tolerations").sequence:
        yield f"the value of its toleration of {each.get('key').text or '?'}", each.get("value")
    affinity = spec.get("affinity", "nodeAffinity")
    wanted = affinity.get("requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms").sequence
    liked = affinity.get("preferredDuringSchedulingIgnoredDuringExecution").sequence
    for term in (*wanted, *(each.get("preference") for each in liked)):
        for expression in term.get("matchExpressions").sequence:
            key = expression.get("key").text or "?"
            yield from ((f"a value of its affinity by {key}", each) for each in expression.get("values").sequence)


def _no_text(tree: Tree) -> str | None:
    """What is written there, where all parsers read a number or a boolean."""
    written = tree.written or ""
    form = _BOOLEAN if isinstance(tree.value, bool) else _NUMBER
    return written if isinstance(tree.value, (int, float)) and form.fullmatch(written) else None


def _of_go(tree: Tree) -> str:
    return "bool" if isinstance(tree.value, bool) else "number"


def _names(pod: PodTemplate) -> Iterator[PodRefusal]:
    told = pod.document.get("metadata", "name")
    yield from _no_name(told, _SUBDOMAIN, "is no name of an object")
    for each in pod.containers:
        yield from _no_name(each.tree.get("name"), _LABEL, "is no name of a container")


def _no_name(tree: Tree, form: object, says: str) -> Iterator[PodRefusal]:
    text = tree.text
    is_to_come = not text or MADE_LATER.search(text) or STANDS_FOR_ANOTHER.search(text)
    if is_to_come or not text or form.fullmatch(text):  # type: ignore[attr-defined]
        return
    yield PodRefusal(
        tree.place,
        f"can't be made: {text} {says}",
        text,
        "small letters, digits and dashes",
        f'Invalid value: "{text}": a lowercase RFC 1123 name consists of lower case alphanumeric characters and dashes',
    )


def _is_completed_later(pod: PodTemplate) -> bool:
    said = (each.get("value").string for one in pod.containers for each in one.tree.get("env").sequence)
    return any(map(_COMPLETED_LATER.search, said))


def _without_a_volume(pod: PodTemplate) -> Iterator[PodRefusal]:
    volumes = pod.spec.get("volumes")
    claims = pod.document.get("spec", "volumeClaimTemplates")
    if why_incomplete(volumes) or why_incomplete(claims) or volumes.is_unknown or claims.is_unknown:
        return
    # Where they stand somewhere else, that is told; and a program that fills in the one may bring the other.
    if any(each.name == "volumes" for each in misplaced_settings(pod)) or _is_completed_later(pod):
        return
    named = [each.get("name") for each in volumes.sequence]
    named += [each.get("metadata", "name") for each in claims.sequence]
    if any(each.text is None or MADE_LATER.search(each.text) for each in named):
        return
    there = {each.text for each in named}
    for container in pod.containers:
        for mount in container.tree.get("volumeMounts").sequence:
            name = mount.get("name")
            if name.text and name.text not in there and not MADE_LATER.search(name.text):
                yield PodRefusal(
                    name.place,
                    f"mounts {name.text}, and has no volume of this name",
                    name.text,
                    f"one of its volumes: {', '.join(sorted(filter(None, there)))}"
                    if there
                    else "a volume of this name",
                    f'volumeMounts[…].name: Not found: "{name.text}"',
                )


def _twice(pod: PodTemplate) -> Iterator[PodRefusal]:
    """What Kubernetes takes once in each of these lists (pkg/apis/core/validation)."""
    yield from _come_again([pod.spec.get("volumes")], "name", "has two volumes called")
    yield from _come_again(
        [pod.spec.get(each) for each in ("initContainers", "containers")], "name", "has two containers called"
    )
    for container in pod.containers:
        name = container.name
        yield from _come_again([container.tree.get("volumeMounts")], "mountPath", f"mounts two volumes in {name} at")
        yield from _come_again([container.tree.get("ports")], "name", f"has two ports in {name} called")


def _come_again(lists: Sequence[Tree], key: str, says: str) -> Iterator[PodRefusal]:
    """Of a list that a template makes, only one of two may be there."""
    if any(each.is_unknown or why_incomplete(each) for each in lists):
        return
    first: dict[str, Tree] = {}
    for tree in (each.get(key) for one in lists for each in one.sequence):
        text = tree.string
        if text and text in first and not MADE_LATER.search(text):
            before = first[text].place.spot
            yield PodRefusal(
                tree.place,
                f"{says} {text}",
                f"{key}: {text}, as at {before}",
                f"another {key} for one of them",
                f'Duplicate value: "{text}"' if key == "name" else f'{key}: Invalid value: "{text}": must be unique',
            )
        first.setdefault(text, tree)


def _selects_others(pod: PodTemplate) -> Iterator[PodRefusal]:
    if pod.kind not in _SELECTING:
        return
    labels = pod.template.get("metadata", "labels")
    if why_incomplete(labels) or labels.is_unknown:
        return
    for key, wanted in pod.document.get("spec", "selector", "matchLabels").mapping.items():
        has = labels.get(key)
        texts = [each.text for each in (wanted, has) if not each.is_absent]
        if None in texts or MADE_LATER.search(" ".join(filter(None, texts))) or wanted.text == has.text:
            continue
        yield PodRefusal(
            wanted.place,
            f"selects pods by {key}: {wanted.text}, and its own pods have {_label(key, has)}",
            f"{key}: {wanted.text}",
            f"the same label in spec.selector and in the pod's template ({has.place.spot})",
            "`selector` does not match template `labels`",
        )


def _label(key: str, has: Tree) -> str:
    return "no such label" if has.is_absent else f"{key}: {has.text}"


def _started_again(pod: PodTemplate) -> Iterator[PodRefusal]:
    policy = pod.spec.get("restartPolicy")
    takes = _ONCE if pod.kind in _ENDING else _ALWAYS if pod.kind in _SELECTING else ()
    if not takes or policy.is_unknown or policy.text in takes or (policy.text and MADE_LATER.search(policy.text)):
        return
    if policy.text is None and (pod.kind in _SELECTING or not is_whole(pod)):
        return
    yield PodRefusal(
        policy.place if policy.text else pod.spec.heading,
        f"has {_policy(policy)}, with which there is no {pod.kind}",
        policy.text or "Always, which is the default",
        f"restartPolicy: {' or '.join(takes)}",
        f'spec.template.spec.restartPolicy: Unsupported value: "{policy.text or "Always"}"',
    )


def _policy(tree: Tree) -> str:
    return f"restartPolicy {tree.text}" if tree.text else "no restartPolicy"


def is_whole(pod: PodTemplate) -> bool:
    """A patch of it names what it changes alone."""
    return bool(pod.containers) and all(not each.tree.get("image").is_absent for each in pod.containers)


def _asks_beyond_its_limit(container: Container) -> Iterator[PodRefusal]:
    for name in _COUNTED:
        asked, most = container.requests.get(name), container.limits.get(name)
        if any(each.says_nothing or each.is_unknown for each in (asked, most)):
            continue
        try:
            is_beyond = quantity(asked.value) > quantity(most.value)
        except NotAQuantity:
            continue
        if is_beyond:
            is_, limit = asked.written or str(asked.value), most.written or str(most.value)
            yield PodRefusal(
                asked.place,
                f"asks for more {name} than {container.name} may have",
                is_,
                f"at most {limit}, the limit",
                f'Invalid value: "{is_}": must be less than or equal to {name} limit of {limit}',
            )
