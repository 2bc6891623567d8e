"""k3s and RKE2: their installers, their programs, and their units, whose start is the joining."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.boot.commands.call import (
    Call,
    Did,
    Given,
    Handler,
    ask_node,
    beginning,
    glued_options,
    run_on_node,
    split_options,
)
from nodeworthy.boot.commands.joining import labels_of
from nodeworthy.boot.commands.names import fields, halves
from nodeworthy.boot.effects import Act, Effect, Joins, RefusedCall, RefusedOptions, Runs, Unit
from nodeworthy.boot.hidden_labels import FLAG, hidden_labels
from nodeworthy.boot.text import EMPTY, Text
from nodeworthy.known.kubelet import gone_from_kubelet, instead_of
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Known, Located, Place

_TAKES = frozenset(
    "-s -t -c -d --server --token --token-file --config --data-dir --node-name --node-ip --node-external-ip "
    "--node-label --node-taint --kubelet-arg --kube-proxy-arg --flannel-iface --flannel-backend --cluster-cidr "
    "--service-cidr --tls-san --disable --write-kubeconfig-mode --private-registry --container-runtime-endpoint "
    "--profile --cni --no-deploy --cluster-secret".split()
)
# What ends k3s since 1.25 (`no-deploy flag is deprecated. Use --disable instead.`), and what takes its place.
_GONE = {"--no-deploy": "--disable", "--no-flannel": "--flannel-backend=none", "--cluster-secret": "--token"}
_GONE_SINCE = (1, 25)
# By which the installer is told a release; without them it takes the newest stable one.
_RELEASE, _CHANNEL = "INSTALL_K3S_VERSION", "INSTALL_K3S_CHANNEL"
_NUMBERS = pattern(r"v?(\d+)\.(\d+)(?:\D|$)")
_OF_THE_NEWEST = 99
_NEWEST = ("", "stable", "latest", "testing")
# Those of k3s server that k3s agent has not (pkg/cli/cmds: server.go, agent.go).
_OF_SERVERS = frozenset(
    "--cluster-cidr --service-cidr --service-node-port-range --cluster-dns --cluster-domain --flannel-backend "
    "--egress-selector-mode --advertise-address --advertise-port --tls-san --https-listen-port --write-kubeconfig "
    "--write-kubeconfig-mode --agent-token --cluster-init --cluster-reset --kube-apiserver-arg --etcd-arg "
    "--kube-controller-manager-arg --kube-scheduler-arg --datastore-endpoint --disable --disable-scheduler "
    "--disable-cloud-controller --disable-kube-proxy --disable-network-policy --disable-helm-controller "
    "--secrets-encryption --etcd-expose-metrics --embedded-registry".split()
)
_HTTPS = "https://"
_CONFIG = {"k3s": "/etc/rancher/k3s/config.yaml", "rke2": "/etc/rancher/rke2/config.yaml"}
_UNITS = {
    "k3s-agent.service": ("k3s", "agent"),
    "k3s.service": ("k3s", "server"),
    "rke2-agent.service": ("rke2", "agent"),
    "rke2-server.service": ("rke2", "server"),
}


def k3s_installed(call: Call) -> Iterator[Effect]:
    """The installer makes an agent where it is told a server's address, else a server of its own; then starts it."""
    words = [*fields(call.environment.get("INSTALL_K3S_EXEC") or EMPTY), *call.arguments]
    arguments = split_options(words, _TAKES)
    told = call.environment.get("K3S_URL") or arguments.value("-s", "--server")
    kind = arguments.words[0] if arguments.words[:1] in {("agent",), ("server",)} else "agent" if told else "server"
    unit = Text.of("k3s-agent.service" if kind == "agent" else "k3s.service")
    yield from _refused(call, arguments)
    yield from _gone(call, kind, arguments)
    yield from _gone_from_its_kubelet(call, kind, arguments)
    yield from _without_tls(call)
    if _is_on(call, "INSTALL_K3S_SKIP_ENABLE"):
        # It disables what was there before, and then neither enables nor starts it.
        yield call.does(Unit, unit=unit, act=Act.DISABLE)
        return
    yield call.does(Unit, unit=unit, act=Act.ENABLE)
    if not _is_on(call, "INSTALL_K3S_SKIP_START"):
        yield call.does(Unit, unit=unit, act=Act.START)
        yield from _joins(call, "k3s", kind, told, arguments)


