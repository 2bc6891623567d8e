"""Container logs beside a dump: of the GPU stack's pods that do not run, what they said last."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TypeVar

from nodeworthy.backstop import TookTooLong, call_bounded
from nodeworthy.collect.cluster.dump_text import PrintedLogs
from nodeworthy.collect.cluster.kinds import RUNTIME_CLASSES
from nodeworthy.collect.cluster.seen import ClusterObjects
from nodeworthy.collect.source.files import shown_path
from nodeworthy.facts.cluster.elapsed import has_just_begun
from nodeworthy.facts.cluster.node_gpus import NodeGpus
from nodeworthy.facts.cluster.node_labels import PRODUCT
from nodeworthy.facts.cluster.own_logs import (
    words_of_no_gpu,
    words_of_no_library,
    words_of_slurms_nodes,
    words_of_the_node,
)
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.facts.cluster.sandbox_failure import moment
from nodeworthy.facts.hami.crash import is_crash
from nodeworthy.facts.not_seen import UnreadableInput
from nodeworthy.known.chain import link_of_evidence
from nodeworthy.known.containerd import defaults
from nodeworthy.known.evidence import EvidenceMatch, in_text
from nodeworthy.known.gpu_stack import MIG_MANAGER, OPERATOR, VGPU_MANAGER, bringers, speakers
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.redaction import hide_secrets
from nodeworthy.verdict import Place

_T = TypeVar("_T")
# Enough for the last attempts; the line that tells stands near the end.
TAIL = 64 << 10
_MESSAGE = pattern(r'msg="(?P<said>(?:[^"\\]|\\.)*)"')
# With such a line a program ends; the toolkit's goes on for a while.
_ENDED = pattern(r'unable to dial|Error signaling|\blevel=fatal\b|"level":"fatal"|^F\d{4} |^panic: |^FATA?L?\[')
# As loggers, klog, the shell and kernel tools mark a fault; and what only sounds like one.
_MARKED = pattern(r'\blevel=error\b|"level":"error"|[Ee]rror: |^E\d{4} |\bFATAL: |\bERROR: |^ERRO\[|^E: ')
_SOUNDS_LIKE_ONE = pattern(
    r"(?i)\b(?:failed|failure|could not|cannot|can't|unable to|not found|unbound variable|refused|denied)\b"
)
_LONGEST, _BEHIND = 300, 60
# So many lines before the one with which it ended belong to it.
_SHORTLY = 20
# How much a container's words tell of its pod.
_VAGUE, _LIKE_A_FAULT, _AS_IT_ENDED, _KNOWN = 1, 2, 3, 4
_GATHERED = ("current.log", "previous.log")
# The parts that stay ready over what they did not find, and say it in their logs alone; of those of one maker, and of
# all, so many are read.
_SPEAK_WHILE_READY = frozenset(
    (
        "the device plugin",
        "GPU feature discovery",
        "node feature discovery",
        MIG_MANAGER,
        VGPU_MANAGER,
        OPERATOR,
        *bringers(),
        *speakers(),
    )
)
# They speak of others: how their own node fares does not tell whether they have anything to say.
_SPEAK_OF_OTHERS = speakers() | {OPERATOR}
# Of the operator, what the API server refuses it: it goes on without it, and makes none of its parts.
_REFUSED, _STILL = "rbac-forbidden", 50
_OF_ONE_MAKER, _MOST = 20, 100
_LATELY = timedelta(hours=6)
# With this line a device plugin has told kubelet of its devices: what went wrong before it is mended.
_REGISTERED = "Registered device plugin"
_AS_GATHERED = ("namespaces", "pods", "logs")


@dataclass(frozen=True)
class WeighedWords:
    weight: int
    words: str


NOTHING = WeighedWords(0, "")


@dataclass(frozen=True)
class PrintedLog:
    """A log that is no file of its own."""

    container: str
    text: str


Log = Path | PrintedLog


class Index:
    """Where the logs of a pod are: `logs/<namespace>/<pod>/<container>.log`, `<namespace>/<pod>/logs.txt`, and in a
    must-gather `namespaces/<namespace>/pods/<pod>/<container>/<container>/logs/current.log`."""

    def __init__(self) -> None:
        self._of: dict[tuple[str, str], list[Log]] = defaultdict(list)

    def add(self, path: Path) -> None:
        parts = path.parts
        if path.name in _GATHERED and len(parts) >= 8 and (parts[-8], parts[-6], parts[-2]) == _AS_GATHERED:
            self._of[(parts[-7], parts[-5])].append(path)
        of_a_container = path.suffix == ".log" and len(parts) >= 4 and parts[-4] == "logs"
        if of_a_container or (path.name == "logs.txt" and len(parts) >= 3):
            self._of[(parts[-3], parts[-2])].append(path)

    def add_printed(self, logs: PrintedLogs) -> None:
        for (namespace, pod, container), text in logs.of.items():
            self._of[(namespace, pod)].append(PrintedLog(container, text))

    def of(self, pod: ClusterPod) -> list[Log]:
        return self._of.get((pod.namespace, pod.name), [])


def read_last_words(seen: ClusterObjects, index: Index) -> None:
    wanted: dict[str, set[str]] = defaultdict(set)
    for each in seen.wanted_logs():
        wanted[each.object].add(each.container)
    schedulers = list(missed_schedulers(seen).values())
    for pod in seen.pods.values():
        if pod.ready or not (pod.part or pod.clears or pod in schedulers or _is_of_a_toolkit(pod, seen)):
            continue
        paths, own = index.of(pod), wanted.get(pod.object)
        # Of many pods of one maker, which fail alike, a few are searched for what is known.
        reader = partial(last_words, searched=own is not None)
        read = (read_tail(path, seen, reader) for path in _of_containers(paths, own))
        said = most_telling(filter(None, read))
        if said:
            seen.words[pod.object] = said
    for pod in speaking_while_ready(seen):
        said = next(filter(None, (read_tail(path, seen, _reader_of(pod)) for path in index.of(pod))), "")
        if said:
            seen.words_while_ready[pod.object] = said


def _is_of_a_toolkit(pod: ClusterPod, seen: ClusterObjects) -> bool:
    return any(toolkit.owns(pod) for toolkit in seen.toolkits.values())


def missed_schedulers(seen: ClusterObjects) -> dict[str, ClusterPod]:
    """The schedulers that do not run, by the names under which pods with GPUs wait for them: a pod is called after its
    scheduler."""
    named = {pod.scheduler for pod in seen.capacity.waiting}
    found: dict[str, ClusterPod] = {}
    for pod in seen.pods.values() if named else ():
        for name in named if not pod.is_over and pod.node else ():
            if f"{pod.name}-".startswith(f"{name}-") and (name not in found or found[name].ready):
                found[name] = pod
    return {name: pod for name, pod in found.items() if not pod.ready}


def keep_words_while_ready(seen: ClusterObjects, name: str, logs: Sequence[str]) -> None:
    """Keeps the same of logs that a server gave."""
    _, namespace, pod = name.split("/")
    said = next(filter(None, map(_reader_of(seen.pods[namespace, pod]), logs)), "")
    if said:
        seen.words_while_ready[name] = said


def _reader_of(pod: ClusterPod) -> Callable[[str], str]:
    if pod.part in speakers():
        return words_of_slurms_nodes
    return _refusals if pod.part == OPERATOR else partial(words_while_ready, of_labels="feature-discovery" in pod.name)


def read_users_words(seen: ClusterObjects, index: Index) -> None:
    """Reads what pods with GPUs say of their node: those that crash, and those that run on without their GPUs."""
    users = [pod for pod in seen.pods.values() if _is_of_a_user(pod, seen)]
    for some, reader in (
        ([pod for pod in users if not pod.ready and is_crash(pod)], words_of_the_node),
        ([pod for pod in users if pod.ready], words_of_no_gpu),
        ([pod for pod in seen.pods.values() if _has_failed_lately(pod, seen)], words_of_the_node),
        ([pod for pod in seen.pods.values() if _is_of_another_runtime(pod, seen)], words_of_no_library),
    ):
        for pod in some[:_MOST]:
            of_pod = partial(reader, shares=True) if reader is words_of_the_node and _shares(pod, seen) else reader
            read = (read_tail(path, seen, of_pod) for path in index.of(pod))
            said = next(filter(None, read), "")
            if said:
                seen.words_of_users[pod.object] = said[:_LONGEST]


def _has_failed_lately(pod: ClusterPod, seen: ClusterObjects) -> bool:
    """What ended longer ago may have been mended since, and nobody runs it again."""
    is_ours = pod.wants_gpus and not pod.part and pod.phase == "Failed" and is_crash(pod)
    return is_ours and not pod.reason and has_just_begun(moment(pod.since), seen.capacity.now, _LATELY)


def keep_users_words(seen: ClusterObjects, name: str, logs: Sequence[str]) -> None:
    """Keeps the same of logs that a server gave, which are those of pods that crash."""
    _, namespace, own = name.split("/")
    pod = seen.pods[namespace, own]
    if _is_of_a_user(pod, seen):
        said = next(filter(None, map(partial(words_of_the_node, shares=_shares(pod, seen)), logs)), "")
        if said:
            seen.words_of_users[name] = said[:_LONGEST]


def _shares(pod: ClusterPod, seen: ClusterObjects) -> bool:
    return pod.node in seen.capacity.nodes and seen.capacity.nodes[pod.node].shared_by > 1


def _is_of_another_runtime(pod: ClusterPod, seen: ClusterObjects) -> bool:
    """Whether it asks NVIDIA's runtime for GPUs that its node has, and names no RuntimeClass although there is one."""
    there = any(name.startswith(defaults().runtime_class) for _, name in seen.documents[RUNTIME_CLASSES])
    asks = pod.asks_by_variable and not pod.part and not pod.runtime_class and not pod.is_over
    node = seen.capacity.nodes.get(pod.node)
    return there and asks and node is not None and node.has_gpus


