"""What Terragrunt adds to the functions of expressions: where a unit lies, and what lies above it."""

from __future__ import annotations

import os
from pathlib import Path

from nodeworthy.documents.files import tree_of
from nodeworthy.hcl.calling import Calling
from nodeworthy.hcl.disk import UNIT
from nodeworthy.hcl.terragrunt import NOT_ABOVE, unit_of
from nodeworthy.hcl.values import Hole, Value, Waits, text


def _folder(call: Calling) -> str:
    """That of the unit, also for what it includes."""
    return unit_of(call.scope, call.spot).root.folder


def _find_in_parent_folders(call: Calling, name: Value | None = None, instead: Value | None = None) -> Value:
    unit = unit_of(call.scope, call.spot)
    wanted = text(name) if name is not None else UNIT
    for above in Path(_folder(call)).parents:
        if not unit.root.disk.holds(os.fspath(above)):
            break
        if unit.exists(os.fspath(above / wanted), call.spot):
            return call.told(os.fspath(above / wanted))
    if instead is not None:
        return instead
    raise Waits(Hole(NOT_ABOVE, call.spot))


def _read_terragrunt_config(call: Calling, path: Value, instead: Value | None = None) -> Value:
    read = unit_of(call.scope, call.spot).read(text(path))
    if read is not None:
        return read.as_value(call.spot)
    if instead is not None:
        return instead
    raise Waits(Hole("it is not here", call.spot))


def _get_terragrunt_dir(call: Calling) -> Value:
    return call.told(_folder(call))


def _parent(call: Calling, label: Value | None) -> str:
    """Where what is included lies: of several what is named, else the first."""
    unit = unit_of(call.scope, call.spot)
    if unit.depth:
        return unit.folder
    wanted = text(label) if label is not None else None
    for called, each in unit.included:
        if wanted in (None, called):
            return each.folder
    return unit.folder


def _get_parent_terragrunt_dir(call: Calling, label: Value | None = None) -> Value:
    return call.told(_parent(call, label))


def _path_relative_to_include(call: Calling, label: Value | None = None) -> Value:
    return call.told(os.path.relpath(_folder(call), _parent(call, label)))


def _path_relative_from_include(call: Calling, label: Value | None = None) -> Value:
    return call.told(os.path.relpath(_parent(call, label), _folder(call)))


def _get_repo_root(call: Calling) -> Value:
    return call.told(tree_of(_folder(call)))


def _get_env(call: Calling, name: Value, instead: Value | None = None) -> Value:
    """What is meant where nobody sets it."""
    if instead is not None:
        return instead
    raise Waits(Hole(f"the environment's {text(name)} is not known", call.spot))


FUNCTIONS = {
    "find_in_parent_folders": _find_in_parent_folders,
    "read_terragrunt_config": _read_terragrunt_config,
    "get_terragrunt_dir": _get_terragrunt_dir,
    "get_original_terragrunt_dir": _get_terragrunt_dir,
    "get_parent_terragrunt_dir": _get_parent_terragrunt_dir,
    "path_relative_to_include": _path_relative_to_include,
    "path_relative_from_include": _path_relative_from_include,
    "get_repo_root": _get_repo_root,
    "get_env": _get_env,
}
