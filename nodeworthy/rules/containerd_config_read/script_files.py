"""Files of containerd's of which a boot script does not show all: it adds lines to one, or copies one.

Where a copied file lies beside the script, it is judged as what it is. Where it does not, nothing is known of what is
written, and nobody who reads the script alone could say.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from nodeworthy.boot.effects import How, Writes
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.final_files import file_left
from nodeworthy.facts.boot.written_text import toml_in
from nodeworthy.facts.containerd.config import ConfigFile, Makers, Role, is_nodeadms
from nodeworthy.facts.registry.config_path import configs, is_default_config
from nodeworthy.facts.surroundings import Surroundings
from nodeworthy.known.containerd import Containerd, containerd_of
from nodeworthy.patterns import pattern


def added_lines(timeline: Timeline, runtime: Containerd | None) -> Iterator[ConfigFile]:
    makers = {path: Makers(timeline, path) for path in configs(runtime or containerd_of("kubeadm"))}
    for write in timeline.of(Writes):
        content = write.content if write.how is How.APPEND and write.whole is None else None
        path = write.path.string
        if content is None or path not in makers or is_nodeadms(write):
            continue
        above = file_left(timeline, path, write.conditions, until=write).last
        role = Role.BEHIND_DEFAULT if _is_default(list(makers[path].of(above))) else Role.BEHIND_OTHERS
        yield ConfigFile(path, role, toml_in(content, write.place, write.path.shown()), write)


def _is_default(above: Sequence[Writes]) -> bool:
    """Whether what stands above them is what `containerd config default` prints, edited or not."""
    return bool(above) and all(map(is_default_config, above))


# Few files hold one of these, and each of containerd's does.
_OF_CONTAINERD = re.compile(rb"io\.containerd\.|plugins\.cri\b|plugins\.\"?cri\b")
_COPIES = ("cp", "install", "mv", "cat")
# Of a command, what says who runs it.
_LEADS = pattern(r"^(?:sudo\s+)?(?:(?:ba)?sh\s+-c\s+)?[\"']?(?:sudo\s+)?")


def is_copied_from_beside(file: ConfigFile, surroundings: Surroundings | None) -> bool:
    tails = {f"/{each}" for each in _copied(file)}
    if surroundings is None or not tails:
        return False
    return any(each.path.as_posix().endswith(tuple(tails)) for each in surroundings.holding(_OF_CONTAINERD))


def is_copied_from_a_file(file: ConfigFile) -> bool:
    """Whether it comes from a file that neither the image nor the script has made."""
    return bool(_copied(file))


def _copied(file: ConfigFile) -> list[str]:
    """The files that are copied there, by what of their paths is the same wherever they are looked at from."""
    command = file.write.command if file.write is not None else ""
    words = [each.strip("\"'") for each in _LEADS.sub("", command.partition(">")[0]).split()]
    if not file.reading.unknown or not words or words[0] not in _COPIES or "<" in command or "|" in command:
        return []
    sources = words[1:] if words[0] == "cat" else words[1:-1]
    return [tail for each in sources if not each.startswith("-") and (tail := _tail(each))]


def _tail(source: str) -> str:
    """What of a path is the same wherever it is looked at from: nothing of `$HERE/`, nor of `../`."""
    tail = re.sub(r"^.*(?:\$\{?\w+\}?|\.\.|\))/", "", posixpath.normpath(source))
    return "" if tail.startswith("/") or "$" in tail else tail