def _is_of_a_user(pod: ClusterPod, seen: ClusterObjects) -> bool:
    """What crashes on GPUs that HAMi shares has a rule of its own."""
    return pod.wants_gpus and not pod.part and (pod.namespace, pod.name) not in seen.hami.shares and not pod.is_over


def speaking_while_ready(seen: ClusterObjects) -> Iterator[ClusterPod]:
    """The operator, and the parts that are ready on nodes which offer no GPUs, or whose GPUs nobody names."""
    asked: Counter[tuple[str, str]] = Counter()
    for pod in seen.pods.values():
        if not pod.ready or pod.part not in _SPEAK_WHILE_READY:
            continue
        if pod.part in bringers() and not seen.capacity.waiting:
            continue
        if (
            pod.part not in _SPEAK_OF_OTHERS
            and pod.part not in bringers()
            and _is_well(seen.capacity.nodes.get(pod.node), pod.part)
        ):
            continue
        asked[pod.namespace, pod.daemonset] += 1
        if asked[pod.namespace, pod.daemonset] <= _OF_ONE_MAKER and asked.total() <= _MOST:
            yield pod


def _is_well(node: NodeGpus | None, part: str) -> bool:
    if part == MIG_MANAGER:
        return node is None or not node.is_not_cut
    if part == VGPU_MANAGER:
        return node is None or not node.has_no_vgpus
    return node is not None and any(node.allocatable.values()) and PRODUCT in node.labels


