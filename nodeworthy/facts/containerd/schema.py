"""Whether the schema of a configuration fits the containerd that reads it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from nodeworthy.facts.containerd.config import ConfigFile, Role
from nodeworthy.known.containerd_schema import FIRST, KEPT, NEW, OLD, Era, era_of, eras, release_without
from nodeworthy.known.releases import numbers
from nodeworthy.records import replace
from nodeworthy.verdict import Draft, Verdict, fail

IGNORED = (
    "it starts without what stands in it and says only: Ignoring unknown key in TOML for plugin; "
    "see `containerd config dump`"
)
REFUSED = "containerd refuses the whole file and does not start: there is no runtime, and no node"

# They need say none: that of what they are laid over or added to is theirs.
_OF_A_VERSION = (Role.MERGED, Role.BEHIND_DEFAULT)


def schema_flaws(file: ConfigFile, version: str | None) -> Iterator[Draft]:
    """The flaws of a file's schema. Where the release is not known, the releases are named that would not read it."""
    possible = possible_eras(file, version)
    yield from _no_number(file)
    yield from _refused(file, possible, version)
    for name in file.sections:
        ignoring = [each for each in possible if _ignores(each, file, name)]
        if ignoring:
            yield _ignored(file, name, ignoring, possible, version)


def tls_flaws(file: ConfigFile, version: str | None) -> Iterator[Draft]:
    """TLS settings under registry.configs, which containerd 1.x read and containerd 2 ignores."""
    possible = possible_eras(file, version)
    if not all(each.forgot_tls for each in possible):
        return
    for name, section in file.sections.items():
        registry = section.get("registry")
        configs = registry.get("configs") if isinstance(registry, dict) else None
        rows = configs.items() if isinstance(configs, dict) else ()
        hosts = [host for host, row in rows if isinstance(row, dict) and row.get("tls")]
        if hosts:
            place = file.reading.line_of(*(f'configs."{host}".tls' for host in hosts), "tls")
            says = f"{f'containerd {version}' if version else 'containerd 2'} ignores the TLS settings of {name}"
            remedy = "say `ca`, `client` or `skip_verify` in HOST/hosts.toml under the folder that config_path names"
            yield fail(
                place, says, should="a hosts.toml", cause=IGNORED, is_=f"configs of {', '.join(hosts)}", remedy=remedy
            )


def possible_eras(file: ConfigFile, version: str | None) -> Sequence[Era]:
    """The eras of this release. Where none is known, version 3 in the file means a containerd that has it, and a plugin
    that went with containerd 2.0 means one that had it."""
    era = era_of(version) if version is not None else None
    if era is not None:
        return [era]
    if version is not None and (numbers(version) or eras()[0].since) < eras()[0].since:
        return eras()[:1]  # older than any that was asked: told as the oldest of them
    gone = next(filter(None, map(release_without, _plugins(file))), None)
    if gone is not None and not file.says_version:
        return [each for each in eras() if each.since < (numbers(gone) or ())]
    newest = 3 if file.role is Role.BEHIND_DEFAULT and any(name in NEW for name in file.sections) else file.version
    made_for = [each for each in eras() if (each.newest or 2) >= newest]
    return made_for or eras()[-1:]


def _plugins(file: ConfigFile) -> Iterable[str]:
    plugins = file.reading.mapping.get("plugins")
    return plugins if isinstance(plugins, dict) else ()


def _version_for(file: ConfigFile, era: Era) -> int:
    """A NodeConfig's part that says none has that of nodeadm's own, the default that of who prints it."""
    if file.role is Role.BEHIND_DEFAULT:
        return era.newest or 2
    if file.role is not Role.MERGED or file.says_version:
        return file.version
    return 2 if era.newest is None else 3


def _ignores(era: Era, file: ConfigFile, name: str) -> bool:
    version = _version_for(file, era)
    if era.newest is not None and name == OLD and set(file.sections[name]) <= KEPT:
        return False
    return not era.refuses(version) and era.ignores(name, version)


def _refused(file: ConfigFile, possible: Sequence[Era], version: str | None) -> Iterator[Draft]:
    refusing = [each for each in possible if each.refuses(file.version)]
    if refusing and len(refusing) == len(possible):
        newest = refusing[0].newest
        says = (
            f"containerd {version} takes no config of version {file.version}" if version else _eras_in_words(refusing)
        )
        yield fail(
            file.version_place,
            says,
            should=f"version = {newest}",
            cause=REFUSED,
            is_=f"version = {file.version}",
            remedy=f"write version = {newest}",
        )


def _no_number(file: ConfigFile) -> Iterator[Draft]:
    given = file.reading.mapping.get("version")
    if given is not None and not file.says_version:
        right = f"version = {str(given) if str(given).isdigit() else 2}"
        says = "the version of containerd's config is not a number"
        yield fail(
            file.version_place,
            says,
            should=right,
            cause=REFUSED,
            is_=file.reading.shown(repr(given)),
            remedy=f"write {right}",
        )


def _eras_in_words(refusing: Sequence[Era]) -> str:
    return f"{' and '.join(each.called for each in refusing)} refuse this version"


def _ignored(
    file: ConfigFile, name: str, ignoring: Sequence[Era], possible: Sequence[Era], version: str | None
) -> Draft:
    says_version = f"a config of version {file.version}" if file.version else "a config without a version line"
    if file.role is Role.MERGED and not file.version:
        says_version = "what nodeadm lays it over"
    if file.role is Role.BEHIND_DEFAULT:
        says_version = "what its `config default` prints"
    who = f"containerd {version}" if version else " and ".join(each.called for each in ignoring)
    ignores = "ignores" if version or len(ignoring) == 1 else "ignore"
    flaw = fail(
        file.section_place(name),
        f'{who} {ignores} [plugins."{name}"] in {says_version}',
        should=_right(name, ignoring[0], file),
        cause=IGNORED,
        is_=name,
        remedy=_remedy(name, ignoring[0], file),
    )
    if len(ignoring) < len(possible):
        message = f"{flaw.message}, and which containerd this is, nobody says"
        return replace(flaw, verdict=Verdict.UNKNOWN, message=message, is_=None, should=None)
    return flaw


def _right(name: str, era: Era, file: ConfigFile) -> str:
    if name == FIRST:
        return f"{OLD} in a config of version 2"
    if not file.version and file.role not in _OF_A_VERSION:
        return "version = 2 in its first line" if name == OLD else f"version = {era.newest or 2} in its first line"
    return " or ".join(NEW) if name == OLD else OLD


def _remedy(name: str, era: Era, file: ConfigFile) -> str:
    if name == FIRST:
        return f"name the section {OLD}, and write `version = 2` as the first line"
    if not file.version and file.role not in _OF_A_VERSION:
        first = _right(name, era, file).split(" in ")[0]
        both = f", and name the sections of [plugins.{FIRST}] as this one: with it they are ignored"
        return f"write `{first}` as the first line of the file{both if FIRST in file.sections else ''}"
    if name == OLD:
        migrated = ", or say version = 2, which is migrated" if file.role is not Role.BEHIND_DEFAULT else ""
        return f"name the sections {' and '.join(NEW)}{migrated}"
    return f"name the section {OLD}"
