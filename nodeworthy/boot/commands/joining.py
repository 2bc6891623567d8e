"""Joining a cluster: EKS's bootstrap.sh, nodeadm, kubeadm, Oracle's oke-install.sh, and the snaps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nodeworthy.boot.commands.call import Call, Did, Given, Handler, ask_node, glued_options, run_on_node, split_options
from nodeworthy.boot.commands.charts import helm
from nodeworthy.boot.commands.names import halves
from nodeworthy.boot.content import Content
from nodeworthy.boot.effects import Effect, Joins, RefusedCall, Runs
from nodeworthy.boot.hidden_labels import FLAG, TAINTS, hidden_labels
from nodeworthy.boot.text import Text
from nodeworthy.patterns import pattern
from nodeworthy.records import replace
from nodeworthy.verdict import Located

_BOOTSTRAP = frozenset(
    "--use-max-pods --b64-cluster-ca --apiserver-endpoint --kubelet-extra-args --enable-docker-bridge "
    "--aws-api-retry-attempts --docker-config-json --containerd-config-file --dns-cluster-ip "
    "--pause-container-account --pause-container-version --container-runtime --ip-family --service-ipv6-cidr "
    "--service-ipv4-cidr --enable-local-outpost --cluster-id --mount-bpf-fs --local-disks".split()
)
_NODEADM = frozenset(
    "-c -s -d -r -t --config-source --skip --daemon --kubernetes-version --credential-provider --region".split()
)
_KUBEADM = frozenset(
    "--token --discovery-token --discovery-token-ca-cert-hash --discovery-file --tls-bootstrap-token --config "
    "--node-name --cri-socket --certificate-key --apiserver-advertise-address --ignore-preflight-errors --patches "
    "--skip-phases -v --pod-network-cidr --service-cidr --service-dns-domain --kubernetes-version --image-repository "
    "--control-plane-endpoint --apiserver-cert-extra-sans --apiserver-bind-port --feature-gates".split()
)
# What kubeadm takes by option or in its config, and never both ways (cmd/kubeadm/app/apis/kubeadm/validation:
# ValidateMixedArguments).
_NOT_BESIDE_A_CONFIG = (
    "--token --discovery-token --discovery-token-ca-cert-hash --discovery-token-unsafe-skip-ca-verification "
    "--control-plane --apiserver-advertise-address --apiserver-bind-port --pod-network-cidr --service-cidr "
    "--service-dns-domain --kubernetes-version --image-repository --control-plane-endpoint "
    "--apiserver-cert-extra-sans --certificate-key".split()
)
# An option of kubeadm's up to 1.10, for whose first releases (up to 1.7) a token was enough.
_OF_OLD = "--skip-preflight-checks"
# By one of these a node knows whom it joins.
_TRUSTS = ("--discovery-token-ca-cert-hash", "--discovery-token-unsafe-skip-ca-verification", "--discovery-file")
# As a variable is called that holds options, and stands where an address would.
_OPTIONS = pattern(r"(?i)^\W{0,4}\w{0,60}(?:arg|opt|flag|param|extra|join|cmd|command)")
_ADDRESS = pattern(r"(?i)(?:_?ip(?:v4)?|addr(?:ess)?|endpoint|host(?:name)?)\W{0,3}$")
_OKE = frozenset("--apiserver-endpoint --kubelet-ca-cert --kubelet-extra-args --cluster-dns".split())
# What kubelet is told most often, in one word of bootstrap.sh and its kin.
_KUBELET = frozenset(
    "--node-labels --register-with-taints --max-pods --cluster-dns --node-ip --cgroup-driver --eviction-hard "
    "--kube-reserved --system-reserved --feature-gates --cloud-provider --v".split()
)
# What a NodeConfig says, by the keys of its `cluster`.
_KEYS = {
    "name": "cluster",
    "apiServerEndpoint": "endpoint",
    "certificateAuthority": "authority",
    "cidr": "service_cidr",
}


def bootstrap_sh(call: Call) -> Did:
    arguments = split_options(call.arguments[1:], _BOOTSTRAP)
    if not arguments.operands:
        return run_on_node(call)
    kubelet = arguments.value("--kubelet-extra-args")
    joins = call.does(
        Joins,
        how="bootstrap.sh",
        cluster=arguments.operands[0].located(call.place),
        endpoint=located_words(call, arguments, "--apiserver-endpoint"),
        authority=located_words(call, arguments, "--b64-cluster-ca"),
        service_cidr=located_words(call, arguments, "--service-ipv4-cidr", "--service-ipv6-cidr"),
        dns=located_words(call, arguments, "--dns-cluster-ip"),
        labels=labels_of(kubelet) if kubelet else (),
        hidden_labels=hidden_labels([kubelet] if kubelet else ()),
        taints=taints_of(kubelet) if kubelet else (),
        glued=glued_options(call.arguments[1:], _BOOTSTRAP | _KUBELET),
    )
    return Did([joins])


def located_words(call: Call, arguments: Given, *names: str) -> Located[str] | None:
    value = arguments.value(*names)
    return value.located(call.place) if value is not None else None


def labels_of(told: Text) -> tuple[tuple[str, str], ...]:
    """The labels among kubelet's arguments that are known in full."""
    pairs = (label.partition("=") for label in _listed(told, FLAG))
    return tuple((name, value) for name, equals, value in pairs if equals)


