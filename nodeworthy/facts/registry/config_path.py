"""Where a boot lets containerd look for hosts.toml: `config_path`, as the image and the steps of a script leave it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from nodeworthy.boot.conditions import Guard, always, together
from nodeworthy.boot.effects import Effect, How, Stage, Writes
from nodeworthy.facts.boot.written_text import Reading, content_of, has_hole, toml_in, toml_of
from nodeworthy.known.containerd import Containerd, drop_in_folder, registries
from nodeworthy.known.containerd_schema import SECTIONS, prints_single_quotes
from nodeworthy.known.releases import numbers
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Place

# One substitution of sed: what it looks for.

_COMMAND = pattern(r"(?:^|[\s;{}/,0-9$!])s(?P<delimiter>[^\w\s\\])")
# In sed's basic expressions these mean themselves, and with a backslash what they mean elsewhere.
_SWAPPED = "(){}+?|"


@dataclass(frozen=True)
class Substitution:
    pattern: str
    replacement: str

    @staticmethod
    def in_expression(text: str) -> Substitution | None:
        """The first `s/…/…/` of an expression."""
        found = _COMMAND.search(text)
        if found is None:
            return None
        parts = re.split(rf"(?<!\\){re.escape(found['delimiter'])}", text[found.end() :])
        return Substitution(parts[0], parts[1]) if len(parts) > 1 else None

    def fits(self, line: str) -> bool:
        """Whether it finds something in this line, read as a basic or as an extended expression."""
        return any(_finds(pattern, line) for pattern in (_extended(self.pattern), self.pattern))


def _extended(basic: str) -> str:
    """A basic expression as an extended one."""
    turned, index = "", 0
    while index < len(basic):
        two = basic[index : index + 2]
        if len(two) == 2 and two[0] == "\\":
            turned += two[1] if two[1] in _SWAPPED else two
            index += 2
            continue
        turned += f"\\{basic[index]}" if basic[index] in _SWAPPED else basic[index]
        index += 1
    return turned


def _finds(pattern: str, line: str) -> bool:
    posix = pattern.replace("[[:space:]]", r"\s").replace("[[:blank:]]", r"[ \t]")
    try:
        return re.search(posix, line) is not None
    except re.error:
        return pattern in line


KEY = "config_path"
_SET = pattern(rf"{KEY}\s*=\s*\\?[\"']?(?P<path>/[^\"'\\\s#|,]*)")


@dataclass(frozen=True)
class ConfigPath:
    # None: not known, and `why` says so.
    folders: tuple[str, ...] | None
    why: str
    # The step that decided it; None where the image or containerd itself did.
    step: Writes | None = None
    # The root file is what `containerd config default` prints.
    is_default: bool = False

    def names(self, folder: str) -> bool:
        return folder in (self.folders or ())

    @property
    def place(self) -> Place | None:
        return self.step.place if self.step is not None else None


def config_path(effects: Sequence[Effect], runtime: Containerd, version: str | None, when: Guard = ()) -> ConfigPath:
    """The setting behind these effects, in those runs in which `when` holds."""
    now = _at_first(runtime, version)
    if runtime.written_by == "nodeadm":
        return _merged(effects, runtime, now)
    setting: list[Guard] = []
    for each in effects:
        if not isinstance(each, Writes) or not together(each.conditions, when) or not _is_config(each, runtime):
            continue
        then = _behind(each, now, version, is_root=not is_drop_in(each, runtime))
        if then is now:
            continue
        setting = [*setting, each.conditions] if then.folders else [each.conditions]
        now = then if always(setting, when) is not False else _only_sometimes(then, now)
    return now


def _merged(effects: Sequence[Effect], runtime: Containerd, now: ConfigPath) -> ConfigPath:
    """What a NodeConfig says of containerd, nodeadm merges over its own."""
    for each in effects:
        if not isinstance(each, Writes) or each.stage is not Stage.NODEADM_RUN or each.content is None:
            continue
        if each.path.known not in configs(runtime):
            continue
        reading = toml_in(each.content, each.place, "the NodeConfig")
        for registry in registry_tables(reading.mapping):
            value = registry.get(KEY)
            if isinstance(value, str) and value:
                step = replace(each, place=reading.line_of(KEY))
                folders = None if has_hole(value) else tuple(value.split(":"))
                now = ConfigPath(folders, f"the {KEY} of the NodeConfig counts", step)
    return now


def _at_first(runtime: Containerd, version: str | None) -> ConfigPath:
    if runtime.registry_hosts:
        return ConfigPath(runtime.registry_hosts, f"{runtime.distribution} sets it")
    return _of_containerd_itself(version)


def _of_containerd_itself(version: str | None) -> ConfigPath:
    known = registries()
    asked, since = numbers(version or ""), numbers(known.hosts_since)
    if asked is None or since is None:
        why = f"containerd looks there by itself from {known.hosts_since} on, and nobody says which containerd this is"
        return ConfigPath(None, why)
    if asked >= since:
        return ConfigPath(known.hosts, f"containerd {version} looks there by itself")
    return ConfigPath((), f"containerd {version} looks nowhere until {KEY} is set")


def _only_sometimes(then: ConfigPath, before: ConfigPath) -> ConfigPath:
    if then.folders and not before.folders:
        return replace(then, folders=(), why=f"{KEY} is set only under a condition")
    return then if then.folders is None else before


def configs(runtime: Containerd) -> tuple[str, ...]:
    """The root files: what containerd reads, and what that is copied from."""
    return tuple(each for each in (runtime.config, runtime.written_from, *runtime.templates) if each)


def is_drop_in(write: Writes, runtime: Containerd) -> bool:
    folder, name = posixpath.split(write.path.shown())
    return folder in (drop_in_folder(), *runtime.drop_ins) and name.endswith(".toml")


def _is_config(write: Writes, runtime: Containerd) -> bool:
    return write.path.known in configs(runtime) or is_drop_in(write, runtime)


def _behind(write: Writes, now: ConfigPath, version: str | None, *, is_root: bool) -> ConfigPath:
    """What one step makes of it; the same object where it does not touch it."""
    if write.how is How.DELETE:
        return _of_containerd_itself(version) if is_root else now
    if write.how is How.LINK:
        return ConfigPath(None, f"what stands where {write.path.shown()} leads is not known", write)
    if is_root and is_default_config(write):
        return replace(_of_containerd_itself(version), is_default=True)
    content = content_of(write)
    reading = toml_of(write) if content is not None else None
    if write.how is How.EDIT and (reading is None or reading.unknown):
        return _edited(write, now, version)
    if reading is not None:
        return _config_path_after(write, reading, now, version, is_root=is_root)
    if write.how is How.APPEND:
        return _set_in_text(write, now)
    return ConfigPath(None, f"what {write.command or 'this step'} writes could not be read", write) if is_root else now


def is_default_config(write: Writes) -> bool:
    return write.how is How.WRITE and "config default" in f"{write.command} {write.printed_by}"


def _config_path_after(
    write: Writes, reading: Reading, now: ConfigPath, version: str | None, *, is_root: bool
) -> ConfigPath:
    if reading.fault:
        return ConfigPath(None, "containerd's config is not TOML, which containerd-config-read says", write)
    if reading.unknown:
        found = _set_in_text(write, now)
        return found if found is not now else ConfigPath(None, reading.unknown, write)
    for registry in registry_tables(reading.mapping):
        value = registry.get(KEY)
        if isinstance(value, str) and has_hole(value):
            return ConfigPath(None, f"what {KEY} is set to could not be read", write)
        if isinstance(value, str) and value:
            return ConfigPath(tuple(value.split(":")), f"{KEY} is set", write)
    if not is_root:
        return now
    itself = _of_containerd_itself(version)
    return replace(itself, step=write)


def registry_tables(config: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """`registry` of every SECTIONS section, whatever its name."""
    plugins = config.get("plugins")
    for name, section in plugins.items() if isinstance(plugins, Mapping) else ():
        registry = section.get("registry") if name in SECTIONS and isinstance(section, Mapping) else None
        if isinstance(registry, Mapping):
            yield registry


def _set_in_text(write: Writes, now: ConfigPath) -> ConfigPath:
    content = write.content
    for line in content.lines if content is not None else ():
        found = _SET.search(line.text.shown())
        if found and not line.text.shown().lstrip().startswith("#"):
            return ConfigPath(tuple(found["path"].split(":")), f"{KEY} is set", write)
    return now


def _edited(write: Writes, now: ConfigPath, version: str | None) -> ConfigPath:
    for each in write.expressions:
        found = _SET.search(each.shown())
        if found is None:
            continue
        substitution = Substitution.in_expression(each.shown())
        misses = substitution is not None and now.is_default and _misses(substitution, version)
        if misses is None:
            why = f"whether sed finds {KEY} there depends on the release of containerd, which is not known"
            return ConfigPath(None, why, write)
        if misses:
            return replace(now, why="sed finds no such line: containerd 2 prints its empty strings as ''", step=write)
        return ConfigPath(tuple(found["path"].split(":")), f"{KEY} is set", write)
    return now


def _misses(substitution: Substitution, version: str | None) -> bool | None:
    """Whether sed looks for a line that `containerd config default` does not print."""
    fits = {quote: substitution.fits(f"      {KEY} = {quote}{quote}") for quote in "\"'"}
    if len(set(fits.values())) == 1:
        return not fits["'"]
    single = prints_single_quotes(version)
    return None if single is None else not fits["'" if single else '"']
