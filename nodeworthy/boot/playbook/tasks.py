"""The tasks of a playbook: what each asks of a module, in their order, under what they are asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from nodeworthy.boot.playbook.variables import fill_in, items_of, scope_within, text_of
from nodeworthy.documents.tree import Tree
from nodeworthy.known.containerd import defaults
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, replace

# Keys of a task that name no module.
_KEYWORDS = frozenset(
    (
        "name action any_errors_fatal args async become become_exe become_flags become_method become_user changed_when "
        "check_mode collections connection debugger delay delegate_facts delegate_to diff environment failed_when "
        "ignore_errors ignore_unreachable listen local_action loop loop_control module_defaults no_log notify poll "
        "port register remote_user retries run_once tags throttle timeout until vars when block rescue always "
        "first_available_file"
    ).split()
)
_RESCUE = "rescue"
_ONLY_SAYS = ("debug", "set_fact", "pause")
_PLAYS = ("pre_tasks", "roles", "tasks", "post_tasks", "handlers")
_HERE = ("localhost", "127.0.0.1", "::1")
# A variable of roles that is the whole of containerd's file, as githubixx.containerd has one.
_WHOLE_CONFIG = "containerd_config"
_INCLUDES = ("include_tasks", "import_tasks", "include")
_NAME_OF_TASKS = pattern(r"[\w./-]+\.ya?ml")
# Asked for by name alone.
_NEVER = "never"
# More items than these nobody writes out.
_MOST = 40
_PAIR = pattern(r"(?:^|\s)(\w+)=(\"[^\"]*\"|'[^']*'|(?:\{\{.*?\}\}|[^\s{])+)")
# What a free-form command may be given beside itself.
_BESIDE = pattern(r"(?:^|\s)(?:creates|removes|chdir|executable|warn|stdin)=(?:\"[^\"]*\"|'[^']*'|\S+)")
_BRACED = pattern(r"\{\{[^{}]*\}\}")
_PLAIN = pattern(r"[\w@%+=:,./-]+")
_FREE = ("shell", "command", "raw", "script")
_ITEM = pattern(r"\{\{-?\s*item(?:\.(\w+)|\[['\"](\w+)['\"]\])?\s*-?\}\}")


@dataclass(frozen=True)
class Task:
    """One call of a module, with the values that its loop gives it already filled in."""

    module: str
    # Line of the module's key.
    line: int
    values: Mapping[str, Tree]
    # What is said of variables around it.
    scope: Mapping[str, Tree]
    # What stands behind the module's name, where that is a text.
    free: Tree | None = None
    when: tuple[str, ...] = ()
    items: tuple[Mapping[str, str], ...] = ()
    # The name under which its output is kept.
    register: str = ""
    # By which of its keys Ansible goes on where it fails.
    goes_on: str = ""
    # The file whose tasks stand in its place, where that is written out and nothing else decides whether they do.
    included: str = ""
    # All that the task says, its conditions among it.
    entry: Tree | None = None

    def fill(self, text: str, item: Mapping[str, str]) -> str:
        text = fill_in(text, self.scope)
        return fill_in(_ITEM.sub(lambda found: item.get(found[1] or found[2] or "", found[0]), text), self.scope)


def tasks_of(document: Tree, around: Mapping[str, Tree], asked: tuple[str, ...] = ()) -> Iterator[Task]:
    """The tasks of plays, each under the group that it is for, unless there is only one. A play for the machine that
    runs Ansible is none of the nodes'. Where no play is for another machine, that machine is the node itself. `asked`
    is under what a list of tasks is included."""
    groups = {text_of(each.get("hosts")) for each in document.sequence if not each.get("hosts").is_absent}
    for entry in document.sequence:
        hosts = text_of(entry.get("hosts"))
        if not any(name in entry.mapping for name in ("hosts", *_PLAYS)):
            yield from _task(entry, asked, around)
        elif groups <= set(_HERE) or (hosts not in _HERE and text_of(entry.get("connection")) != "local"):
            is_some = hosts and len(groups - set(_HERE)) > 1 and hosts not in ("all", "*")
            under = (f'group_names == "{hosts}"',) if is_some else ()
            for name in _PLAYS:
                for each in entry.get(name).sequence:
                    yield from _task(each, under, scope_within(entry, around))


def tasks_anywhere(document: Tree, around: Mapping[str, Tree]) -> Iterator[Task]:
    """All of them, whichever machine they run on: what they ask of a cluster they may ask from anywhere."""
    for entry in document.sequence:
        if any(name in entry.mapping for name in ("hosts", *_PLAYS)):
            for name in _PLAYS:
                for each in entry.get(name).sequence:
                    yield from _task(each, (), scope_within(entry, around), anywhere=True)
        else:
            yield from _task(entry, (), around, anywhere=True)


def _task(
    entry: Tree, under: tuple[str, ...], around: Mapping[str, Tree], *, anywhere: bool = False, rescued: str = ""
) -> Iterator[Task]:
    if not entry.is_mapping or (_is_elsewhere(entry) and not anywhere):
        return
    asked, scope = (*under, *_conditions(entry.get("when"))), scope_within(entry, around)
    # What `rescue` does, a machine on which all goes well never sees.
    for name in ("block", "always"):
        goes_on = rescued or (_RESCUE if name == "block" and _is_made_light_of(entry.get(_RESCUE)) else "")
        for each in entry.get(name).sequence:
            yield from _task(each, asked, scope, anywhere=anywhere, rescued=goes_on)
    key = next((name for name in entry.mapping if name not in _KEYWORDS and not name.startswith("with_")), None)
    if key is not None:
        called = _task_of_module(entry, key, asked, scope)
        yield replace(called, goes_on=called.goes_on or rescued) if rescued else called
    if key == "role":
        text = entry.get(_WHOLE_CONFIG) if _WHOLE_CONFIG in entry.mapping else entry.get("vars").get(_WHOLE_CONFIG)
        if text.text is not None:
            yield _written_by_a_role(text, defaults().config, asked, scope)


def _is_made_light_of(rescue: Tree) -> bool:
    """Whether all that is done about a failure is to print something: the play goes on as if there were none."""
    keys = [key.rpartition(".")[2] for each in rescue.sequence for key in each.mapping if key not in _KEYWORDS]
    return bool(keys) and all(key in _ONLY_SAYS for key in keys)


def _written_by_a_role(text: Tree, path: str, asked: tuple[str, ...], scope: Mapping[str, Tree]) -> Task:
    values = {"content": text, "dest": Tree(path, text.place)}
    return Task("copy", text.heading.line or 1, values, scope, when=asked)


def _task_of_module(entry: Tree, key: str, asked: tuple[str, ...], scope: Mapping[str, Tree]) -> Task:
    given, module = entry.get(key), key.rpartition(".")[2]
    values = _arguments(entry.get("args"))
    values.update(given.mapping)
    line = given.heading.line or 1
    free = given if given.text is not None else None
    if free is not None and module not in _FREE:
        values.update(_pairs(free))
    kept = text_of(entry.get("register"))
    included = _included(entry, free, values) if module in _INCLUDES else ""
    items = tuple(_items(entry, scope))
    return Task(module, line, values, scope, free, asked, items, kept, _goes_on(entry), included, entry)


def _arguments(args: Tree) -> dict[str, Tree]:
    """What is filled in as a whole may be any of them, and a shell by all means."""
    return dict(args.mapping) if args.is_mapping or args.says_nothing else {"executable": args}


def _included(entry: Tree, free: Tree | None, values: Mapping[str, Tree]) -> str:
    """The file that a task includes. A loop may go over nothing, and a task may run only where somebody asks for it:
    neither counts."""
    tags = entry.get("tags")
    if any(name == "loop" or name.startswith("with_") for name in entry.mapping) or "apply" in values:
        return ""
    if _NEVER in [text_of(each) for each in tags.sequence or [tags]]:
        return ""
    name = text_of(free) or text_of(values.get("file"))
    return name if _NAME_OF_TASKS.fullmatch(name) else ""


def _goes_on(entry: Tree) -> str:
    if text_of(entry.get("ignore_errors")).lower() in ("yes", "true", "on"):
        return "ignore_errors"
    return "failed_when" if text_of(entry.get("failed_when")).lower() in ("no", "false", "off") else ""


def _is_elsewhere(entry: Tree) -> bool:
    """Whether the task is delegated to another machine."""
    to = text_of(entry.get("delegate_to"))
    return bool(to) and "inventory_hostname" not in to


def _conditions(when: Tree) -> tuple[str, ...]:
    every: Sequence[Tree] = when.sequence or [when]
    texts = [" ".join(text_of(each).split()) for each in every]
    parts = [part for text in texts for part in _conjuncts(text)]
    return tuple(part for part in parts if part.lower() not in ("", "true", "yes"))


def _conjuncts(condition: str) -> Iterator[str]:
    """What all has to hold: of `(a == 'b' or c) and not d` these two."""
    parts = _parted(condition, " and ")
    if len(parts) > 1 and len(_parted(condition, " or ")) == len(_parted(condition, " if ")) == 1:
        for each in parts:
            yield from _conjuncts(each)
    elif _is_in_brackets(condition):
        yield from _conjuncts(condition[1:-1].strip())
    else:
        yield condition.strip()


def _parted(condition: str, word: str) -> list[str]:
    """The parts between these words, those within brackets left whole."""
    first, *others = condition.split(word)
    parts = [first]
    for each in others:
        if parts[-1].count("(") > parts[-1].count(")"):
            parts[-1] += word + each
        else:
            parts.append(each)
    return parts


def _is_in_brackets(condition: str) -> bool:
    """Whether one pair of them is around all of it."""
    if not (condition.startswith("(") and condition.endswith(")")):
        return False
    depth = 0
    for index, char in enumerate(condition):
        depth += (char == "(") - (char == ")")
        if not depth:
            return index == len(condition) - 1
    return False


def _pairs(free: Tree) -> Iterator[tuple[str, Tree]]:
    """`apt: name=kubelet state=present`."""
    for found in _PAIR.finditer(free.string):
        value = found[2][1:-1] if found[2][0] in "\"'" else found[2]
        yield found[1], Tree(value, free.place, free.key)


def words_of(task: Task) -> str:
    """The command of a free-form task, without what it is given beside it."""
    text = _as_split(text_of(task.free)) or text_of(task.values.get("cmd")) or text_of(task.values.get("_raw_params"))
    argv = task.values.get("argv")
    if not text and argv is not None:
        text = " ".join(quote(text_of(each)) for each in argv.sequence)
    return _BESIDE.sub(" ", text) if "=" in text.partition("\n")[0] else text


def _as_split(free: str) -> str:
    """The text behind a module's name as Ansible hands it on: outside of quotes it drops a backslash that stands alone,
    as YAML leaves one where it folds lines (ansible/parsing/splitter.py, split_args)."""
    if "\\ " not in free:
        return free
    lines, opened = [], ""
    for line in free.split("\n"):
        kept: list[str] = []
        for word in line.split(" "):
            if word != "\\" or opened:
                kept.append(word)
            opened = _open_quote(word, opened)
        lines.append(" ".join(kept) + " \\" * line.endswith(" \\"))
    return "\n".join(lines)


def _open_quote(word: str, opened: str) -> str:
    """The quote that is open behind the word."""
    before = ""
    for letter in word:
        if letter in "\"'" and before != "\\" and opened in ("", letter):
            opened = "" if opened else letter
        before = letter
    return opened


def quote(text: str) -> str:
    """The text as one word of the shell; quotes within braces are Jinja's."""
    text = _BRACED.sub(lambda found: found[0].replace("'", "").replace('"', ""), text)
    return text if _PLAIN.fullmatch(text) else "'" + text.replace("'", "'\\''") + "'"


def _items(entry: Tree, scope: Mapping[str, Tree]) -> Iterator[Mapping[str, str]]:
    """What its loop goes through, where that is written out: each by its fields, a text by none."""
    loops = [entry.get(name) for name in entry.mapping if name in ("loop", "with_items", "with_list", "with_flattened")]
    for each in [item for loop in loops for item in loop.sequence or items_of(text_of(loop), scope)][:_MOST]:
        fields = {name: text_of(value) for name, value in each.mapping.items() if text_of(value)}
        yield fields if each.is_mapping else {"": text_of(each)}
