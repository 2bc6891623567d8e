"""What a script installs with helm: what its command says, laid over the values files that it names.

Helm's own order: files first, then `--set` and `--set-string` from left to right, the later one wins. Behind a word
that only the shell knows (`$HELM_OPTIONS`) what is said still counts; what was said before may be said anew there, and
does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from nodeworthy.boot.commands.call import beginning
from nodeworthy.boot.commands.charts import HELM_TAKES
from nodeworthy.boot.conditions import together
from nodeworthy.boot.content import Content
from nodeworthy.boot.effects import HelmRelease, Installs
from nodeworthy.boot.text import Text
from nodeworthy.collect.charts import facts_of_release
from nodeworthy.collect.source.files_beside import FilesBeside
from nodeworthy.documents.release import BY_COMMAND, Release
from nodeworthy.documents.set_syntax import NotSetSyntax, lay_at, steps, type_value
from nodeworthy.documents.tree import Tree, merge, plant
from nodeworthy.documents.yaml import NotYaml, read
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.boot.shown_containerd import containerd_shown
from nodeworthy.facts.boot.source_line import Source, SourcePart
from nodeworthy.facts.operator.by_helm import OperatorByHelm
from nodeworthy.facts.operator.recognition import CHART, operator_values
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field
from nodeworthy.scene import Fact
from nodeworthy.verdict import NotKnown, Place, Unknown

_CHART = pattern(r"(?:^|/)" + CHART + r"(?:-v?\d[^/]*\.tgz)?$")
# `a=1,b=2`; a comma behind a backslash, or within braces, is no end.
_PAIR = pattern(r"(?P<name>[^=,]{1,256})=(?P<value>\{[^{}]*\}|(?:[^,\\]|\\.)*)(?:,|$)")
_SETS = ("--set", "--set-string")
# Nobody's command goes over more lines.
_MOST_ROWS = 80
_OTHERS = (
    "--set-file",
    "--set-literal",
    "--reuse-values",
    "--reset-then-reuse-values",
    "--post-renderer",
)


def installed_by_helm(script: BootScript, beside: FilesBeside) -> Iterator[Fact]:
    """The GPU operator with the machine that the script makes a cluster of, and what else its charts bring."""
    try:
        installs = [each for each in script.timeline.of(Installs) if each.release is not None and not each.removes]
        operators = [each for each in installs if _is_operator(each)]
        whole = [each for each in operators if _is_of_files_here(each, script, beside)]
        for each in whole:
            yield from operator_values(_release(each, script, beside))
            _take_in(each, beside)
        if _is_for_nodes_elsewhere(operators, script):
            yield from operator_values(_release(operators[0], script, beside))
        else:
            for each in (one for one in operators if one not in whole):
                yield from _operator(each, script, beside)
        for each in _standing(installs):
            release = _release(each, script, beside)
            if release.values.mapping or release.elsewhere is None:  # else what can't be read is all that is said
                facts = [fact for fact in facts_of_release(release) if not isinstance(fact, OperatorValues)]
                if facts and release.elsewhere is None and not _is_operator(each):
                    _take_in(each, beside)
                yield from facts
    except NotKnown:  # what can't be read of it, other rules tell
        return


def operators_by_helm(script: BootScript, beside: FilesBeside) -> Iterator[OperatorValues]:
    """The GPU operators that stand in the end, whatever is known of the machines that they serve."""
    try:
        installs = [each for each in script.timeline.of(Installs) if each.release is not None and not each.removes]
        for each in _standing([one for one in installs if _is_operator(one)]):
            yield from operator_values(_release(each, script, beside))
    except NotKnown:  # what can't be read of it says nothing
        return


def _is_operator(installs: Installs) -> bool:
    return any(_CHART.search(name.shown()) for name in installs.packages)


def _is_for_nodes_elsewhere(operators: Sequence[Installs], script: BootScript) -> bool:
    """One operator in any case, by what stands in the script alone, and no machine here that becomes a node: whose
    nodes it serves, what lies around says. A file of values beside it is judged there."""
    if len(operators) != 1 or operators[0].conditions:
        return False
    told, shown = operators[0].release or HelmRelease(()), containerd_shown(script, operators[0])
    is_by_files = any(content is None for _, content in told.files)
    return shown is None and not is_by_files and not script.makes_a_node


def _is_of_files_here(installs: Installs, script: BootScript, beside: FilesBeside) -> bool:
    """Files of values that all lie here, and nothing that may say otherwise: what is installed is what they come to
    together with the command, for nodes that other files make."""
    told = installs.release or HelmRelease(())
    if script.makes_a_node or not told.files or any(content is not None for _, content in told.files):
        return False
    return containerd_shown(script, installs) is None and _release(installs, script, beside).elsewhere is None


def _take_in(installs: Installs, beside: FilesBeside) -> None:
    """None of its files is judged by itself any more: what one says, the next may say otherwise."""
    for name, _ in (installs.release or HelmRelease(())).files:
        path = _path_of(name, beside)
        if path is not None:
            beside.values(path)


def _operator(installs: Installs, script: BootScript, beside: FilesBeside) -> Iterator[OperatorByHelm]:
    shown = containerd_shown(script, installs)
    runtime, at = shown if shown is not None else (None, installs.place)
    found = OperatorByHelm(next(operator_values(_release(installs, script, beside))), runtime, at)
    if found.speaks:
        yield found


def _standing(installs: Sequence[Installs]) -> list[Installs]:
    """What is there in the end: of a name that is installed anew the last, of branches that exclude each other one."""
    standing: dict[str, Installs] = {}
    for each in installs:
        if all(together(each.conditions, other.conditions) for other in standing.values()):
            standing[_name(each)] = each
    return list(standing.values())


def _release(installs: Installs, script: BootScript, beside: FilesBeside) -> Release:
    at, told = installs.place, installs.release or HelmRelease(())
    found = Source(script.userdata).line_at(at)
    laid = _Laid(at, Tree({}, at), written=_Command(*found) if found is not None else None)
    for path, content in told.files:
        laid.file(path, content, beside)
    version = laid.words(told.arguments)
    chart = CHART if _is_operator(installs) else "".join(each.shown() for each in installs.packages)
    name = _name(installs)
    return Release(BY_COMMAND, name, at, Tree(chart, at), version, laid.tree, laid.elsewhere, name)


def _name(installs: Installs) -> str:
    """What the release is called; where helm makes a name up, the chart's."""
    told = installs.release.arguments if installs.release is not None else ()
    operands = list(_operands(told))
    is_named = len(operands) > 2
    return operands[1].shown() if is_named else "".join(each.shown() for each in installs.packages)


