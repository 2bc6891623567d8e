"""The words of a finding in what its reader writes: rules about AWS speak of a program, and many write HCL instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from nodeworthy.known.aws_models import properties_of_all
from nodeworthy.known.tables import table_of
from nodeworthy.patterns import pattern

HCL, TEMPLATE = "hcl", "template"
EKSCTL, KARPENTER, CAPA = "eksctl", "karpenter", "capa"
CLIENT = "client"
_SCRIPTS = (".sh", ".bash")
_HCLS = (".tf", ".tofu", ".tf.json", ".tofu.json", ".tfvars", ".hcl")
_TEMPLATES = (".yaml", ".yml", ".json", ".template")
_PROGRAMS = "urn:"
# A program of Pulumi in YAML, whose words are the program's.
_PROGRAM = "Pulumi."
# Of a manifest, where its nodes say what they are.
_MANIFESTS = {
    EKSCTL: pattern(r"(?:managedN|n)odeGroups\["),
    CAPA: pattern(
        r"(?:items\[\d+\]\.)?(?:spec\.(?:template\.spec|awsLaunchTemplate)\."
        r"(?:instanceMetadataOptions|(?:r|nonR)ootVolume)|metadata\.annotations)"
    ),
    KARPENTER: pattern(r"(?:items\[\d+\]\.)?spec\.(?:metadataOptions|blockDeviceMappings|template\.spec)\b"),
}
_WORD = pattern(r"\b[a-z]+(?:[A-Z][a-z0-9]*)+\b")
_UPPER = pattern(r"(?=[A-Z])")
# A whole text that says one setting.
_SETTING = pattern(r"([a-z_]+): ([\w.:-]+)((?:,| or ).*)?")
_BARE = pattern(r"true|false|\d+")


def tongue_of(path: str | None, urn: str | None, subject: str | None = None) -> str:
    """Empty for a program."""
    if urn is not None and urn.startswith(_PROGRAMS):
        return ""
    if path is not None and path.endswith(_TEMPLATES) and urn is None and subject is not None:
        own = next((tongue for tongue, begins in _MANIFESTS.items() if begins.match(subject)), "")
        if own:
            return own
    if path is not None and path.rpartition("/")[2].startswith(_PROGRAM):
        return ""
    if path is not None and path.endswith(_HCLS):
        return HCL
    if path is not None and path.endswith(_SCRIPTS):
        return CLIENT
    if path is not None and path.endswith(_TEMPLATES):
        return HCL if urn is not None else TEMPLATE
    return ""


def in_tongue(text: str, tongue: str) -> str:
    if tongue in _MANIFESTS:
        return _in_a_manifests(text, tongue)
    for each in _rows_of_words():
        if each["program"] in text and HCL in each:
            return text.replace(each["program"], each.get(tongue, each["program"]).strip())
    named = _WORD.sub(lambda found: _name(found[0], tongue), text)
    said = _SETTING.fullmatch(named) if tongue == HCL else None
    if said is None:
        return named
    value = said[2] if _BARE.fullmatch(said[2]) else f'"{said[2]}"'
    return f"{said[1]} = {value}{said[3] or ''}"


def _in_a_manifests(text: str, tongue: str) -> str:
    """The text in a manifest's words; most names are the program's own."""
    known = (each for each in _rows_of_words() if tongue in each and each["program"] in text)
    return next((text.replace(each["program"], each[tongue]) for each in known), text)


def _name(word: str, tongue: str) -> str:
    """`httpTokens` is `http_tokens` in HCL, and `HttpTokens` in a template; a word of somebody else stays."""
    if word not in properties_of_all():
        return word
    return _UPPER.sub("_", word).lower() if tongue == HCL else f"{word[0].upper()}{word[1:]}"


@cache
def _rows_of_words() -> Sequence[Mapping[str, str]]:
    rows: Sequence[Mapping[str, str]] = table_of("tongues")["said"]
    return rows


def pieces() -> Iterator[str]:
    """What of the words of rules is told otherwise."""
    return (each["program"] for each in _rows_of_words())