def joined_by_unit(call: Call, unit: str) -> Iterator[Effect]:
    """`systemctl start rke2-agent` joins with what its config file says."""
    if unit in _UNITS:
        how, kind = _UNITS[unit]
        yield from _joins(call, how, kind, None, split_options(()))


def run(call: Call) -> Did:
    """`k3s agent --server …` in the foreground, or one of the other things that this program can do."""
    arguments = split_options(call.arguments[1:], _TAKES)
    if arguments.words[:1] not in {("agent",), ("server",)}:
        return ask_node(call) if arguments.has("--version", "-v") else run_on_node(call)
    told = call.environment.get("K3S_URL") or arguments.value("-s", "--server")
    kind = arguments.words[0]
    refused = _refused(call, arguments) if call.program == "k3s" else ()
    return Did(
        [call.does(Runs, arguments=call.arguments), *refused, *_joins(call, call.program, kind, told, arguments)]
    )


def _refused(call: Call, arguments: Given) -> Iterator[Effect]:
    """A k3s that is given a server's address and nothing else becomes an agent, too."""
    is_told = not arguments.words and beginning(call.environment.get("K3S_URL") or EMPTY).startswith("http")
    found = tuple(dict.fromkeys(name for name, _ in arguments.options if name in _OF_SERVERS))
    if found and (is_told or arguments.words[:1] == ("agent",)):
        yield call.does(RefusedOptions, program="k3s agent", options=found)


def _gone(call: Call, kind: str, arguments: Given) -> Iterator[Effect]:
    """What the release no longer takes that the installer brings, behind its name or in its config file."""
    found = [name for name in _GONE if arguments.has(name) or any(_in_config(call, "k3s", name.lstrip("-")))]
    unless = _why_older(call) if found else ""
    if found and unless is not None:
        instead = tuple(_GONE[name] for name in found)
        yield call.does(RefusedOptions, program=f"k3s {kind}", options=tuple(found), instead=instead, unless=unless)


def _gone_from_its_kubelet(call: Call, kind: str, arguments: Given) -> Iterator[Effect]:
    """What the kubelet in the release that the installer brings has no more."""
    minor = _minor(call)
    for word in _words_of_option(call, "k3s", arguments, "kubelet-arg") if minor is not None else ():
        name, _, value = beginning(word).strip("\"'").partition("=")
        for option, since in gone_from_kubelet(name, value):
            if minor is not None and minor >= since:
                yield call.does(
                    RefusedCall,
                    says=f"the kubelet in k3s is given {option}, and ends over it: it is gone since 1.{since}",
                    is_=f"--kubelet-arg={word.shown()}",
                    should=instead_of(option),
                    cause=f"k3s {kind} ends with kubelet (`unknown flag`, `unrecognized feature gate`), systemd starts "
                    "it again and again, and there is no node",
                    remedy=f"take {name} out of what kubelet is given",
                )


def _minor(call: Call) -> int | None:
    """Of the release that the installer brings: the newest has lost whatever any has. None where it is not known."""
    if _why_older(call) == "":
        numbers = _NUMBERS.match(beginning(call.environment.get(_RELEASE) or call.environment.get(_CHANNEL) or EMPTY))
        return int(numbers[2]) if numbers is not None else _OF_THE_NEWEST
    return None


def _without_tls(call: Call) -> Iterator[Effect]:
    url = beginning(call.environment.get("K3S_URL") or EMPTY)
    if url and not url.startswith(_HTTPS) and not _HTTPS.startswith(url):
        yield call.does(
            RefusedCall,
            says="the installer of k3s is given a K3S_URL that does not begin with https://, and installs nothing",
            is_=url,
            should=f"{_HTTPS}{url.removeprefix('http://')}",
            cause="it ends with `Only https:// URLs are supported for K3S_URL`",
            remedy=f"write K3S_URL={_HTTPS}ADDRESS:6443",
        )