def words_while_ready(log: str, *, of_labels: bool = False) -> str:
    """What a program that runs says of a cause; or that kubelet was told of its devices, where that came later."""
    _, registered, after = log.rpartition(_REGISTERED)
    known = in_text(after if registered else log)
    own = [each for each in known if link_of_evidence(each.evidence.id, each.evidence.layer) == "labels"]
    cause = _first_cause(own if of_labels and own else known)
    if cause is not None:
        return message(cause.words, cause.itself)
    return (registered + next(iter(after.splitlines()), ""))[:_LONGEST]


def _refusals(log: str) -> str:
    """What the API server refuses the operator still: of what was mended since, other lines stand behind."""
    recent = "\n".join(log.splitlines()[-_STILL:])
    refused = next((each for each in in_text(recent) if each.evidence.id == _REFUSED), None)
    return message(refused.words, refused.itself) if refused is not None else ""


def _of_containers(paths: Sequence[Log], containers: Collection[str] | None) -> Sequence[Log]:
    """The logs of those containers that do not run, where the files tell which log is whose."""
    return [path for path in paths if containers and _container(path) in containers] or paths


def _container(path: Log) -> str:
    if isinstance(path, PrintedLog):
        return path.container
    return path.parts[-3] if path.name in _GATHERED else path.stem


