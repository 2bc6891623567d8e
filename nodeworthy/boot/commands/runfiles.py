"""Installers in one file: NVIDIA's driver and CUDA as `.run`, and a few scripts that install beside them."""

from __future__ import annotations

from nodeworthy.boot.commands.call import Call, Did, Given, Handler, beginning, run_on_node, split_options
from nodeworthy.boot.commands.names import ending, last_part
from nodeworthy.boot.effects import Installs, LoadsModule
from nodeworthy.boot.text import Text

BECAUSE = "the driver's installer loads the module to see whether it works"
_NO_MODULE = ("--no-kernel-modules", "--no-kernel-module")
_ONLY_LOOKS = (
    "-x --extract-only -A --advanced-options -h --help -v --version -i --driver-info --info --check --list "
    "--print-recommended-kernel-module-type --sanity --add-this-kernel"
).split()
# `--override` is no part of it: it leaves out what CUDA's installer checks beforehand.
_CUDA_PARTS = ("--toolkit", "--samples", "--kernelobjects", "--demo")
_DRIVER_PART = "--driver"
# `--tar mxvf`: what makeself's own head understands.
_EXTRACTS_TOO = "--tar"
_FABRIC = ("fabric",)


# No other program has these together: by them a file is known whose name nobody knows here.
_CUDAS_OWN = frozenset((_DRIVER_PART, "--toolkit"))
_DRIVERS_OWN = frozenset(("--dkms", "--no-x-check", "--no-nouveau-check", "--no-opengl-files", "--no-drm"))
# NVIDIA's installer alone has these, whatever its file is called.
_DRIVERS_ALONE = (
    "--module-signing-",
    "--no-nouveau-check",
    "--disable-nouveau",
    "--no-kernel-module",
    "--kernel-module-type",
    "--kernel-source-path",
    "--no-nvidia-modprobe",
)
# `NVIDIA-….run`, and CUDA 9's `cuda_9.0.176_384.81_linux-run`.
_ENDINGS = (".run", "_linux-run")
_SILENTLY = frozenset(("-s", "-a", "-z", "-q", "--silent", "--accept-license", "--ui=none"))


def is_runfile(program: Text, *options: Text) -> bool:
    if ending(program).endswith(_ENDINGS):
        return True
    words = frozenset(each.shown() for each in options)
    return program.known is None and (words >= _CUDAS_OWN or _is_of_the_drivers(words))


def _is_of_the_drivers(words: frozenset[str]) -> bool:
    if any(each.startswith(_DRIVERS_ALONE) for each in words):
        return True
    return not words.isdisjoint(_DRIVERS_OWN) and not words.isdisjoint(_SILENTLY)


def brings_cudas_driver(install: Installs) -> bool:
    """CUDA's installer has a driver in it, and installs it unless it is told which of its other parts are wanted."""
    words = frozenset(install.command.strip("() ").split())
    if _is_of_cuda(install):
        return _DRIVER_PART in words or words.isdisjoint(_CUDA_PARTS)
    return _has_no_name(install) and words >= _CUDAS_OWN


def brings_the_driver_alone(install: Installs) -> bool:
    """NVIDIA's own installer, by its name or, where nobody knows that, by its options."""
    if _has_no_name(install):
        return _is_of_the_drivers(frozenset(install.command.strip("() ").split()))
    name = install.packages[0].shown().lower() if install.packages else ""
    return name.startswith(("nvidia-linux", "nvidia_driver", "nvidia-driver"))


def _is_of_cuda(install: Installs) -> bool:
    return bool(install.packages) and install.packages[0].shown().lower().startswith("cuda_")


def _has_no_name(install: Installs) -> bool:
    """Whether the installer's name is unknown; `./*.run` is as good as none."""
    name = install.packages[0] if install.packages else None
    return name is not None and (beginning(name).startswith("*") or (name.known is None and not beginning(name)))


def runfile(call: Call) -> Did:
    name = last_part(call.arguments[0])
    begins = beginning(name).lower().lstrip("*")
    arguments = split_options(call.arguments[1:], clusters=False)
    extracts = any(option.startswith("--extract") or option == _EXTRACTS_TOO for option, _ in arguments.options)
    if extracts or arguments.has(*_ONLY_LOOKS):
        return run_on_node(call)
    removes = arguments.has("--uninstall")
    installs = call.does(Installs, manager=".run", packages=(name,), removes=removes)
    if removes or not _brings_module(begins, arguments):
        return Did([installs])
    return Did([installs, call.does(LoadsModule, module="nvidia", because=BECAUSE)])


def _brings_module(begins: str, arguments: Given) -> bool:
    if begins.startswith("cuda"):
        return arguments.has(_DRIVER_PART) or not arguments.has(*_CUDA_PARTS)
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
