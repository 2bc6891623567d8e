"""zypper, rpm, pip, conda and others that install; amazon-linux-extras."""

from __future__ import annotations

from collections.abc import Callable

from nodeworthy.boot.commands.call import Call, Did, Handler, ask_node, run_on_node, split_options
from nodeworthy.boot.commands.installs import install_effects, removal_effects
from nodeworthy.boot.effects import AddsRepository, Installs
from nodeworthy.boot.text import Text

_ZYPPER_TAKES = frozenset("-r -t -R -c -p --repo --from --type --root --config --plus-repo --name".split())
_ZYPPER_INSTALLS = frozenset("install in update up dup dist-upgrade patch source-install inr".split())
_ZYPPER_ASKS = frozenset("search se info if repos lr list-updates lu packages pa what-provides wp".split())
_RPM_TAKES = frozenset("--root --dbpath --prefix --define -D --qf --queryformat -E --eval --excludepath".split())
_RPM_INSTALLS = ("-i", "-U", "-F", "--install", "--upgrade", "--freshen", "--reinstall")
_RPM_ASKS = ("-q", "-V", "-K", "-E", "--query", "--verify", "--eval", "--checksig", "--showrc", "--version")
_PIP_TAKES = frozenset(
    "-r -i -t -c -f --requirement --index-url --extra-index-url --target --constraint --prefix".split()
)


def zypper(call: Call) -> Did:
    arguments = split_options(call.arguments[1:], _ZYPPER_TAKES)
    verb, packages = (arguments.words[0], arguments.operands[1:]) if arguments.operands else ("", ())
    if verb in _ZYPPER_ASKS:
        return ask_node(call)
    if verb in {"addrepo", "ar"}:
        return Did([call.does(AddsRepository, repository=each) for each in packages[:1]])
    if verb in {"remove", "rm"}:
        return Did(removal_effects(call, "zypper", packages))
    only_looks = arguments.has("-d", "--download-only", "-D", "--dry-run")
    if verb not in _ZYPPER_INSTALLS or only_looks:
        return run_on_node(call)
    return Did(install_effects(call, "zypper", packages))


def rpm(call: Call) -> Did:
    arguments = split_options(call.arguments[1:], _RPM_TAKES)
    if arguments.has(*_RPM_ASKS):
        return ask_node(call)
    if arguments.has("--import"):
        return run_on_node(call)
    if arguments.has("-e", "--erase"):
        return Did(removal_effects(call, "rpm", arguments.operands))
    if not arguments.has(*_RPM_INSTALLS) or arguments.has("--test", "--root"):
        return run_on_node(call)
    return Did(install_effects(call, "rpm", arguments.operands, scripts=not arguments.has("--noscripts", "--justdb")))


def pip(call: Call) -> Did:
    """`pip install`, `uv pip install`."""
    arguments = split_options(call.arguments[2 if call.words[:1] == ("pip",) else 1 :], _PIP_TAKES)
    verb, packages = (arguments.words[0], arguments.operands[1:]) if arguments.operands else ("", ())
    if verb not in {"install", "uninstall", "sync", "add", "tool"}:
        return ask_node(call)
    lists = tuple(Text.of("-r ") + each for each in arguments.values("-r", "--requirement"))
    return Did([call.does(Installs, manager="pip", packages=(*packages, *lists), removes=verb == "uninstall")])


def _of_languages(manager: str, *verbs: str) -> Callable[[Call], Did]:
    """Managers whose packages have nothing to do with kernels."""

    def handler(call: Call) -> Did:
        arguments = split_options(call.arguments[1:], frozenset("-n -c -p --name --channel --prefix".split()))
        if not arguments.operands or arguments.words[0] not in verbs:
            return run_on_node(call)
        return Did([call.does(Installs, manager=manager, packages=arguments.operands[1:])])

    return handler


def pacman(call: Call) -> Did:
    arguments = split_options(call.arguments[1:])
    if arguments.has("-S", "-U"):
        return Did(install_effects(call, call.program, arguments.operands))
    if arguments.has("-R"):
        return Did(removal_effects(call, call.program, arguments.operands))
    return run_on_node(call)


def apk(call: Call) -> Did:
    arguments = split_options(call.arguments[1:], frozenset({"-X", "--repository", "-t", "--virtual"}))
    if not arguments.operands or arguments.words[0] not in {"add", "del"}:
        return run_on_node(call)
    does = install_effects if arguments.words[0] == "add" else removal_effects
    return Did(does(call, "apk", arguments.operands[1:]))


def amazon_linux_extras(call: Call) -> Did:
    operands = split_options(call.arguments[1:]).operands
    verb = operands[0].known if operands else ""
    if verb == "enable":
        return Did([call.does(AddsRepository, repository=each) for each in operands[1:]])
    if verb == "install":
        return Did(install_effects(call, "amazon-linux-extras", operands[1:]))
    return ask_node(call)


HANDLERS: dict[str, Handler] = {
    "zypper": zypper,
    "rpm": rpm,
    **dict.fromkeys(("pip", "pip3", "pipx", "uv"), pip),
    **{name: _of_languages("conda", "install", "create") for name in ("conda", "mamba", "micromamba")},
    "npm": _of_languages("npm", "install", "i", "ci"),
    "gem": _of_languages("gem", "install"),
    "go": _of_languages("go", "install"),
    "cargo": _of_languages("cargo", "install"),
    "pacman": pacman,
    "apk": apk,
    "amazon-linux-extras": amazon_linux_extras,
}