def read_tail(path: Log, seen: ClusterObjects, read: Callable[[str], _T]) -> _T | None:
    """What a reader makes of the end of a log. None where there is no log, or where it can't be read, which is told."""
    try:
        tail = path.text if isinstance(path, PrintedLog) else _tail_of(path)
        return None if tail is None else call_bounded(lambda: read(hide_secrets(tail)))
    except TookTooLong as problem:
        why = problem.why
    except OSError as problem:
        why = f"it can't be read: {problem.strerror}"
    where = f"the log of {path.container}" if isinstance(path, PrintedLog) else shown_path(path)
    seen.unreadable.append(UnreadableInput(Place(path=where), why))
    return None


def _tail_of(path: Path) -> str | None:
    if not path.is_file():
        return None  # a pipe would have us wait for ever
    with path.open("rb") as file:
        file.seek(0, 2)
        file.seek(max(0, file.tell() - TAIL))
        return file.read().decode("utf-8", "replace")


def most_telling(said: Iterable[WeighedWords]) -> str:
    """The words of that container of a pod which tell most."""
    return max(said, key=lambda each: each.weight, default=NOTHING).words


def last_words(log: str, *, searched: bool = True) -> WeighedWords:
    """How it ended, if it says so; else what is known of it; else the last line that sounds like a fault."""
    lines = log.splitlines()
    ended = _last_with(lines, _ENDED)
    if ended is not None:
        return WeighedWords(_AS_IT_ENDED, _cause_before(lines, ended) if searched else message(ended))
    known = in_text(log) if searched else []
    cause = _first_cause(known)
    if cause is not None:
        return WeighedWords(_KNOWN, message(cause.words, cause.itself))
    marked = _last_with(lines, _MARKED)
    if marked is not None:
        return WeighedWords(_LIKE_A_FAULT, _with_what_led_to_it(lines, marked) if searched else message(marked))
    if known:
        return WeighedWords(_LIKE_A_FAULT, message(known[0].words, known[0].itself))
    told = _last_with(lines, _SOUNDS_LIKE_ONE)
    return WeighedWords(_VAGUE, message(told)) if told is not None else NOTHING


def _first_cause(known: Sequence[EvidenceMatch]) -> EvidenceMatch | None:
    """Returns the one that tells most: what another one of them brings about, comes behind it."""
    hidden = {name for each in known for name in each.evidence.hides}
    causes = [each for each in known if not each.evidence.is_symptom]
    return next((each for each in causes if each.evidence.id not in hidden), None) or next(iter(causes), None)


def _cause_before(lines: Sequence[str], ended: str) -> str:
    """The line with which it ended, or one shortly before that, where only that one says why."""
    if any(not each.evidence.is_symptom for each in in_text(ended)):
        return message(ended)
    at = len(lines) - 1 - lines[::-1].index(ended)
    cause = _first_cause(in_text("\n".join(lines[max(0, at - _SHORTLY) : at])))
    return message(cause.words, cause.itself) if cause is not None else message(ended)


def _with_what_led_to_it(lines: Sequence[str], marked: str) -> str:
    """A line that says no more than that it failed, with the fault before it; else the line alone."""
    known = in_text(marked)
    if not known or not all(each.evidence.is_family for each in known):
        return message(marked)
    at = len(lines) - 1 - lines[::-1].index(marked)
    before = [each for each in lines[max(0, at - _SHORTLY) : at] if each.strip() != marked.strip()]
    fault = _last_with(before, _MARKED) or _last_with(before, _SOUNDS_LIKE_ONE)
    return f"{message(fault)}; {message(marked)}"[: 2 * _LONGEST] if fault is not None else message(marked)


def _last_with(lines: Sequence[str], mark: re.Pattern[str]) -> str | None:
    return next((each for each in reversed(lines) if mark.search(each)), None)


def message(line: str, itself: str = "") -> str:
    """A message as it was logged. Of a long line, the part that tells."""
    quoted = _MESSAGE.search(line)
    said = quoted["said"] if quoted and itself in quoted["said"] else line
    at = max(said.find(itself), 0)
    begins = min(at, max(0, at + len(itself) + _BEHIND - _LONGEST))
    return " ".join(said[begins:].split())[:_LONGEST]
