"""`default_runtime`, a table of old, beside `default_runtime_name`: containerd 1.x takes the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nodeworthy.facts.boot.written_text import has_hole
from nodeworthy.facts.containerd.config import ConfigFile
from nodeworthy.facts.containerd.schema import possible_eras
from nodeworthy.known.containerd_schema import FIRST, OLD
from nodeworthy.rules.containerd_config_read.lost_keys import place_in
from nodeworthy.verdict import Draft, Severity, fail, unknown

_TABLE, _NAME = "default_runtime", "default_runtime_name"


def flaws_of_two_defaults(file: ConfigFile, version: str | None) -> Iterator[Draft]:
    if all(each.newest is not None for each in possible_eras(file, version)):
        # containerd 2 has no such table any more.
        return
    for name in (FIRST, OLD):
        table = file.sections.get(name, {}).get("containerd")
        if not isinstance(table, Mapping):
            continue
        own, named = table.get(_TABLE), table.get(_NAME)
        if isinstance(own, Mapping) and own.get("runtime_type") and isinstance(named, str) and named != "default":
            yield _not_known(file, name) if has_hole(named) else _passed_over(file, name, own, named)


def _not_known(file: ConfigFile, name: str) -> Draft:
    says = f"which runtime {_NAME} names is not known, and containerd 1.x passes over it for a table {_TABLE} beside it"
    return unknown(place_in(file, _NAME, name, ""), says)


def _passed_over(file: ConfigFile, name: str, own: Mapping[str, object], named: str) -> Draft:
    loses_gpus = "nvidia" in named and "nvidia" not in str(own)
    return fail(
        place_in(file, _NAME, name, ""),
        f"containerd 1.x passes over {_NAME}: a table {_TABLE} stands beside it",
        is_=f'{_NAME} = "{named}", and {_TABLE}.runtime_type = "{own["runtime_type"]}"',
        should=f"{_NAME} alone, in a file with `version = 2`",
        cause=f"the table is the older way (of files without a version, or version 1) and wins: pods that name no "
        f"RuntimeClass run by it, and what is written for the runtime {named} (as by NVIDIA's toolkit) is of no effect",
        remedy=f"take {_TABLE} out, give what it says to a runtime of its own under runtimes, and write the file as "
        f'version = 2 with [plugins."{OLD}"]; then restart containerd',
        severity=Severity.ERROR if loses_gpus else Severity.WARNING,
    )
