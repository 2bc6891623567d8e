"""The user data of a template's machines, each line where it stands in the template."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nodeworthy.collect.aws.filled_in import script_of
from nodeworthy.collect.aws.user_data import USER_DATA, is_for_windows, scripts_of
from nodeworthy.facts.aws.stack import AwsResource
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.surroundings import Surroundings
from nodeworthy.hcl.values import Obj, Str, Value
from nodeworthy.records import replace


def reads_scripts(
    properties: Callable[[AwsResource], Value], around: Surroundings | None
) -> Callable[[AwsResource], Sequence[BootScript]]:
    def read(resource: AwsResource) -> Sequence[BootScript]:
        said = properties(resource)
        found: list[BootScript] = []
        for name, encoded in USER_DATA.get(resource.type, {}).items() if isinstance(said, Obj) else ():
            each = said.items.get(name) if isinstance(said, Obj) else None
            if each is None:
                continue
            if not isinstance(each, Str) or (encoded and each.packs is None):
                return [replace(each, of_an_object=True) for each in scripts_of(resource)]
            told, taken_off = (each, ()) if each.packs is None else (each.packs[1], ("base64",))
            if not is_for_windows(told.shown):
                found.append(script_of(told, around, taken_off))
        return found

    return read
