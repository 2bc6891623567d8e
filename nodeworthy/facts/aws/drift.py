"""The inputs in which what runs differs from what its program says. What is not known on either side is no
difference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from nodeworthy.boot.unpack.packed_text import unpack_text
from nodeworthy.documents.tree import Tree, join
from nodeworthy.facts.aws.deployment import Deployment
from nodeworthy.facts.aws.script_changes import first_change
from nodeworthy.facts.aws.stack import AwsResource
from nodeworthy.known.aws_told import is_open, keys_of_list, referred_types, told_inputs, unless_said
from nodeworthy.known.secrets import HIDDEN
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_SCRIPT = "userData"
_INDEX = pattern(r"\[[^\]]*\]")
_NOTHING = "nothing"


@dataclass(frozen=True)
class Difference:
    path: str
    # Of the line that says how it should be.
    place: Place
    is_: str
    should: str


def differences(resource: AwsResource, live: AwsResource, deployment: Deployment) -> list[Difference]:
    """One for each input; of entries of a list that differ alike, one for all of them."""
    found: dict[tuple[str, str, str], Difference] = {}
    for each in _Comparison(resource, live, deployment).all():
        found.setdefault((_INDEX.sub("", each.path), each.is_, each.should), each)
    return list(found.values())


@dataclass(frozen=True)
class _Comparison:
    resource: AwsResource
    live: AwsResource
    deployment: Deployment

    def all(self) -> Iterator[Difference]:
        for name in told_inputs(self.resource.type):
            yield from self._of(name, self.resource.get(name), self.live.get(name))

    def _of(self, path: str, said: Tree, is_: Tree) -> Iterator[Difference]:
        name = _last(path)
        if said.says_nothing or is_.is_unknown or self._is_ignored(path):
            return
        if referred_types(name):
            yield from self._of_reference(path, said, is_)
        elif said.is_mapping:
            for child, tree in said.mapping.items():
                yield from self._of(join(path, child), tree, is_.get(child))
        elif said.is_sequence:
            yield from self._of_list(path, said, is_)
        elif not said.is_unknown:
            yield from self._of_value(path, said, is_)

    def _is_ignored(self, path: str) -> bool:
        """Whether the program ignores changes of it: of all `tags`, or of `tags.owner` alone."""
        plain = _INDEX.sub("", path)
        return any(plain == each or plain.startswith(f"{each}.") for each in map(_unindexed, self.resource.ignored))

    # What names another resource

    def _of_reference(self, path: str, said: Tree, is_: Tree) -> Iterator[Difference]:
        should = self._meant(path, said)
        if should is None:
            return
        found = {_value_in_words(each) for each in _leaves(is_)}
        if found != should:
            yield Difference(path, said.place, _listed(found), _listed(should))

    def _meant(self, path: str, said: Tree) -> set[str] | None:
        """The ids that it comes to; None where not all of them are known."""
        if all(each.text for each in _leaves(said)):
            return {str(each.text) for each in _leaves(said)}
        top = path.partition(".")[0].partition("[")[0]
        links = self.deployment.declared.links(self.resource, top, said, *referred_types(_last(path)))
        ids = [self.deployment.ids.get(each.urn) for each in links.found]
        is_one_of_many = not said.is_sequence and len(ids) != 1
        if links.open or is_one_of_many or len(ids) < len(_unsaid(said)):
            return None
        known = {each for each in ids if each is not None}
        return known | {str(each.text) for each in _leaves(said) if each.text} if len(known) == len(ids) else None

    # Lists

    def _of_list(self, path: str, said: Tree, is_: Tree) -> Iterator[Difference]:
        if not any(each.is_mapping for each in said.sequence):
            yield from _of_values(path, said, is_)
            return
        names = keys_of_list(_last(path))
        if not names and len(said.sequence) != len(is_.sequence):
            yield Difference(path, said.place, _counted(is_), _counted(said))
            return
        theirs = _by_key(is_, names)
        for key, tree in _by_key(said, names).items():
            where = f"{path}[{key}]"
            if key in theirs:
                yield from self._of(where, tree, theirs[key])
            elif "?" not in key:
                yield Difference(where, tree.place, _NOTHING, "an entry of its own")
        yield from _beside(path, said, theirs, names)

    # Values

    def _of_value(self, path: str, said: Tree, is_: Tree) -> Iterator[Difference]:
        if _last(path) == _SCRIPT:
            yield from _of_script(path, said, is_)
        elif not _same(said, is_, _last(path)):
            should = "(secret)" if said.secret else _value_in_words(said)
            is_said = "another one" if said.secret and not is_.is_absent else _value_in_words(is_)
            yield Difference(path, said.place, is_said, should)


def _beside(path: str, said: Tree, theirs: Mapping[str, Tree], names: Sequence[str]) -> Iterator[Difference]:
    """What AWS has that the program lacks."""
    ours = _by_key(said, names)
    if is_open(_last(path)) or any("?" in key for key in ours):
        return
    for key in theirs:
        if key not in ours:
            yield Difference(f"{path}[{key}]", said.place, "an entry of its own", _NOTHING)


def _of_values(path: str, said: Tree, is_: Tree) -> Iterator[Difference]:
    """The difference between two lists whose order does not matter, because AWS has its own."""
    if any(each.is_unknown for each in said.sequence):
        return
    should, found = (Counter(map(_value_in_words, each.sequence)) for each in (said, is_))
    if should != found:
        yield Difference(path, said.place, _listed(found), _listed(should))


def _of_script(path: str, said: Tree, is_: Tree) -> Iterator[Difference]:
    """Both in base64. Of a recording secrets were taken out, so that the two can't be the same."""
    old, new = unpack_text(is_.string), unpack_text(said.string)
    if said.text == is_.text or old is None or new is None or old == new or HIDDEN in old:
        return
    change = first_change(old, new)
    yield Difference(path, said.place, f"boot script: {change.is_}", change.should)


def _same(said: Tree, is_: Tree, name: str) -> bool:
    if is_.says_nothing:
        return said.value in (False, 0, "", "false") or _text(said.value) == _text(unless_said(name))
    if isinstance(is_.value, str) and HIDDEN in is_.value:
        return True
    return _text(said.value) == _text(is_.value)


def _text(value: object) -> str:
    """A value as text, as a provider takes it: "true" for true, "100" for 100."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def _by_key(tree: Tree, names: Sequence[str]) -> Mapping[str, Tree]:
    return {_key(each, names) if names else str(at): each for at, each in enumerate(tree.sequence)}


def _key(entry: Tree, names: Sequence[str]) -> str:
    told = (entry.get(each) for each in names)
    return " ".join("?" if each.is_unknown else "0" if each.is_absent else _text(each.value) for each in told)


def _leaves(tree: Tree) -> Sequence[Tree]:
    if tree.says_nothing:
        return ()
    return tree.sequence if tree.is_sequence else (tree,)


def _unsaid(tree: Tree) -> Sequence[Tree]:
    return [each for each in _leaves(tree) if not each.text]


def _last(path: str) -> str:
    return _INDEX.sub("", path).rsplit(".", 1)[-1]


def _unindexed(path: str) -> str:
    return _INDEX.sub("", path)


def _value_in_words(tree: Tree) -> str:
    if tree.says_nothing:
        return _NOTHING
    return _text(tree.value) if not tree.is_mapping and not tree.is_sequence else tree.kind()


def _listed(texts: Counter[str] | set[str]) -> str:
    return ", ".join(sorted(texts)) or _NOTHING


def _counted(tree: Tree) -> str:
    count = len(tree.sequence)
    return f"{count} {'entry' if count == 1 else 'entries'}"
