"""Programs that edit files in place in a language of their own: what comes out is not known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.boot.commands.call import NOTHING, Call, Did, Given, Handler, ask_node, split_options
from nodeworthy.boot.commands.streams import write_of
from nodeworthy.boot.effects import How, NotUnderstood, Runs, Writes
from nodeworthy.boot.text import EMPTY, Hole, Text
from nodeworthy.records import replace

# What `sed -i.bak` and `perl -i.bak` keep of a file before they edit it.


def backup(call: Call, arguments: Given, path: Text) -> Iterator[Writes]:
    suffix = arguments.value("-i", "--in-place")
    if suffix:
        yield write_of(call, _backup_path(path, suffix), call.files.content(path))


def _backup_path(path: Text, suffix: Text) -> Text:
    """A suffix with a `*` or a `/` in it makes a name of its own."""
    if suffix.known is None or not set("*/") & set(suffix.known):
        return path + suffix
    if path.known is None:
        return Text((Hole(suffix.known, path.why),))
    folder, _, name = path.known.rpartition("/")
    made = suffix.known.replace("*", name) if "*" in suffix.known else name + suffix.known
    return Text.of(made if made.startswith("/") else f"{folder}/{made}") if made else EMPTY


GRUB = Text.of("/etc/default/grub")


def _edited(call: Call, files: Sequence[Text], expressions: Sequence[Text]) -> Did:
    edits = [call.does(Writes, path=call.path(each), how=How.EDIT, expressions=tuple(expressions)) for each in files]
    return Did(edits or [call.does(Runs, arguments=call.arguments)], output=NOTHING)


def crudini(call: Call) -> Did:
    arguments = split_options(call.arguments[1:], frozenset({"--format"}))
    if arguments.has("--get", "--help", "--version"):
        return ask_node(call)
    return _edited(call, arguments.operands[:1], arguments.operands[1:])


def yq(call: Call) -> Did:
    """Edits the file with -i; else it prints."""
    arguments = split_options(
        call.arguments[1:], frozenset("-o -p -I --output-format --input-format --from-file --arg".split())
    )
    if not arguments.has("-i", "--inplace", "--in-place"):
        return ask_node(call)
    operands = [each for each in arguments.operands if each.known not in {"eval", "e", "eval-all", "ea"}]
    return _edited(call, operands[1:], operands[:1])


def perl(call: Call) -> Did | None:
    """`perl -pi -e 's/…/…/' FILE`; any other program in Perl is not read."""
    arguments = split_options(call.arguments[1:], frozenset({"-e", "-E"}), attached=frozenset({"-i", "-M", "-I", "-0"}))
    if arguments.has("-i"):
        backups = [each for file in arguments.operands for each in backup(call, arguments, call.path(file))]
        edited = _edited(call, arguments.operands, arguments.values("-e", "-E"))
        return replace(edited, effects=[*backups, *edited.effects])
    return run_interpreter(call)


def ex(call: Call) -> Did:
    """ed and ex read their commands; vim takes them as options."""
    arguments = split_options(call.arguments[1:], frozenset({"-c", "-p", "--cmd"}))
    told = arguments.values("-c") or tuple(line.text for line in (call.stdin or NOTHING).lines)
    return _edited(call, arguments.operands, told)


def patch(call: Call) -> Did:
    takes = frozenset("-d -i -p -o -F --directory --input --strip --output --fuzz".split())
    arguments = split_options(call.arguments[1:], takes)
    return _edited(call, arguments.operands[:1], tuple(line.text for line in (call.stdin or NOTHING).lines))


def sponge(call: Call) -> Did:
    arguments = split_options(call.arguments[1:])
    appends = arguments.has("-a")
    return Did([write_of(call, call.path(each), call.stdin, appends=appends) for each in arguments.operands], NOTHING)


def grubby(call: Call) -> Did:
    """The kernel's command line: read at the next boot."""
    takes = frozenset("--args --remove-args --update-kernel --info --set-default --default-kernel --title".split())
    arguments = split_options(call.arguments[1:], takes)
    added = arguments.values("--args")
    if not added and not arguments.has("--remove-args"):
        return ask_node(call)
    edit = call.does(Writes, path=GRUB, how=How.EDIT, expressions=added)
    return Did([edit, call.does(Runs, arguments=call.arguments)])


def gpg(call: Call) -> Did:
    """`--dearmor -o FILE`: the file's content is a key, and none that anybody reads here."""
    arguments = split_options(
        call.arguments[1:], frozenset("-o --output --keyring --keyserver --homedir --recv-keys".split())
    )
    target = arguments.value("-o", "--output")
    return ask_node(call) if target is None else Did([write_of(call, call.path(target), None)], output=NOTHING)


def run_interpreter(call: Call) -> Did | None:
    """A program in another language is not read; what it names is kept for those whom it may concern."""
    arguments = split_options(call.arguments[1:], frozenset({"-c", "-e", "-E", "-m"}), stops=True)
    code = [value.shown() for value in arguments.values("-c", "-e", "-E")]
    if not code and not arguments.has("-m"):
        file = arguments.operands[0] if arguments.operands and arguments.operands[0].known != "-" else None
        content = call.files.content(call.path(file)) if file else call.stdin
        code = [content.text.shown()] if content else []
    if not code:
        return ask_node(call) if arguments.has("-V", "--version", "-v") else None
    why = f"{call.program} is not read here"
    return Did([call.does(NotUnderstood, written="\n".join(code), why=why)])


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(("crudini", "ini-file"), crudini),
    "yq": yq,
    "perl": perl,
    **dict.fromkeys(("ex", "ed", "vi", "vim"), ex),
    "patch": patch,
    "sponge": sponge,
    "grubby": grubby,
    "gpg": gpg,
    **dict.fromkeys(("python", "python2", "python3", "ruby", "node", "php", "lua"), run_interpreter),
}
