"""apt, apt-get and dpkg, and what picks drivers on Ubuntu."""

from __future__ import annotations

from nodeworthy.boot.commands.call import Call, Did, Handler, ask_node, run_on_node, split_options
from nodeworthy.boot.commands.installs import because, install_effects, removal_effects
from nodeworthy.boot.effects import AddsRepository, Installs, LoadsModule
from nodeworthy.boot.text import Hole, Text

_TAKES = frozenset("-o -t -c -a --option --target-release --default-release --config-file --host-architecture".split())
_INSTALLS = frozenset("install reinstall upgrade full-upgrade dist-upgrade safe-upgrade satisfy build-dep".split())
_REMOVES = frozenset("remove purge autoremove autopurge".split())
_ASKS = frozenset("list show search policy showpkg madison depends rdepends help".split())
_ONLY_LOOKS = (
    "-d",
    "--download-only",
    "-s",
    "--simulate",
    "--dry-run",
    "--just-print",
    "--no-act",
    "--recon",
    "--print-uris",
)

_DPKG_INSTALLS = ("-i", "--install")
_DPKG_REMOVES = ("-r", "-P", "--remove", "--purge")
_DPKG_ASKS = (
    "-l",
    "-s",
    "-L",
    "-S",
    "-p",
    "--list",
    "--status",
    "--get-selections",
    "--print-architecture",
    "--listfiles",
)


def apt(call: Call) -> Did:
    arguments = split_options(call.arguments[1:], _TAKES)
    verb, packages = (arguments.words[0], arguments.operands[1:]) if arguments.operands else ("", ())
    if verb in _ASKS:
        return ask_node(call)
    if arguments.has(*_ONLY_LOOKS):
        return run_on_node(call)
    if verb in _REMOVES:
        return Did(removal_effects(call, call.program, packages))
    if verb not in _INSTALLS:
        return run_on_node(call)
    # `package-` in an installation removes it.
    gone = [package for package in packages if package.string.endswith("-")]
    kept = [package for package in packages if package not in gone]
    return Did(
        [*install_effects(call, call.program, kept), *(removal_effects(call, call.program, gone) if gone else ())]
    )


def dpkg(call: Call) -> Did:
    arguments = split_options(call.arguments[1:])
    if arguments.has(*_DPKG_ASKS):
        return ask_node(call)
    if arguments.has("--unpack"):
        return Did(install_effects(call, "dpkg", arguments.operands, scripts=False))
    if arguments.has(*_DPKG_INSTALLS):
        return Did(install_effects(call, "dpkg", arguments.operands))
    if arguments.has(*_DPKG_REMOVES):
        return Did(removal_effects(call, "dpkg", arguments.operands))
    return run_on_node(call)


def ubuntu_drivers(call: Call) -> Did:
    """Installs the driver that fits, unless it is told one."""
    arguments = split_options(call.arguments[1:], frozenset({"--package-list"}))
    if not arguments.operands or arguments.words[0] not in {"install", "autoinstall"}:
        return ask_node(call)
    picked = (Text.of("nvidia-driver-", Hole("…", "ubuntu-drivers picks the version that fits")),)
    packages = arguments.operands[1:] or picked
    return Did(
        [
            call.does(Installs, manager="ubuntu-drivers", packages=packages),
            call.does(LoadsModule, module="nvidia", because=because(packages[0])),
        ]
    )


def add_apt_repository(call: Call) -> Did:
    arguments = split_options(call.arguments[1:], frozenset({"-P", "-U", "-p", "--ppa", "--uri", "--pocket"}))
    added = [*arguments.operands, *arguments.values("-P", "-U", "--ppa", "--uri")]
    if arguments.has("-r", "--remove"):
        return run_on_node(call)
    return Did([call.does(AddsRepository, repository=each) for each in added])


def looks(call: Call) -> Did:
    return ask_node(call)


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(("apt", "apt-get", "aptitude", "nala"), apt),
    **dict.fromkeys(("apt-cache", "dpkg-query", "apt-config"), looks),
    "dpkg": dpkg,
    "gdebi": lambda call: Did(install_effects(call, "gdebi", split_options(call.arguments[1:]).operands)),
    "ubuntu-drivers": ubuntu_drivers,
    **dict.fromkeys(("add-apt-repository", "apt-add-repository"), add_apt_repository),
}
