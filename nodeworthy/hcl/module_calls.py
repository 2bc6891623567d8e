"""A call of a module: where what it calls lies."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from nodeworthy.hcl.source import Spot
from nodeworthy.hcl.syntax import Block, Literal
from nodeworthy.hcl.values import Hole
from nodeworthy.limits import HCL_MODULES_DEEP

if TYPE_CHECKING:
    from nodeworthy.hcl.root import Module, Root
    from nodeworthy.known.terraform_modules import KnownModule


def folder_called(module: Module, block: Block, spot: Spot) -> str | KnownModule | Hole:
    """Where the module lies that a block calls, or what is known of it where its files are not here."""
    said = block.body.settings.get("source")
    source = said.expression.value if said is not None and isinstance(said.expression, Literal) else None
    called = f"module.{block.labels[0]}"
    if not isinstance(source, str):
        return Hole(f"what {called} is made of is not known", spot, called)
    if module.depth >= HCL_MODULES_DEEP:
        return Hole(f"{called} lies too many modules deep", spot, called)
    if source.startswith(("./", "../")) or source in (".", ".."):
        if module.model is not None:
            return module.model.within(source)
        return _lying_here(module.root, os.path.normpath(os.path.join(module.folder, source)), called, spot)
    installed = module.root.installed.get(_key_in_manifest(f"{module.prefix}{called}"))
    if installed is None:
        return _not_installed(source, block, spot)
    return _lying_here(module.root, os.path.normpath(os.path.join(module.root.folder, installed)), called, spot)


def _not_installed(source: str, block: Block, spot: Spot) -> KnownModule | Hole:
    from nodeworthy.known.terraform_modules import known_module

    said = block.body.settings.get("version")
    version = said.expression.value if said is not None and isinstance(said.expression, Literal) else ""
    known = known_module(source, version if isinstance(version, str) else "")
    if known is not None:
        return known
    which = f" in version {version}" if version else ""
    return Hole(f"what the module {source} makes{which} is not known here", spot, f"module.{block.labels[0]}")


def _lying_here(root: Root, folder: str, called: str, spot: Spot) -> str | Hole:
    why = root.disk.why_not(folder)
    return Hole(f"{called} is not read: {why}", spot, called) if why else folder


def _key_in_manifest(address: str) -> str:
    """`module.a["x"].module.b` is `a.b` there."""
    parts = [each.partition("[")[0] for each in address.split(".") if each != "module"]
    return ".".join(parts)