def taints_of(told: Text) -> tuple[str, ...]:
    return tuple(_listed(told, TAINTS))


def _listed(told: Text, flag: str) -> Iterator[str]:
    """The entries of this flag's list."""
    found = halves(told, flag)
    if found is not None:
        behind = found[1].known if found[1].known is not None else found[1].shown()
        yield from (each for each in behind.split(" ", 1)[0].strip("'\"").split(",") if each and "$" not in each)


def nodeadm(call: Call) -> Did:
    arguments = split_options(call.arguments[1:], _NODEADM)
    verb = arguments.words[0] if arguments.operands else ""
    if verb != "init":
        return ask_node(call) if verb == "config" else run_on_node(call)
    # `--skip run` writes what kubelet reads, and starts none.
    if any(each.known == "run" for each in arguments.values("-s", "--skip")):
        return run_on_node(call)
    config = arguments.value("-c", "--config-source")
    told = _node_config(call, config) if config else {}
    return Did([call.does(Joins, how="nodeadm", glued=glued_options(call.arguments[1:], _NODEADM), **told)])


def _node_config(call: Call, source: Text) -> dict[str, Any]:
    """What the file says of the cluster and of the node, where the script wrote that file."""
    halved = halves(source, "file://")
    content = call.files.content(call.path(halved[1] if halved else source))
    if content is None:
        return {}
    told: dict[str, Any] = {_KEYS[key]: value for key, value in _settings(content) if key in _KEYS}
    flags = [line.text for line in content.lines if FLAG in line.text.shown()]
    labels = tuple(label for each in flags for label in labels_of(each))
    taints = tuple(one for line in content.lines if TAINTS in line.text.shown() for one in taints_of(line.text))
    return {**told, "labels": labels, "hidden_labels": hidden_labels(flags), "taints": taints}


def _settings(content: Content) -> Iterator[tuple[str, Located[str]]]:
    inside = False
    for line in content.lines:
        split = halves(line.text, ":")
        if split is None or split[0].known is None:
            continue
        key, value = split[0].known, split[1]
        name = key.strip()
        if name == "cluster":
            inside = True
        elif inside and name in _KEYS and value:
            yield name, _bare(value).located(line.place)


def _bare(value: Text) -> Text:
    pieces = list(value.pieces)
    for index, strip in ((0, str.lstrip), (-1, str.rstrip)):
        piece = pieces[index]
        if isinstance(piece, str):
            pieces[index] = strip(strip(piece), "'\"")
    return Text.of(*pieces)


def kubeadm(call: Call) -> Did:
    arguments = split_options(call.arguments[1:], _KUBEADM)
    if arguments.words[:1] != ("join",) or arguments.words[:2] == ("join", "phase"):
        is_question = arguments.words[:1] in {("config",), ("token",), ("version",), ("certs",)}
        runs = call.does(Runs, arguments=call.arguments)
        return ask_node(call) if is_question else Did([runs, *_mixed(call, arguments)])
    endpoints = [operand.located(call.place) for operand in arguments.operands[1:2]]
    lost = glued_options(call.arguments[1:], _KUBEADM)
    joins = call.does(Joins, how="kubeadm", endpoint=endpoints[0] if endpoints else None, glued=lost)
    return Did([joins, *_mixed(call, arguments), *_trusts_nobody(call, arguments, lost)])


