"""A file as it stands there, whatever it is: what anybody may read who may read the repository."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from nodeworthy.documents.tree import Tree
from nodeworthy.known.secret_names import is_well_known, keys_below
from nodeworthy.known.secrets import Secret, forms, spans
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# What stands in a comment: an example, or what somebody switched off. Nothing reads it, and no password is one there.
#
# What has a form of its own (a private key, `ghp_…`) is real wherever it stands.

# `slurmdbd.conf.example`, `values.sample.yaml`: to be copied, and filled in.
_SAMPLE = pattern(r"(?i).*\.(?:example|sample|dist)(?:\.\w{1,8})?")
# What tests of units are fed with opens nothing; other tests run clusters that somebody may reach.
_OF_TESTS = pattern(r"(?:.*/)?(?:testdata|fixtures|molecule|tests?/unit|unit[_-]?tests?)/.*")

_OFTEN_A_SAMPLE = "a JSON web token"
# A line is looked at no further back.
_LONGEST = 2000


def secrets_in(text: str) -> Iterator[Secret]:
    """Every secret of a text that something may read."""
    for each in spans(text):
        is_other = is_commented(text, each.start) or _names_a_key(text, each.start) or _is_fetched(text, each)
        is_other = is_other or _is_everybodys(text, each)
        if each.what in forms() or not is_other:
            yield each


def secrets_by_form(text: str) -> Iterator[Secret]:
    """The secrets that are real wherever they stand, by the form that their maker gave them. JSON web tokens are left
    out: programs show samples of them."""
    return (each for each in secrets_in(text) if each.what in forms() and each.what != _OFTEN_A_SAMPLE)


def _names_a_key(text: str, at: int) -> bool:
    """Whether the name stands below a key of YAML that names keys of a Secret: `existingSecretKeys: {password:
    db-password}`."""
    *above, own = text[max(0, at - _LONGEST) : at].split("\n")
    path, column = "", _indent(own)
    for line in reversed(above[1:] if at > _LONGEST else above):
        if line.strip() and _indent(line) < column:
            # `secret:` and `keys:` below it say it together.
            path, column = line.strip().rstrip(":").strip("\"'- ").lower() + path, _indent(line)
            if path != "keys":
                return path.endswith(keys_below())
    return False


# What stands beside a name that is no secret: an ExternalSecret says where it is fetched, a reference which key of a
# Secret is meant.
_BESIDE = {"secretKey": ("remoteRef:", "sourceRef:"), "secret": ("key:",)}


def _is_fetched(text: str, each: Secret) -> bool:
    """`- secretKey: privateKey` with its `remoteRef`, as charts write ExternalSecrets into their values; `secret: NAME`
    with its `key`, which are those of a Secret."""
    wanted = _BESIDE.get(each.name)
    return wanted is not None and any(line.startswith(wanted) for line in _siblings(text, each.start))


# What an event carries that is sent to who counts them, beside the key of a project, which every page shows: PostHog's.
_OF_AN_EVENT = ("distinct_id", "distinctId")
_NEAR = 200


def _is_everybodys(text: str, each: Secret) -> bool:
    around = text[max(0, each.start - _NEAR) : each.end + _NEAR]
    return each.name.lower() in ("api_key", "apikey") and any(name in around for name in _OF_AN_EVENT)


def _siblings(text: str, at: int) -> Iterator[str]:
    """The other lines of the mapping in which a value stands."""
    *above, own = text[max(0, at - _LONGEST) : at].split("\n")
    column = _column(own)
    if not own.lstrip(" ").startswith("-"):
        for line in reversed(above):
            if line.strip() and _column(line) < column:
                break
            if line.strip() and _column(line) == column:
                yield line[column:]
                if line.lstrip(" ").startswith("-"):
                    break
    for line in text[at : at + _LONGEST].split("\n")[1:]:
        if line.strip() and _indent(line) < column:
            break
        if _indent(line) == column:
            yield line[column:]


def _column(line: str) -> int:
    """Where its key begins, behind the dash of an entry."""
    return len(line) - len(line.lstrip(" -"))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def is_commented(text: str, at: int) -> bool:
    """Whether it is in a comment of shell, YAML, TOML or whatever begins comments with `#`."""
    line = text[max(text.rfind("\n", max(0, at - _LONGEST), at) + 1, at - _LONGEST, 0) : at]
    quote = ""
    for index, char in enumerate(line):
        if quote:
            quote = "" if char == quote and line[index - 1] != "\\" else quote
        elif char in "\"'":
            quote = char
        elif char == "#" and (index == 0 or line[index - 1] in " \t"):
            return True
    return False


# What mends a secret in a manifest that is a Secret itself, and in a job that is handed to a cluster.
ENCRYPTED = (
    "keep it encrypted (a SealedSecret, SOPS), or let an ExternalSecret fetch it from a store; "
    "then change it, for it has been seen"
)
IN_A_STACK = (
    "keep it encrypted in this file: pulumi config set --secret KEY, with this key; "
    "then change it, for it has been seen"
)
IN_A_TEMPLATE = (
    "keep it in Secrets Manager, and let what needs it fetch it when it runs; then change it, for it has been seen"
)
IN_COMPOSE = (
    "keep it in a file that is not committed and name it here (env_file:, ${NAME}, or secrets: with file:); "
    "then change it, for it has been seen"
)
IN_A_JOB = (
    "keep it in a file that only its owner may read (chmod 600) and read it there: NAME=$(< ~/.config/…); "
    "then change it, for it has been seen"
)


A_MAKEFILE = "a makefile"
# What make makes, and behind it what that needs: `argocd-password: kube`.
_TARGET = pattern(r"[\w./%-]{1,200}[ \t]{0,8}:[ \t]{0,8}\Z")


def _is_a_target(text: str, at: int) -> bool:
    line = text.rfind("\n", max(0, at - _LONGEST), at) + 1
    return _TARGET.match(text[line:at]) is not None


@dataclass(frozen=True, eq=False)
class PlainText:
    called: ClassVar[str] = "a file"

    place: Place
    text: str
    # What it is, in a reader's words: "Helm values", "stack config".
    what: str
    # What to do about a secret in it, where that is not what mends a manifest.
    remedy: str = ""
    # Whether it holds what a chart gives where its user gives nothing.
    is_of_a_chart: bool = False
    # Whether it is installed as it stands, so that nobody comes by to fill in what is to be changed.
    is_applied: bool = False
    # Whether it starts services on a machine of one's own, with passwords that everybody knows.
    is_for_oneself: bool = False
    # Whether it has to do with no cluster, so that only what has a form of its own is one.
    is_of_others: bool = False
    # Whether it is there for tests of units.
    is_of_tests: bool = False

    def at(self, line: int, column: int) -> Place:
        return Place(self.place.path, line, column)

    @property
    def secrets(self) -> list[Secret]:
        """The secrets in it. Of a sample, only those that are real wherever they stand."""
        if self.is_of_others:
            return list(secrets_by_form(self.text))
        found = [each for each in secrets_in(self.text) if not self._is_harmless(each)]
        is_sample = self.is_of_tests or _SAMPLE.fullmatch(self.place.file) is not None
        return [each for each in found if each.what in forms()] if is_sample else found

    def _is_harmless(self, each: Secret) -> bool:
        if self.is_for_oneself and (is_well_known(self.text[each.start : each.end]) or self._is_its_user(each)):
            return True
        return self.what == A_MAKEFILE and _is_a_target(self.text, each.start)

    def _is_its_user(self, each: Secret) -> bool:
        """`postgresql://app:app@db`."""
        return self.text[: each.start].endswith(f"//{self.text[each.start : each.end]}:")


def is_for_tests(path: str) -> bool:
    return _OF_TESTS.fullmatch(path) is not None


HIDES_OR_DESCRIBES = (
    *("SealedSecret", "ExternalSecret", "ClusterExternalSecret", "PushSecret", "SecretProviderClass"),
    "CustomResourceDefinition",
)


def what_is_in_plain_words(text: str, documents: Sequence[Tree]) -> str:
    """The text with blank lines for the documents that are encrypted (a SealedSecret, SOPS), where what is called a
    password is none that anybody could read, and for those that only describe what others hold."""
    if "sops:" not in text and not any(kind in text for kind in HIDES_OR_DESCRIBES):
        return text
    lines = text.split("\n")
    begins = [each.place.line or 1 for each in documents]
    for each, begin, end in zip(documents, begins, [*begins[1:], len(lines) + 1], strict=True):
        if each.get("kind").text in HIDES_OR_DESCRIBES or each.get("sops").is_mapping:
            lines[begin - 1 : end - 1] = [""] * (end - begin)
    return "\n".join(lines)


def scalars(tree: Tree, name: str = "") -> Iterator[tuple[str, Tree]]:
    """Every text in a tree, with the name of what holds it: its key, or the `name` that stands beside its `value`."""
    if tree.text is not None:
        yield name, tree
    for index, child in enumerate(tree.sequence):
        yield from scalars(child, name if child.text is not None else str(index))
    beside = tree.get("name").text if tree.is_mapping else None
    for key, child in tree.mapping.items():
        yield from scalars(child, beside if key == "value" and beside else key)
