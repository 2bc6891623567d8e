"""dnf, yum and their smaller kin."""

from __future__ import annotations

from nodeworthy.boot.commands.call import Call, Did, Given, Handler, ask_node, run_on_node, split_options
from nodeworthy.boot.commands.installs import install_effects, removal_effects
from nodeworthy.boot.effects import AddsRepository
from nodeworthy.boot.text import Text

_TAKES = frozenset(
    "-c -d -e -x -R --config --setopt --enablerepo --disablerepo --repo --repoid --repofrompath --releasever "
    "--exclude --installroot --forcearch --downloaddir --destdir --debuglevel --errorlevel --rpmverbosity --color "
    "--comment --enableplugin --disableplugin --excludepkgs --randomwait --advisory --add-repo --save-filename".split()
)
_INSTALLS = frozenset(
    "install localinstall reinstall groupinstall install-n install-na install-nevra upgrade update localupdate "
    "upgrade-minimal update-minimal upgrade-to update-to downgrade distro-sync".split()
)
_REMOVES = frozenset("remove erase autoremove groupremove remove-n".split())
# Behind these another word says what is done.
_NOUNS = frozenset({"group", "groups", "module", "environment"})
_ASKS = frozenset(
    "list info search repolist repoinfo repoquery provides whatprovides check-update check-upgrade check deplist "
    "updateinfo grouplist needs-restarting help".split()
)
_ONLY_LOOKS = ("--downloadonly", "--assumeno", "--installroot")


def dnf(call: Call) -> Did:
    arguments = split_options(call.arguments[1:], _TAKES)
    verb, packages = _command_and_packages(arguments)
    if verb in _ASKS:
        return ask_node(call)
    if verb == "config-manager":
        return _config_manager(call, arguments)
    if verb == "copr":
        return Did([call.does(AddsRepository, repository=each) for each in packages[1:]])
    if arguments.has(*_ONLY_LOOKS):
        return run_on_node(call)
    if verb == "swap":
        return Did(
            [*removal_effects(call, call.program, packages[:1]), *install_effects(call, call.program, packages[1:])]
        )
    if verb in _REMOVES:
        return Did(removal_effects(call, call.program, packages))
    if verb in _INSTALLS:
        return Did(install_effects(call, call.program, packages, scripts=_run_scripts(arguments)))
    return run_on_node(call)


def _command_and_packages(arguments: Given) -> tuple[str, tuple[Text, ...]]:
    words = arguments.words
    if not words:
        return "", ()
    if words[0] in _NOUNS and len(words) > 1:
        return words[1], arguments.operands[2:]
    return words[0], arguments.operands[1:]


def _run_scripts(arguments: Given) -> bool:
    return not any(setting.known == "tsflags=noscripts" for setting in arguments.values("--setopt"))


def _config_manager(call: Call, arguments: Given) -> Did:
    """dnf 4 takes `--add-repo URL`, dnf 5 `addrepo --from-repofile=URL`."""
    added = [*arguments.values("--add-repo", "--from-repofile")]
    if not added:
        return run_on_node(call)
    return Did([call.does(AddsRepository, repository=each) for each in added])


def yum_config_manager(call: Call) -> Did:
    return _config_manager(call, split_options(call.arguments[1:], _TAKES))


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(("dnf", "yum", "dnf5", "dnf-3", "microdnf", "tdnf"), dnf),
    "yum-config-manager": yum_config_manager,
}
