"""What a module of Ansible does to a machine, as the commands by which a person would do the same.

What is not here changes nothing that anybody asks about, or nothing that is known: it is kept as words that do nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from nodeworthy.boot.playbook.tasks import Task, quote, words_of
from nodeworthy.boot.playbook.variables import items_of, text_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

_ABSENT = ("absent", "removed")
_YES = ("yes", "true", "on", "1")
_NO = ("no", "false", "off", "0")
# Of Python's expressions, what sed has not.
_ONLY_PYTHON = pattern(r"\(\?|\\[dDA]|\\Z|[*+}]\?")
# Its program; where none is named, that of the file.
_OF_PACKAGES = {"apt": "apt-get", "yum": "yum", "dnf": "dnf", "dnf5": "dnf", "zypper": "zypper", "package": ""}
_NAMES = ("name", "pkg", "package", "deb")
# What sed takes for more than itself.
_SPECIAL = pattern(r"[][\\.^$*+?(){}|]")
_ESCAPED = r"\\\g<0>"
_DELIMITERS = "|#~@%,"
# By these a task says what becomes of swap at the next boot, and that it waits for what answers there.
_TELLING = pattern(r"(?i)fstab|swap|\b(?:6443|9345|10250)\b|(?:health|ready|live)z\b")
_PRINTED = pattern(r"\{\{-?\s*(\w+)(?:\.stdout\b|\s*-?\}\}\Z)")


@dataclass(frozen=True)
class Call:
    """A task with one item of its loop."""

    task: Task
    item: Mapping[str, str]
    # The package manager of this file, where a task leaves it open.
    manager: str
    # What a task before it has run, by the name under which its output is kept, and by the file that it has filled.
    registered: Mapping[str, str]

    def get(self, *names: str) -> str:
        given = next((text_of(self.task.values[name]) for name in names if name in self.task.values), "")
        return self.task.fill(given, self.item)

    def is_yes(self, name: str) -> bool:
        return self.get(name).lower() in _YES

    def is_no(self, name: str) -> bool:
        return self.get(name).lower() in _NO

    @property
    def is_absent(self) -> bool:
        return self.get("state") in _ABSENT

    def names(self, *keys: str) -> list[str]:
        """A list, or a text with commas."""
        tree = next((self.task.values[key] for key in keys if key in self.task.values), None)
        if tree is None:
            return []
        every = tree.sequence or items_of(text_of(tree), self.task.scope)
        given = [text_of(each) for each in every] or text_of(tree).split(",")
        return [name for each in given if (name := self.task.fill(each, self.item).strip())]


def commands_of(task: Task, manager: str, registered: Mapping[str, str]) -> Iterator[str]:
    """The commands of a task. A loop has those of all its items, and packages are installed together."""
    made = _MADE_OF.get(task.module, _nothing_known)
    if task.module in _OF_PACKAGES and task.items:
        yield _together(task, manager, registered)
        return
    for item in task.items or ({},):
        yield from made(Call(task, item, manager, registered))


def _together(task: Task, manager: str, registered: Mapping[str, str]) -> str:
    every = [Call(task, item, manager, registered) for item in task.items]
    names = dict.fromkeys(name for call in every for name in call.names(*_NAMES))
    return _installed(every[0], list(names))


def _nothing_known(call: Call) -> Iterator[str]:
    given = [text_of(call.task.free), *map(text_of, call.task.values.values())]
    kept = " ".join(word for each in given for word in each.split() if _TELLING.search(word))
    yield f": {call.task.module} {quote(kept)}".rstrip(" '")


def _included(call: Call) -> Iterator[str]:
    """Which tasks follow is written elsewhere; how they are called may say what they are for."""
    yield f": {call.task.module} {quote(text_of(call.task.free) or call.get('file', 'name', 'role'))}"


def _run(call: Call) -> Iterator[str]:
    words = call.task.fill(words_of(call.task), call.item).strip()
    folder = call.get("chdir")
    yield f"cd {quote(folder)}; {words}" if folder and words else words or ":"


def _packages(call: Call) -> Iterator[str]:
    yield _installed(call, call.names(*_NAMES))


def _installed(call: Call, names: Sequence[str]) -> str:
    program = _OF_PACKAGES[call.task.module] or call.manager
    wanted, act = " ".join(map(quote, names)), "remove" if call.is_absent else "install"
    return f"{program} {act} -y {wanted}" if wanted else ":"


def _snap(call: Call) -> Iterator[str]:
    """One snap after the other, as it takes a channel of its own."""
    options = " --classic" if call.is_yes("classic") else ""
    channel = call.get("channel")
    options += f" --channel={quote(channel)}" if channel else ""
    for name in call.names("name"):
        yield f"snap remove {quote(name)}" if call.is_absent else f"snap install {quote(name)}{options}"


def _apt_repository(call: Call) -> Iterator[str]:
    yield ":" if call.is_absent else f"add-apt-repository -y {quote(call.get('repo'))}"


def _yum_repository(call: Call) -> Iterator[str]:
    path = f"/etc/yum.repos.d/{call.get('file') or call.get('name')}.repo"
    url = call.get("baseurl") or call.get("mirrorlist") or call.get("metalink")
    yield f"rm -f {quote(path)}" if call.is_absent else f"echo {quote('baseurl=' + url)} > {quote(path)}"


def _deb822_repository(call: Call) -> Iterator[str]:
    path = f"/etc/apt/sources.list.d/{call.get('name')}.sources"
    urls = " ".join(call.names("uris")) + " " + " ".join(call.names("suites"))
    yield f"rm -f {quote(path)}" if call.is_absent else f"echo {quote('URIs: ' + urls)} > {quote(path)}"


def _service(call: Call) -> Iterator[str]:
    name = quote(call.get("name", "service"))
    if call.is_yes("daemon_reload"):
        yield "systemctl daemon-reload"
    if not call.get("name", "service"):
        return
    for key, yes, no in (("masked", "mask", "unmask"), ("enabled", "enable", "disable")):
        if call.is_yes(key) or call.is_no(key):
            yield f"systemctl {yes if call.is_yes(key) else no} {name}"
    act = {"started": "start", "restarted": "restart", "stopped": "stop", "reloaded": "reload"}.get(call.get("state"))
    if act is not None:
        yield f"systemctl {act} {name}"


def _file_task_lines(call: Call) -> Iterator[str]:
    """A text, what another task has printed, or another file: a template, or one that lies beside the playbook."""
    to, source, content = call.get("dest", "path"), call.get("src"), call.get("content").rstrip()
    printed = _PRINTED.match(content)
    if not _is_a_file(to):
        yield ":"
    elif printed is not None and call.registered.get(printed[1]):
        yield f"{call.registered[printed[1]]} > {quote(to)}"
    elif "content" in call.task.values:
        yield f"printf '%s\\n' {quote(content)} > {quote(to)}"
    elif source:
        made = call.registered.get(source) if call.is_yes("remote_src") else None
        yield made.replace(source, to) if made is not None else f"cp {quote(source)} {quote(to)}"


def _is_a_file(path: str) -> bool:
    return bool(path) and not path.endswith("/") and "{%" not in path


def _file(call: Call) -> Iterator[str]:
    path, state = quote(call.get("path", "dest", "name")), call.get("state")
    if state == "directory":
        yield f"mkdir -p {path}"
    elif state == "absent":
        yield f"rm -rf {path}"
    elif state in ("link", "hard"):
        yield f"ln -sf {quote(call.get('src'))} {path}"
    else:
        yield f"touch {path}" if state == "touch" else ":"


def _line(call: Call) -> Iterator[str]:
    path, line, sign = quote(call.get("path", "dest", "name")), call.get("line"), call.get("regexp", "regex")
    if call.is_absent:
        gone = sign or (f"^{_SPECIAL.sub(_ESCAPED, line)}$" if line else "")
        yield _sed(f"{{}}{gone}{{}}d", path, gone) if gone else f": edits {path}"
    elif sign:
        around = f"({sign})" if "|" in sign else sign
        yield _sed(f"s{{}}^.*{around}.*${{}}{line}{{}}", path, sign + line)
    else:
        yield f"echo {quote(line)} >> {path}"


def _lines_added(call: Call) -> Iterator[str]:
    """The shell command that adds one line; a block of several is laid out as it stands."""
    path, block = quote(call.get("path", "dest", "name")), call.get("block", "content").strip()
    yield f": edits {path}" if call.is_absent or not block else f"printf '%s\\n' {quote(block)} >> {path}"


def _replace(call: Call) -> Iterator[str]:
    sign, by = call.get("regexp"), call.get("replace")
    yield _sed(f"s{{}}{sign}{{}}{by}{{}}g", quote(call.get("path", "dest", "name")), sign + by)


def _sed(form: str, path: str, texts: str) -> str:
    """Words that do nothing, where sed could not say the same."""
    delimiter = next((each for each in _DELIMITERS if each not in texts), "")
    if not delimiter or _ONLY_PYTHON.search(texts) or "\n" in texts or "{{" in texts:
        return f": edits {path} {quote(' '.join(texts.split()))}"
    body = form.replace("{}", delimiter).removeprefix(delimiter if form.startswith("{}") else "")
    address = f"\\{delimiter}" if form.startswith("{}") else ""
    return f"sed -i -E {quote(address + body)} {path}"


def _modprobe(call: Call) -> Iterator[str]:
    name = call.get("name")
    is_gone = call.is_absent
    yield f"modprobe {'-r ' if is_gone else ''}{quote(name)} {call.get('params')}".rstrip()
    if call.get("persistent") == "present":
        yield f"echo {quote(name)} > {quote(f'/etc/modules-load.d/{name}.conf')}"


def _sysctl(call: Call) -> Iterator[str]:
    if not call.is_absent:
        setting, path = f"{call.get('name', 'key')}={call.get('value', 'val')}", call.get("sysctl_file")
        yield f"echo {quote(setting)} >> {quote(path or '/etc/sysctl.conf')}"
        yield f"sysctl -w {quote(setting)}"


def _mount(call: Call) -> Iterator[str]:
    path, kind, state = call.get("path", "name"), call.get("fstype"), call.get("state")
    if state in ("absent", "unmounted", "absent_from_fstab"):
        yield f": edits /etc/fstab {quote(path)}"
        return
    options = call.get("opts") or "defaults"
    if state in ("mounted", "present"):
        yield f"echo {quote(' '.join((call.get('src'), path, kind, options, '0 0')))} >> /etc/fstab"
    if state in ("mounted", "ephemeral"):
        yield f"mount {quote(path)}"


def _ufw(call: Call) -> Iterator[str]:
    ways = {"in": "incoming", "incoming": "incoming", "out": "outgoing", "outgoing": "outgoing", "routed": "routed"}
    policy = call.get("policy", "default")
    if policy:
        yield f"ufw default {policy} {ways.get(call.get('direction') or 'incoming', 'incoming')}"
    if call.get("rule") and not call.is_yes("delete"):
        rule = _ufw_rule(call)
        # For whom a value opens it that Ansible fills in, nobody can say, and nobody means everybody.
        yield ": ufw" if "{{" in rule else rule
    act = {"enabled": "--force enable", "disabled": "disable", "reset": "--force reset", "reloaded": "reload"}
    if call.get("state") in act:
        yield f"ufw {act[call.get('state')]}"


def _ufw_rule(call: Call) -> str:
    is_route = call.is_yes("route")
    words = ["ufw", *(["route"] if is_route else []), call.get("rule")]
    for way, key in (("in", "interface_in"), ("out", "interface_out")):
        name = call.get(key) or (call.get("interface", "if") if call.get("direction") == way else "")
        words += [way, "on", quote(name)] if name else []
    protocol, port = call.get("proto", "protocol"), call.get("to_port", "port")
    words += ["from", quote(call.get("from_ip", "from", "src") or "any")]
    words += ["to", quote(call.get("to_ip", "to", "dest") or "any")]
    words += ["port", quote(port)] if port else []
    words += ["proto", protocol] if protocol and protocol != "any" else []
    return " ".join(words)


def _firewalld(call: Call) -> Iterator[str]:
    act = "remove" if call.get("state") in ("disabled", "absent") else "add"
    permanent = "--permanent " if call.is_yes("permanent") else ""
    zone = f"--zone={quote(call.get('zone'))} " if call.get("zone") else ""
    for key in ("port", "service", "source", "interface", "rich_rule"):
        if call.get(key):
            yield f"firewall-cmd {permanent}{zone}--{act}-{key.replace('_', '-')}={quote(call.get(key))}"
    if call.is_yes("masquerade"):
        yield f"firewall-cmd {permanent}{zone}--{act}-masquerade"


def _fetched(call: Call) -> Iterator[str]:
    url, to = call.get("url"), call.get("dest")
    yield f"curl -fsSLo {quote(to)} {quote(url)}" if url and to and not to.endswith("/") else ":"


_MADE_OF: Mapping[str, Callable[[Call], Iterator[str]]] = {
    **dict.fromkeys(("shell", "command", "raw"), _run),
    **dict.fromkeys(_OF_PACKAGES, _packages),
    "snap": _snap,
    "apt_repository": _apt_repository,
    "yum_repository": _yum_repository,
    "deb822_repository": _deb822_repository,
    **dict.fromkeys(("service", "systemd", "systemd_service"), _service),
    **dict.fromkeys(("copy", "template"), _file_task_lines),
    **dict.fromkeys(("include", "include_tasks", "import_tasks", "include_role", "import_role"), _included),
    "file": _file,
    "lineinfile": _line,
    "blockinfile": _lines_added,
    "replace": _replace,
    "modprobe": _modprobe,
    "sysctl": _sysctl,
    "mount": _mount,
    "ufw": _ufw,
    "firewalld": _firewalld,
    "get_url": _fetched,
}
