"""Every step of a boot that writes the profiling option, or takes it away again."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatch

from nodeworthy.boot.content import Content, Line
from nodeworthy.boot.effects import How, Writes
from nodeworthy.boot.text import Text
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.profiling.modprobe_line import OptionSaid, Says, means_the_option, option_in_content, said_by_line
from nodeworthy.known.profiling import option
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place


@dataclass(frozen=True)
class OptionWrite:
    """A step, and what a file of modprobe says about the option once it is done."""

    effect: Writes
    said: OptionSaid
    # The file is replaced as a whole, or its whole content is known.
    replaces: bool

    @property
    def says(self) -> Says:
        return self.said.says

    @property
    def place(self) -> Place:
        """The line that is wrong; of what is right, the step that writes it."""
        line = self.said.line
        return self.effect.place if line is None or self.says is Says.RIGHT else line.place

    @property
    def path(self) -> str:
        return self.effect.path.shown()

    @property
    def is_(self) -> str:
        line = self.said.line
        return line.text.shown().strip() if line is not None else self.effect.command

    def undoes(self, other: OptionWrite) -> bool:
        """Whether the other step is without effect once both are done: this one is later, or its file's name is."""
        if self.says in (Says.RIGHT, Says.MAYBE):
            return False
        if self.same_file(other):
            return self.replaces or self.says is Says.OTHERWISE
        return self.overrides(other)

    def overrides(self, other: OptionWrite) -> bool:
        return self.says is Says.OTHERWISE and _name(self.path) > _name(other.path)

    def may_undo(self, other: OptionWrite) -> bool:
        return self.says is Says.MAYBE and self.replaces and self.same_file(other)

    def same_file(self, other: OptionWrite) -> bool:
        if self.effect.how is How.DELETE:
            return fnmatch(other.path, self.path) or other.path.startswith(f"{self.path.rstrip('/')}/")
        return self.path == other.path


def option_writes(timeline: Timeline) -> list[OptionWrite]:
    found: list[OptionWrite] = []
    appended: dict[str, Content] = {}
    for effect in timeline.of(Writes):
        before = appended.pop(effect.path.shown(), Content())
        found += _options_of_write(effect, before)
        if effect.how is How.APPEND and effect.content is not None and _goes_on(effect.content):
            appended[effect.path.shown()] = before + effect.content
    return found


def _goes_on(content: Content) -> bool:
    """The last line ends with a backslash: what is appended next belongs to it."""
    return bool(content.lines) and content.lines[-1].text.shown().endswith("\\")


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _options_of_write(effect: Writes, before: Content) -> Iterator[OptionWrite]:
    fault = why_not_read(effect.path)
    if fault and effect.how is How.DELETE and effect.path.string.rstrip("/") in option().folders:
        yield OptionWrite(effect, OptionSaid(Says.GONE, why="is deleted with its folder"), replaces=True)
    elif fault:
        yield from _in_vain(effect, fault)
    else:
        yield from _where_it_is_read(effect, before)


def _where_it_is_read(effect: Writes, before: Content) -> Iterator[OptionWrite]:
    said = _after(effect, before)
    if said is None:
        return
    if not is_surely_read(effect.path):
        if said.says is not Says.RIGHT and not _begins_in_a_folder(effect.path):
            return
        said = OptionSaid(
            Says.MAYBE, said.line, f"whether modprobe reads {effect.path.shown()} is not known: {effect.path.why}"
        )
    yield OptionWrite(effect, said, effect.how is not How.APPEND or effect.whole is not None)


def _in_vain(effect: Writes, fault: str) -> Iterator[OptionWrite]:
    """A right line in a wrong file. Of other files only lines that are meant for modprobe count."""
    if effect.how is How.DELETE or effect.content is None:
        return
    said = (said_by_line(line) for line in _options_in(effect.content))
    line = next((each.line for each in said if each is not None and each.says is Says.RIGHT), None)
    if line is not None:
        yield OptionWrite(effect, OptionSaid(Says.MISSES, line, fault), replaces=False)


def _options_in(content: Content) -> Iterator[Line]:
    for line in content.lines:
        first = line.text.pieces[0] if line.text.pieces else ""
        if isinstance(first, str) and first.lstrip().startswith("options"):
            yield line


def _after(effect: Writes, before: Content) -> OptionSaid | None:
    """What the file says once the step is done; None where that is nothing, as before."""
    if effect.how is How.DELETE:
        return OptionSaid(Says.GONE, why="is deleted")
    if effect.how is How.LINK and effect.whole is None:
        return _linked(effect)
    if effect.how is How.EDIT and effect.whole is None:
        return _edited(effect)
    content = effect.whole if effect.whole is not None else effect.content
    if content is None:
        return OptionSaid(Says.MAYBE, why=f"what is written into {effect.path.shown()} could not be read")
    said = option_in_content(content if effect.whole is not None else before + content)
    replaced = effect.how is not How.APPEND or effect.whole is not None
    return OptionSaid(Says.GONE, why="is overwritten") if said is None and replaced else said


def _linked(effect: Writes) -> OptionSaid:
    if any(target.known == "/dev/null" for target in effect.expressions):
        return OptionSaid(Says.GONE, why="is hidden behind a link to /dev/null")
    return OptionSaid(Says.MAYBE, why=f"what {effect.path.shown()} links to was not read")


def _edited(effect: Writes) -> OptionSaid | None:
    words = " ".join(each.shown() for each in effect.expressions).replace("/", " ").split()
    if words and not any(means_the_option(word) for word in words):
        return None
    return OptionSaid(Says.MAYBE, why=f"{effect.path.shown()} was there before, unread, and is edited in place")


def why_not_read(path: Text) -> str:
    """Why modprobe does not read this file; empty where it does, or may."""
    known, wanted = path.known, option()
    if known is None:
        return ""
    folder, _, name = known.rpartition("/")
    if folder in wanted.folders:
        return "" if name.endswith(wanted.suffix) else f"modprobe reads only files that end in {wanted.suffix}"
    if any(folder.startswith(f"{each}/") for each in wanted.folders):
        return "modprobe reads no folders inside of its own"
    return f"modprobe does not read {known}"


def is_surely_read(path: Text) -> bool:
    """Whether modprobe reads a file of this path; of a path with holes, whether its folder and its ending are known and
    right."""
    if path.known is not None:
        return not why_not_read(path)
    last = path.pieces[-1]
    return isinstance(last, str) and last.endswith(option().suffix) and _begins_in_a_folder(path)


def _begins_in_a_folder(path: Text) -> bool:
    first = path.pieces[0] if path.pieces else ""
    return isinstance(first, str) and first.rpartition("/")[0] in option().folders
