"""Firewalls and routes."""

from __future__ import annotations

from nodeworthy.boot.commands.call import Call, Did, Handler, ask_node, run_on_node, split_options
from nodeworthy.boot.effects import Opens

_IPTABLES_ASKS = frozenset("-L -S -C --list --list-rules --check -V --version -h --help".split())
_FIREWALLD_ASKS = ("--state", "--list", "--get", "--query", "--info", "--check")
_IP_TAKES = frozenset("-n -netns --netns -f -family --family -rc -l".split())
_IP_CHANGES = frozenset("add a append change replace del delete flush".split())


def ufw(call: Call) -> Did:
    verbs = [word for word in call.words if not word.startswith("--")]
    if verbs[:1] in ([], ["status"], ["show"], ["version"]) or "--dry-run" in call.words:
        return ask_node(call)
    opens = call.does(Opens, tool="ufw", arguments=call.arguments[1:], is_answered=True if call.stdin else None)
    return Did([opens])


def iptables(call: Call) -> Did:
    return ask_node(call) if _IPTABLES_ASKS.intersection(call.words) or not call.words else _opens(call)


def restore_rules(call: Call) -> Did:
    """`iptables-restore < rules`: the rules are what it reads."""
    operands = split_options(call.arguments[1:], frozenset({"-T", "--table", "-w", "-W", "-M"})).operands
    content = call.files.content(call.path(operands[0])) if operands else call.stdin
    rules = tuple(line.text for line in content.lines) if content else call.arguments[1:]
    return Did([call.does(Opens, tool=call.program, arguments=rules, content=content)])


def nft(call: Call) -> Did:
    """Rules in its arguments, or with `-f` in a file or in what it reads."""
    if "list" in call.words[:3] or "-c" in call.words or not call.words:
        return ask_node(call)
    file = split_options(call.arguments[1:], frozenset({"-f", "--file", "-I", "-D"})).value("-f", "--file")
    content = None
    if file is not None:
        content = call.stdin if file.known in ("-", "/dev/stdin") else call.files.content(call.path(file))
    return Did([call.does(Opens, tool="nft", arguments=call.arguments[1:], content=content)])


def firewalld(call: Call) -> Did:
    return ask_node(call) if any(word.startswith(_FIREWALLD_ASKS) for word in call.words) else _opens(call)


def ip(call: Call) -> Did:
    """Routes and rules; addresses and links are the machine's own."""
    arguments = split_options(call.arguments[1:], _IP_TAKES, clusters=False)
    words = arguments.words
    if not _IP_CHANGES.intersection(words[1:2]):
        return run_on_node(call) if "set" in words[1:2] else ask_node(call)
    if words[0] not in {"route", "r", "ro", "rule", "ru"}:
        return run_on_node(call)
    return _opens(call)


def _opens(call: Call) -> Did:
    return Did([call.does(Opens, tool=call.program, arguments=call.arguments[1:])])


HANDLERS: dict[str, Handler] = {
    "ufw": ufw,
    **dict.fromkeys(("iptables", "ip6tables", "iptables-legacy", "iptables-nft", "ip6tables-legacy"), iptables),
    **dict.fromkeys(("iptables-restore", "ip6tables-restore"), restore_rules),
    **dict.fromkeys(("iptables-save", "ip6tables-save"), ask_node),
    "nft": nft,
    **dict.fromkeys(("firewall-cmd", "firewall-offline-cmd"), firewalld),
    "ip": ip,
    **dict.fromkeys(("route", "ipset"), lambda call: _opens(call) if call.words else ask_node(call)),
}
