"""Installers in one file: NVIDIA's driver and CUDA as `.run`, and a few scripts that install beside them."""

from __future__ import annotations

from nodeworthy.boot.commands.call import Call, Did, Given, Handler, beginning, split_options
from nodeworthy.boot.commands.names import ending, last_part
from nodeworthy.boot.effects import Installs, LoadsModule, Runs
from nodeworthy.boot.text import Text

BECAUSE = "the driver's installer loads the module to see whether it works"
_NO_MODULE = ("--no-kernel-modules", "--no-kernel-module")
_ONLY_LOOKS = (
    "-x --extract-only -A --advanced-options -h --help -v --version -i --driver-info --info --check --list "
    "--print-recommended-kernel-module-type --sanity --add-this-kernel"
).split()
_CUDA_PARTS = ("--toolkit", "--samples", "--kernelobjects", "--override", "--demo")
_FABRIC = ("fabric",)


def is_runfile(program: Text) -> bool:
    return ending(program).endswith(".run")


def runfile(call: Call) -> Did:
    name = last_part(call.arguments[0])
    begins = beginning(name).lower()
    arguments = split_options(call.arguments[1:], clusters=False)
    extracts = any(option.startswith("--extract") for option, _ in arguments.options)
    if extracts or arguments.has(*_ONLY_LOOKS):
        return Did([call.does(Runs, arguments=call.arguments)])
    removes = arguments.has("--uninstall")
    installs = call.does(Installs, manager=".run", packages=(name,), removes=removes)
    if removes or not _brings_module(begins, arguments):
        return Did([installs])
    return Did([installs, call.does(LoadsModule, module="nvidia", because=BECAUSE)])


def _brings_module(begins: str, arguments: Given) -> bool:
    if begins.startswith("cuda"):
        return arguments.has("--driver") or not arguments.has(*_CUDA_PARTS)
    if any(part in begins for part in _FABRIC):
        return False
    # A name that is a hole as a whole may be the driver's as well as any other's.
    return (begins.startswith("nvidia") or not begins) and not arguments.has(*_NO_MODULE)


def installer(call: Call) -> Did:
    """`efa_installer.sh -y`: its name says what it installs."""
    return Did([call.does(Installs, manager=call.program, packages=(Text.of(call.program.split("_")[0]),))])


HANDLERS: dict[str, Handler] = {
    "nvidia-installer": runfile,
    **dict.fromkeys(("efa_installer.sh", "mlnxofedinstall"), installer),
}
