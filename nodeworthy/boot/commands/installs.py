"""What an installation does beside installing: a driver's package loads the kernel module."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from nodeworthy.boot.commands.call import Call, beginning
from nodeworthy.boot.commands.names import last_part
from nodeworthy.boot.effects import Effect, Gap, Installs, LoadsModule, NotUnderstood
from nodeworthy.boot.text import Text
from nodeworthy.known.drivers import PackageKind, may_be_driver, package_kind

_FILES = (".rpm", ".deb", ".snap")
_ARCHITECTURES = frozenset({"amd64", "arm64", "i386", "any", "all", "native"})


def install_effects(call: Call, manager: str, packages: Sequence[Text], *, scripts: bool = True) -> list[Effect]:
    """`scripts`: whether the packages' own scripts run; they are what loads a module."""
    effects: list[Effect] = [call.does(Installs, manager=manager, packages=tuple(packages))]
    return [*effects, *module_loads(call, packages)] if scripts else effects


def removal_effects(call: Call, manager: str, packages: Sequence[Text]) -> list[Effect]:
    return [call.does(Installs, manager=manager, packages=tuple(packages), removes=True)]


def module_loads(call: Call, packages: Iterable[Text]) -> Iterator[Effect]:
    unsure: list[Text] = []
    for package in packages:
        kind = kind_of(package)
        if kind is PackageKind.DRIVER:
            yield call.does(LoadsModule, module="nvidia", because=because(package))
            return
        if kind is None:
            unsure.append(package)
    if unsure:
        shown = " ".join(package.shown() for package in unsure)
        hidden = next((package.unsaid() for package in unsure if package.holes), "")
        says = f"among the packages is {hidden}" if hidden else "what is installed is a pattern of names"
        yield call.does(
            NotUnderstood, written=shown, may_be="an nvidia driver, or any other package", why=says, kind=Gap.PACKAGES
        )


def because(package: Text) -> str:
    """Why an install loads the module: of ten packages only one does, and not everybody knows that `cuda` does."""
    return f"the driver's package {package.shown()} loads it when it is installed"


def kind_of(package: Text) -> PackageKind | str | None:
    """What a package is to the driver: empty for every other package, None where its name leaves that open."""
    name, is_whole = _name(package)
    if is_whole:
        return package_kind(name) or ""
    # What is not known behind a name that is one is its version.
    return package_kind(f"{name}1") or package_kind(name) or (None if may_be_driver(name) else "")


def _name(package: Text) -> tuple[str, bool]:
    """The name without folder, version and architecture, and whether all of it is known."""
    file = last_part(package) if _is_file(package) else package
    begins = beginning(file).removeprefix("@")
    whole = file.known is not None
    for separator in ("=", "/", "*", "?"):
        before, found, _ = begins.partition(separator)
        if found:
            begins, whole = before, separator in "=/"
    name, colon, architecture = begins.partition(":")
    if colon and architecture in _ARCHITECTURES:
        begins = name
    return begins, whole


def _is_file(package: Text) -> bool:
    begins = beginning(package)
    last = package.pieces[-1] if package.pieces else ""
    return begins[:1] in {"/", "."} or "://" in begins or (isinstance(last, str) and last.endswith(_FILES))
