"""Whether anybody wants to profile on the nodes that boot with a script, and what says so.

Reading the GPU's counters is the administrator's alone unless the option is set. Whoever merely installs a driver has
nothing of it: only who profiles, or promises that one can, needs the option in time.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import ClassVar

from nodeworthy.boot.effects import Effect, Installs, Joins, LoadsModule, NotUnderstood, Runs, Writes
from nodeworthy.boot.timeline import Timeline
from nodeworthy.derive import derive
from nodeworthy.facts.boot.driver_loads import is_driver
from nodeworthy.facts.boot.script import BootPool, BootScript
from nodeworthy.facts.node.files import NodeFiles
from nodeworthy.facts.node.paths import NodeFileKind
from nodeworthy.facts.pod.containers import Container
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.facts.profiling.modprobe_line import Says
from nodeworthy.facts.profiling.module_option import option_writes
from nodeworthy.known.profiling import option, profilers
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place, Related, value_if_known

# Who writes one of these outside of a comment speaks of the option, or of nodes that are there for profiling.
_WORDS = pattern(
    r"NVreg_\w*Profil\w*|\bRmProfilingAdminOnly|\bERR_NVGPUCTRPERM|AdminUsers|"
    r"(?<=/)nvprof[\w-]*\.\w+|gpu\.monitoring/profiling[\w-]*",
    words=("Profil", "ERR_NVGPUCTRPERM", "AdminUsers", "nvprof", "gpu.monitoring/profiling"),
)
# A comment, and a line that looks for the option or tells of it, asks for nothing.
_ONLY_LOOKS = pattern(
    r"\s*+(?:#|(?:(?:el)?if|while|!|\[|\w++=\$\()*+\s*+(?:sudo\s++)?(?:grep|awk|(?:echo|printf)\b[^>|]*+$))"
)
_MARKS = ("gpu.monitoring/profiling", "nodeworthy/profiling")
_NO = frozenset({"false", "disabled", "no", "off", "0"})


@dataclass(frozen=True)
class ProfilingAsked:
    """What stands beside a script and wants profiling: a pod that profiles and is no administrator, a modprobe file."""

    called: ClassVar[str] = "a sign that somebody profiles"
    # It stands in another resource than the script.
    whole_stack: ClassVar[bool] = True

    place: Place
    says: str
    # A file that sets the option rightly: whether it comes to the node, the script alone does not say.
    may_be_the_option: bool = False


@derive
def profiling_asked(files: Sequence[NodeFiles], pods: Sequence[PodTemplate]) -> Iterator[ProfilingAsked]:
    """The first sign; a file says more than a pod."""
    signs = filter(None, chain(map(_of_files, files), map(_of_a_pod, pods)))
    yield from islice(signs, 1)


def _of_files(files: NodeFiles) -> ProfilingAsked | None:
    if not files.of(NodeFileKind.MODPROBE):
        return None
    writes = option_writes(files.only(NodeFileKind.MODPROBE).timeline)
    right = next((each for each in writes if each.says is Says.RIGHT), None)
    if right is None:
        return None
    return ProfilingAsked(right.place, "a file of modprobe sets the profiling option here", may_be_the_option=True)


def _of_a_pod(pod: PodTemplate) -> ProfilingAsked | None:
    """An administrator reads the counters in any case."""
    if any(value_if_known(each.is_administrator) for each in pod.containers):
        return None
    why = next(filter(None, map(why_container_profiles, pod.containers)), None) or why_pod_profiles(pod)
    return ProfilingAsked(pod.place, f"{pod.title} wants profiling: {why}") if why is not None else None


def sign_of_profiling(script: BootScript, pool: BootPool | None) -> Related | None:
    """What in the script or its pool wants profiling, or speaks of it."""
    if pool is not None and pool.pool.profiling_dedicated:
        return pool.declared("promises nodes for profiling")
    return _by_words(script) or next(_by_steps(script.timeline), None)


def _by_words(script: BootScript) -> Related | None:
    for part in script.userdata.parts:
        if _WORDS.search(part.text) is None:
            continue
        for number, line in enumerate(part.text.split("\n")):
            found = None if _ONLY_LOOKS.match(line) else _WORDS.search(line)
            if found is not None and not line.startswith(")", found.end()) and not _is_off(found):
                return Related(part.origin.at(number + 1, found.start() + 1), f"{found.group()} stands here")
    return None


def _is_off(found: re.Match[str]) -> bool:
    """`gpu.monitoring/profiling-dedicated=false`; a 0 of the option is what is wanted, and a 1 the driver's default."""
    behind = found.string[found.end() :].lstrip("\"'").removeprefix("=").removeprefix(":")
    said = (*re.split(r"[\s\"'\\,]+", behind.lstrip(" \"'\\,"), maxsplit=1), "")[0].lower()
    return said == option().default if found.group() == option().name else said in _NO - {"0"}


