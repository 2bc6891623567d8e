"""helm and kubectl, where a boot script runs them."""

from __future__ import annotations

from nodeworthy.boot.commands.arguments import given
from nodeworthy.boot.commands.call import Call, Did, Handler
from nodeworthy.boot.commands.output import asked
from nodeworthy.boot.effects import AddsRepository, Installs, Runs

_HELM_TAKES = frozenset(
    "-n -f --namespace --values --set --set-string --set-file --version --repo --timeout --kubeconfig "
    "--kube-context --username --password --description --devel --ca-file".split()
)
_ASKS = frozenset(
    "get describe logs list ls status version explain api-resources auth config wait top search show template".split()
)


def helm(call: Call) -> Did:
    arguments = given(call.arguments[1:], _HELM_TAKES)
    words = arguments.words
    if words[:2] == ("repo", "add"):
        return Did([call.does(AddsRepository, repository=each) for each in arguments.operands[3:4]])
    if words[:1] in {("install",), ("upgrade",)}:
        named = arguments.operands[1:] if arguments.has("-g", "--generate-name") else arguments.operands[2:]
        return Did([call.does(Installs, manager="helm", packages=named[:1])])
    if words[:1] in {("uninstall",), ("delete",)}:
        return Did([call.does(Installs, manager="helm", packages=arguments.operands[1:], removes=True)])
    return asked(call) if words and words[0] in _ASKS else Did([call.does(Runs, arguments=call.arguments)])


def kubectl(call: Call) -> Did:
    takes = frozenset("-n -f -l -o --namespace --kubeconfig --context --as --server --token".split())
    words = given(call.arguments[1:], takes).words
    return asked(call) if words and words[0] in _ASKS else Did([call.does(Runs, arguments=call.arguments)])


HANDLERS: dict[str, Handler] = {"helm": helm, **dict.fromkeys(("kubectl", "oc"), kubectl)}
