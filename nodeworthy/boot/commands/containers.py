"""Containers: which image is pulled or run, and whether it is given a GPU."""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.boot.commands.call import Call, Did, Given, Handler, ask_node, on_the_node, run_on_node, split_options
from nodeworthy.boot.effects import Effect, LoadsModule, PullsImage, Runs
from nodeworthy.boot.text import Text

BECAUSE = "a container that is given a GPU loads the module"

_GLOBAL = frozenset(
    "-H -l -a -n -r -i -t -c --host --log-level --address --namespace --config --context --runtime-endpoint "
    "--image-endpoint --timeout --root --runroot --storage-driver --data-root --snapshotter --hosts-dir "
    "--connect-timeout --cgroup-manager".split()
)
_RUN = frozenset(
    "-a -c -e -h -l -m -p -u -v -w --add-host --annotation --attach --blkio-weight --cap-add --cap-drop "
    "--cgroup-parent --cgroupns --cidfile --cpus --cpu-period --cpu-quota --cpu-shares --cpuset-cpus --cpuset-mems "
    "--device --dns --dns-search --entrypoint --env --env-file --expose --gpus --group-add --health-cmd "
    "--health-interval --hostname --ip --ipc --isolation --label --label-file --link --log-driver --log-opt "
    "--memory --memory-swap --mount --name --net --network --network-alias --oom-score-adj --pid --pids-limit "
    "--platform --publish --pull --restart --runtime --security-opt --shm-size --snapshotter --stop-signal "
    "--stop-timeout --storage-opt --sysctl --tmpfs --ulimit --user --userns --uts --volume --volume-driver "
    "--volumes-from --workdir --authfile --pod --hooks-dir --creds --runtime-config-path --runc-binary --log-uri "
    "--cwd --with-ns --pid-file --hosts-dir".split()
)
_PULL = frozenset(
    "-u --platform --creds --auth --authfile --hosts-dir --label --user --snapshotter --pod-config".split()
)
_RUNS = frozenset({"run", "create"})
_ASKS = frozenset("ps images inspect logs info version stats top port events history search inspecti ls list".split())
_DEVICES = ("nvidia.com/gpu", "/dev/nvidia")


def container_tool(call: Call) -> Did:
    before = split_options(call.arguments[1:], _GLOBAL, stops=True)
    verb, rest = _verb(before.operands)
    if verb in _ASKS:
        return ask_node(call)
    if verb == "pull":
        return _pulled(call, split_options(rest, _PULL))
    if verb in _RUNS:
        return _run(call, split_options(rest, _RUN, stops=True))
    return Did([call.does(Runs, arguments=call.arguments)], output=on_the_node(call))


def _verb(operands: Sequence[Text]) -> tuple[str, Sequence[Text]]:
    """`image pull`, `images pull` and `container run` say the same as `pull` and `run`."""
    words = [operand.string for operand in operands[:2]]
    if len(words) == 2 and words[1][:1] != "-" and words[0] in {"image", "images", "i", "container", "containers", "c"}:
        return words[1], operands[2:]
    return (words[0], operands[1:]) if words else ("", ())


def _pulled(call: Call, arguments: Given) -> Did:
    pulls = [call.does(PullsImage, tool=call.program, image=image) for image in arguments.operands[:1]]
    return Did(pulls, output=on_the_node(call))


def _run(call: Call, arguments: Given) -> Did:
    if not arguments.operands or call.program == "crictl":
        return run_on_node(call)
    gpu = _has_gpu(arguments)
    effects: list[Effect] = [call.does(PullsImage, tool=call.program, image=arguments.operands[0], runs=True, gpu=gpu)]
    if gpu:
        effects.append(call.does(LoadsModule, module="nvidia", because=BECAUSE))
    return Did(effects, output=on_the_node(call))


def _has_gpu(arguments: Given) -> bool:
    if arguments.has("--gpus"):
        return True
    runtimes = arguments.values("--runtime", "--runc-binary")
    devices = arguments.values("--device")
    return any("nvidia" in each.shown() for each in runtimes) or any(
        name in each.shown() for each in devices for name in _DEVICES
    )


HANDLERS: dict[str, Handler] = dict.fromkeys(("docker", "podman", "nerdctl", "ctr", "crictl", "finch"), container_tool)