@dataclass(frozen=True)
class _Command:
    """A command as it is written, over several lines."""

    part: SourcePart
    first: int

    def place_of(self, word: str) -> Place | None:
        """Where it stands last."""
        found: Place | None = None
        for at in range(self.first, min(self.first + _MOST_ROWS, len(self.part.rows))):
            row = self.part.rows[at]
            column = row.find(word)
            found = self.part.part.origin.at(at + 1, column + 1) if column >= 0 else found
            if not row.endswith("\\"):
                break
        return found


@dataclass
class _Laid:
    """The values so far, each layer over those before it."""

    place: Place
    tree: Tree
    elsewhere: str | None = None
    written: _Command | None = None
    sets: list[tuple[str, Tree]] = field(default_factory=list)

    def place_of(self, name: str) -> Place:
        """Where a value is set; where its words stand in no line, where the command does."""
        found = self.written.place_of(f"{name}=") if self.written is not None else None
        return (found or self.place).about(name)

    def forgets(self, why: str) -> None:
        """Drops what was read of the values so far, because they may be different from here on."""
        self.tree, self.elsewhere = Tree({}, self.place), why

    def file(self, path: Text, content: Content | None, beside: FilesBeside) -> None:
        found = _tree_in_content(content) if content is not None else _lying(path, beside)
        if found is None:
            self.forgets(f"{path.shown()} may say it, and could not be read")
        else:
            self.tree = merge(self.tree, found)

    def words(self, arguments: tuple[Text, ...]) -> Tree:
        """All words of the command in their order; the chart's version is what it tells besides."""
        version, operands = Tree(None, self.place), list(_operands(arguments))
        rest = iter(arguments)
        for each in rest:
            begins = beginning(each)
            name, equals, value = begins.partition("=")
            if not begins.startswith("-"):
                if each.known is None and len(operands) > 3:
                    self.forgets(f"{each.shown()} may say it")
                continue
            if name in HELM_TAKES:
                told = Text.of(value, *each.pieces[1:]) if equals else next(rest, Text.of(""))
                version = _version(told, self.place) if name == "--version" else version
                self.option(name, told)
            elif name in _OTHERS:
                self.forgets(f"{name} may say it")
        return version

    def option(self, name: str, told: Text) -> None:
        if name in _OTHERS:
            self.forgets(f"{name} may say it")
        elif name in _SETS:
            self.sets_(told, as_string=name == "--set-string")
        elif name == "--set-json":
            self.sets_json(told)

    def sets_json(self, told: Text) -> None:
        """`name=` before one value in JSON; several, or what the shell fills in, may say anything."""
        name, equals, value = (told.known or "").partition("=")
        try:
            found = _json(value, self.place_of(name)) if equals and not name.lstrip().startswith("{") else None
            if found is not None:
                self.tree = lay_at(self.tree, steps(name.strip()), found)
        except NotSetSyntax:
            found = None
        if found is None:
            self.forgets("--set-json may say it")

    def sets_(self, told: Text, *, as_string: bool) -> None:
        """`a=1,b=2`; what the shell fills into a value is not known, and what it fills into a name may be any."""
        if told.known is None and "=" not in beginning(told):
            self.forgets(f"{told.shown()} may say it")
            return
        for pair in _PAIR.finditer(told.shown()):
            value = re.sub(r"\\(.)", r"\1", pair["value"])
            is_open = told.known is None and any(hole.shown in pair["value"] for hole in told.holes)
            is_open = is_open or "{{" in value  # Ansible or a pipeline fills it in
            place = self.place_of(pair["name"].strip())
            why = Unknown(f"{told.shown()} is filled in when the script runs")
            tree = Tree(why, place) if is_open else _typed(value, place, as_string=as_string)
            try:
                self.tree = lay_at(self.tree, steps(pair["name"].strip()), tree)
            except NotSetSyntax:
                continue


