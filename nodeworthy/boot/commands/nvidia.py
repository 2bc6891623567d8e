"""NVIDIA's own programs: most of them load the kernel module, because they open the GPUs."""

from __future__ import annotations

from nodeworthy.boot.commands.call import Call, Did, Given, Handler, ask_node, on_the_node, split_options
from nodeworthy.boot.effects import Effect, How, LoadsModule, Runs, Writes
from nodeworthy.boot.text import Text
from nodeworthy.known.containerd import defaults
from nodeworthy.known.drivers import running

_BY_NVML = "it reads the GPUs, which loads the module"
# What `nvidia-ctk runtime configure` edits where it is not told a file.
_CONFIGS = {
    "docker": "/etc/docker/daemon.json",
    "containerd": defaults().config,
    "crio": "/etc/crio/crio.conf",
}
_CTK_TAKES = frozenset(
    "--runtime --config --config-source --executable-path --drop-in-config --nvidia-runtime-name".split()
)
_CTK_OUTPUT = ("--output", "-output")
_UVM = ("-u", "--unified-memory")
_SAYS = [["--help"], ["-h"], ["--version"]]


def opens_gpus(call: Call) -> Did:
    if _only_says_what_it_is(call):
        return Did([call.does(Runs, arguments=call.arguments)], output=on_the_node(call))
    loads = call.does(LoadsModule, module="nvidia", because=running()[call.program])
    return Did([loads], output=on_the_node(call))


def _only_says_what_it_is(call: Call) -> bool:
    """`ncu --version`. `nvidia-smi` asks the driver for its own."""
    asked = [each.known for each in call.arguments[1:]]
    return asked in ([["--help"], ["-h"]] if call.program == "nvidia-smi" else _SAYS)


def nvidia_modprobe(call: Call) -> Did:
    loads = [call.does(LoadsModule, module="nvidia", because=running()[call.program])]
    if split_options(call.arguments[1:], frozenset({"-c", "--create"})).has(*_UVM):
        loads.append(call.does(LoadsModule, module="nvidia_uvm", because=f"{call.program} -u loads it"))
    return Did(loads)


def nvidia_ctk(call: Call) -> Did:
    arguments = split_options(call.arguments[1:], _CTK_TAKES | {"--output"}, clusters=False)
    said = arguments.words[:2]
    if said == ("cdi", "generate"):
        return _cdi(call, arguments)
    if said[:1] == ("system",):
        effects: list[Effect] = [call.does(LoadsModule, module="nvidia", because="it loads the modules that it is for")]
        return Did(effects if _loads(arguments) else [call.does(Runs, arguments=call.arguments)])
    if said == ("runtime", "configure") and not arguments.has("--dry-run", "-dry-run"):
        return Did([_configured(call, arguments)])
    return Did([call.does(Runs, arguments=call.arguments)], output=on_the_node(call))


def _loads(arguments: Given) -> bool:
    """Creating device nodes loads modules where it is told to; the links by character device do so by default."""
    if arguments.has("--dry-run", "-dry-run"):
        return False
    return "create-dev-char-symlinks" in arguments.words or arguments.has("--load-kernel-modules")


def _cdi(call: Call, arguments: Given) -> Did:
    loads = call.does(LoadsModule, module="nvidia", because=_BY_NVML)
    target = arguments.value(*_CTK_OUTPUT)
    if target is None:
        return Did([loads], output=on_the_node(call))
    return Did([loads, call.does(Writes, path=call.path(target))])


def _configured(call: Call, arguments: Given) -> Effect:
    runtime = arguments.value("--runtime", "-runtime") or Text.of("docker")
    path = arguments.value("--config", "-config") or Text.of(_CONFIGS.get(runtime.string, ""))
    if not path:
        return call.does(Runs, arguments=call.arguments)
    return call.does(Writes, path=call.path(path), how=How.EDIT, expressions=call.arguments[1:])


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(running(), opens_gpus),
    "nvidia-modprobe": nvidia_modprobe,
    "nvidia-ctk": nvidia_ctk,
    "nvidia-detector": ask_node,
}
