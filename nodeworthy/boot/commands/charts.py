"""helm and kubectl, where a boot script runs them."""

from __future__ import annotations

from nodeworthy.boot.commands.call import Call, Did, Given, Handler, ask_node, run_on_node, split_options
from nodeworthy.boot.effects import AddsRepository, HelmRelease, Installs, Runs

# Options that have a value behind them.
HELM_TAKES = frozenset(
    "-n -f -o --namespace --values --set --set-string --set-file --set-json --set-literal --version --repo --timeout "
    "--kubeconfig --kube-context --kube-apiserver --username --password --description --ca-file --cert-file --key-file "
    "--post-renderer --history-max --output --labels -l --registry-config --repository-config".split()
)
_ASKS = frozenset(
    "get describe logs list ls status version explain api-resources auth config wait top search show template".split()
)


def helm(call: Call) -> Did:
    arguments = split_options(call.arguments[1:], HELM_TAKES)
    words = arguments.words
    if words[:2] == ("repo", "add"):
        return Did([call.does(AddsRepository, repository=each) for each in arguments.operands[3:4]])
    if words[:1] in {("install",), ("upgrade",)}:
        named = arguments.operands[1:] if arguments.has("-g", "--generate-name") else arguments.operands[2:]
        return Did([call.does(Installs, manager="helm", packages=named[:1], release=_release(call, arguments))])
    if words[:1] in {("uninstall",), ("delete",)}:
        return Did([call.does(Installs, manager="helm", packages=arguments.operands[1:], removes=True)])
    return ask_node(call) if words and words[0] in _ASKS else run_on_node(call)


def _release(call: Call, arguments: Given) -> HelmRelease:
    paths = arguments.values("-f", "--values")
    files = tuple((path, call.stdin if path.known == "-" else call.files.content(call.path(path))) for path in paths)
    return HelmRelease(call.arguments[1:], files, arguments.value("--kubeconfig") or call.environment.get("KUBECONFIG"))


def kubectl(call: Call) -> Did:
    takes = frozenset("-n -f -l -o --namespace --kubeconfig --context --as --server --token".split())
    words = split_options(call.arguments[1:], takes).words
    runs = call.does(Runs, arguments=call.arguments, given=call.stdin)
    return ask_node(call) if words and words[0] in _ASKS else Did([runs])


HANDLERS: dict[str, Handler] = {"helm": helm, **dict.fromkeys(("kubectl", "oc"), kubectl)}