def _typed(value: str, place: Place, *, as_string: bool) -> Tree:
    """A value as Helm takes it: `{a,b}` is a list."""
    if not value.startswith("{"):
        return type_value(Tree(value, place), as_string=as_string)
    within = [each.strip() for each in value.strip("{}").split(",") if each.strip()]
    return Tree([type_value(Tree(each, place), as_string=as_string) for each in within], place)


def _json(value: str, place: Place) -> Tree | None:
    """A value in JSON, all of which stands where the command does."""
    import json

    try:
        return plant(json.loads(value), place)
    except (ValueError, RecursionError):
        return None


def _version(told: Text, place: Place) -> Tree:
    return Tree(told.known if told.known is not None else Unknown(told.doubt()), place)


def _operands(arguments: tuple[Text, ...]) -> Iterator[Text]:
    """Verb, release and chart; what stands behind them without a dash is a variable of the shell's."""
    rest = iter(arguments)
    for each in rest:
        begins = beginning(each)
        if not begins.startswith("-"):
            yield each
        elif begins in HELM_TAKES:
            next(rest, None)


def _tree_in_content(content: Content) -> Tree | None:
    """The script made it itself."""
    text = content.known
    try:
        return read(text, content.lines[0].place) if text is not None and content.lines else None
    except NotYaml:
        return None


def _lying(name: Text, beside: FilesBeside) -> Tree | None:
    path = _path_of(name, beside)
    documents = beside.documents(path) if path is not None else None
    return documents[0] if documents else None


def _path_of(told: Text, beside: FilesBeside) -> Path | None:
    """Beside the script, or as the repository's root has it."""
    name = told.known
    if name is None or "://" in name or not beside.is_there:
        return None
    paths = (beside.path(name), beside.in_the_repository(name.removeprefix("./")))
    return next((path for path in paths if path is not None and beside.documents(path)), None)