def _by_steps(timeline: Timeline) -> Iterator[Related]:
    """The steps that ask for profiling. A script that runs a profiler and installs no driver only uses a node."""
    brings = any(is_driver(each) for each in timeline.of(Installs))
    signs = (_installs, *((_runs,) if brings else ()), _registers, _speaks)
    for effect in timeline.effects:
        says = next(filter(None, (each(effect) for each in signs)), None)
        if says is not None:
            yield Related(effect.place, says)


def _installs(effect: Effect) -> str | None:
    if not isinstance(effect, Installs) or effect.removes:
        return None
    named = next((each.shown() for each in effect.packages if _is_profiler(each.shown())), None)
    return f"{named} is installed here, which profiles" if named is not None else None


def _runs(effect: Effect) -> str | None:
    """`sudo -E ncu …`; who only asks for its version does not profile."""
    if not isinstance(effect, (Runs, LoadsModule)) or "--version" in effect.command:
        return None
    words = map(posixpath.basename, effect.command.split()[:3])
    program = next((each for each in words if each in profilers().programs), None)
    return f"{program} profiles here" if program is not None else None


def _registers(effect: Effect) -> str | None:
    labels = effect.labels if isinstance(effect, Joins) else ()
    found = (name for name, value in labels if name.startswith(_MARKS) and value.lower() not in _NO)
    return next((f"the node registers with {name}" for name in found), None)


def _speaks(effect: Effect) -> str | None:
    """What a step writes, where the words themselves are put together from several."""
    spoken = filter(None, map(_WORDS.search, _texts(effect)))
    found = next((each for each in spoken if each.group() != option().name or not _is_off(each)), None)
    return f"{found.group()} stands here" if found is not None else None


def _texts(effect: Effect) -> Iterator[str]:
    if isinstance(effect, Writes):
        yield effect.path.shown()
        yield from (each.shown() for each in effect.expressions)
        yield from (line.text.shown() for line in (effect.content.lines if effect.content is not None else ()))
    elif isinstance(effect, LoadsModule):
        yield from effect.options
    elif isinstance(effect, NotUnderstood):
        yield effect.text


def _is_profiler(package: str) -> bool:
    name = posixpath.basename(package).lower()
    return name.startswith(profilers().packages)


# What shows that a pod is meant for profiling by the GPU's counters.
#
# Nsight Compute (`ncu`) reads them for every kernel, and DCGM's profiling tester makes them be read. Nsight Systems
# traces calls by itself, for which nobody needs a right, and reads the counters only where it samples GPU metrics.


DEDICATED = "gpu.monitoring/profiling-dedicated"
_SIGNS = ("gpu.monitoring/profiling", DEDICATED, "nodeworthy/profiling")
_NEVER = ("false", "disabled", "no", "off", "0", "")
_COUNTERS = pattern(r"(?:^|[\s;&|(/'\"`=])(ncu|nv-nsight-cu-cli|dcgmproftester\d*)(?=$|[\s;&|)'\"`])")
_SYSTEMS = pattern(r"(?:^|[\s;&|(/'\"`=])nsys(?=\s|$)")
_METRICS = pattern(r"--gpu-metrics-(?:device|devices|set|frequency)\b(?![= ]none)")
_IMAGES = pattern(r"(?:^|/)(?:nsight-compute|dcgmproftester)[^/]*$")
# Words that only ask whether a program is there, or bring it.
_NO_RUN = pattern(r"(?:which|command -v|--version|install)\b[^\n;&|]*$")


def why_container_profiles(container: Container) -> str | None:
    """What the container runs that reads counters."""
    said = " ".join(container.words)
    found = next((each for each in _COUNTERS.finditer(said) if not _NO_RUN.search(said[: each.start(1)])), None)
    if found is not None:
        return f"it runs {found[1]}"
    if _SYSTEMS.search(said) and _METRICS.search(said):
        return "it runs nsys with GPU metrics"
    image = value_if_known(container.image)
    if isinstance(image, str) and _IMAGES.search(image):
        return f"its image is {image}"
    return None


def why_pod_profiles(pod: PodTemplate) -> str | None:
    """What the pod says of itself as a whole."""
    for name in _SIGNS:
        for said in (pod.labels.get(name), pod.annotations.get(name)):
            if said is not None and str(said.value).lower() not in _NEVER and not said.is_unknown:
                return f"it is marked {name}"
    if any(value.lower() not in _NEVER for value in pod.selection.wanted(DEDICATED)):
        return f"it chooses nodes by {DEDICATED}"
    return None