def _at_the_api(call: Call, how: str, endpoint: Located[str]) -> Iterator[Effect]:
    """Where an RKE2 server is asked for by the port of Kubernetes' own API, which knows nothing of joining."""
    address = endpoint.state.value if isinstance(endpoint.state, Known) else ""
    if how == "rke2" and address.endswith(":6443"):
        yield call.does(
            RefusedCall,
            says="RKE2 is told to join at port 6443, where nobody answers that",
            is_=address,
            should=f"{address.removesuffix('6443')}9345",
            cause="nodes of RKE2 join at its supervisor, port 9345; 6443 is the API of Kubernetes alone: the node asks "
            "it for the cluster's certificates, again and again",
            remedy="write port 9345",
        )


def _why_older(call: Call) -> str | None:
    """Why the release may be one that still takes them: '' where it is none of those, None where it is one."""
    release, channel = (call.environment.get(name) or EMPTY for name in (_RELEASE, _CHANNEL))
    said = release if release.known != "" else channel
    if said.known in _NEWEST:
        return ""
    numbers = _NUMBERS.match(beginning(said))
    if numbers is None:
        return f"which release {_RELEASE if said is release else _CHANNEL} names is not known"
    return "" if (int(numbers[1]), int(numbers[2])) >= _GONE_SINCE else None


def _joins(call: Call, how: str, kind: str, told: Text | None, arguments: Given) -> Iterator[Effect]:
    endpoint = told.located(call.place) if told is not None else _configured(call, how)
    # A server that is told no other one begins a cluster.
    if endpoint is None and kind == "server":
        return
    told_labels = [Text.of(FLAG) + each for each in _words_of_option(call, how, arguments, "node-label")]
    labels = tuple(pair for each in told_labels for pair in labels_of(each))
    taints = tuple(
        each.known for each in _words_of_option(call, how, arguments, "node-taint") if each.known is not None
    )
    hidden, lost = hidden_labels(told_labels), glued_options(call.arguments, _TAKES)
    said = {"labels": labels, "hidden_labels": hidden, "taints": taints}
    yield call.does(Joins, how=how, endpoint=endpoint, **said, glued=lost)
    if endpoint is not None:
        yield from _at_the_api(call, how, endpoint)


def _words_of_option(call: Call, how: str, arguments: Given, name: str) -> Sequence[Text]:
    """An option takes the place of what the file says under its name."""
    return arguments.values(f"--{name}") or [word for _, word in _in_config(call, how, name)]


def _configured(call: Call, how: str) -> Located[str] | None:
    found = next(_in_config(call, how, "server"), None)
    return found[1].located(found[0]) if found is not None else None


def _in_config(call: Call, how: str, name: str) -> Iterator[tuple[Place, Text]]:
    """The words behind a key of its config file, or of the list below it."""
    content = call.files.content(Text.of(_CONFIG[how]))
    is_inside = False
    for line in content.lines if content else ():
        split = halves(line.text, ":")
        item = _item(line.text)
        if is_inside and item is not None:
            yield line.place, item
        elif split is not None and split[0].known == name:
            is_inside = True
            yield from ((line.place, word) for each in fields(split[1]) if (word := _bare(each)))
        elif split is not None or item is None:
            is_inside = False


def _item(line: Text) -> Text | None:
    words = fields(line)
    return _bare(words[1]) if len(words) > 1 and words[0].known == "-" else None


def _bare(word: Text) -> Text:
    return Text.of(*(piece.strip("'\"[],") if isinstance(piece, str) else piece for piece in word.pieces))


def _is_on(call: Call, name: str) -> bool:
    value = call.environment.get(name)
    return value is not None and value.known == "true"


HANDLERS: dict[str, Handler] = {**dict.fromkeys(("k3s", "rke2"), run)}