def _mixed(call: Call, arguments: Given) -> Iterator[Effect]:
    """`kubeadm init --config FILE --pod-network-cidr …`."""
    verb = arguments.words[:1]
    found = [name for name in _NOT_BESIDE_A_CONFIG if arguments.has(name)]
    if verb in {("init",), ("join",)} and len(arguments.words) < 3 and arguments.has("--config") and found:
        named = ", ".join(found)
        yield call.does(
            RefusedCall,
            says=f"kubeadm {verb[0]} is given --config and {named}, and takes one of them alone",
            is_=f"--config … {found[0]}",
            should="--config alone",
            cause="kubeadm ends at once: can not mix '--config' with arguments "
            f"[{' '.join(each.removeprefix('--') for each in found)}]",
            remedy="write into that file what these options say, or leave --config out",
        )


def _trusts_nobody(call: Call, arguments: Given, glued: tuple[str, ...]) -> Iterator[Effect]:
    """What else a call is given that is not all known (`$EXTRA`) may say whom to trust."""
    # `join --token T $EXTRA`, where an address would stand first, or `join $ARGS`: these may be all kinds of options.
    operands = arguments.operands[1:]
    names_whom = bool(operands) and operands[:1] == call.arguments[2:3] and not _OPTIONS.search(operands[0].shown())
    is_open = not names_whom and any(len(each.holes) == len(each.pieces) for each in operands if not _is_whom(each))
    is_whole = len(arguments.operands) <= 2 and not any(name.startswith("$") for name, _ in arguments.options)
    is_by_token = arguments.has("--token", "--discovery-token") and not arguments.has("--config", _OF_OLD, *_TRUSTS)
    if is_by_token and is_whole and not is_open and not glued:
        yield call.does(
            RefusedCall,
            says="kubeadm join is given a token, and nothing by which it knows whom it joins",
            is_="no --discovery-token-ca-cert-hash",
            should="--discovery-token-ca-cert-hash sha256:…",
            cause="kubeadm ends at once: using token-based discovery without caCertHashes can be insecure",
            remedy="give it what `kubeadm token create --print-join-command` says, with its hash",
        )


def _is_whom(operand: Text) -> bool:
    """`join --token T $MASTER_IP`: by its name it is an address."""
    return _ADDRESS.search(operand.shown()) is not None and not _OPTIONS.search(operand.shown())


def microk8s(call: Call) -> Did:
    """`microk8s helm` is a helm like any other, for the cluster of this machine."""
    if call.words[:1] in {("helm",), ("helm3",)}:
        return helm(replace(call, arguments=call.arguments[1:]))
    return _joined(call, "microk8s", "join")


def k8s_snap(call: Call) -> Did:
    return _joined(call, "k8s-snap", "join-cluster")


def _joined(call: Call, how: str, verb: str) -> Did:
    operands = split_options(call.arguments[1:]).operands
    words = [operand.known for operand in operands[:1]]
    if words != [verb]:
        return run_on_node(call)
    # microk8s takes ADDRESS:25000/TOKEN; the other one a token alone.
    address = halves(operands[1], "/") if how == "microk8s" and len(operands) > 1 else None
    return Did([call.does(Joins, how=how, endpoint=address[0].located(call.place) if address else None)])


def oke(call: Call) -> Did:
    """Oracle's nodes: the script of their image, or the one that the metadata hand out, which calls it."""
    arguments = split_options(call.arguments[1:], _OKE)
    kubelet = arguments.value("--kubelet-extra-args")
    joins = call.does(
        Joins,
        how="oke",
        endpoint=located_words(call, arguments, "--apiserver-endpoint"),
        authority=located_words(call, arguments, "--kubelet-ca-cert"),
        dns=located_words(call, arguments, "--cluster-dns"),
        labels=labels_of(kubelet) if kubelet else (),
        hidden_labels=hidden_labels([kubelet] if kubelet else ()),
        taints=taints_of(kubelet) if kubelet else (),
        glued=glued_options(call.arguments[1:], _OKE | _KUBELET),
    )
    return Did([joins])


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(("oke-install.sh", "oke-init.sh"), oke),
    "bootstrap.sh": bootstrap_sh,
    "nodeadm": nodeadm,
    "kubeadm": kubeadm,
    **dict.fromkeys(("microk8s", "microk8s.join"), microk8s),
    "k8s": k8s_snap,
}
