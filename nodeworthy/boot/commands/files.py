"""Programs that make, copy, move, link and delete files."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.commands.call import NOTHING, SILENT, Call, Did, Given, Handler, split_options
from nodeworthy.boot.commands.names import below, ending, last_part, pattern
from nodeworthy.boot.commands.streams import contents_of, write_of
from nodeworthy.boot.effects import Act, Effect, How, Runs, Unit, Writes
from nodeworthy.boot.text import Text

# Links by which systemd knows what is enabled and what is masked; some scripts make them by hand.

_SYSTEMD = "/etc/systemd/system/"
_WANTS = (".wants", ".requires")


def link_unit(call: Call, target: Text, path: Text) -> Iterator[Unit]:
    yield from _acts(call, path, Act.MASK if target.known == "/dev/null" else None, Act.ENABLE)


def unlink_unit(call: Call, path: Text) -> Iterator[Unit]:
    yield from _acts(call, path, None, Act.DISABLE)


def _acts(call: Call, path: Text, own: Act | None, wanted: Act) -> Iterator[Unit]:
    known = path.string
    if not known.startswith(_SYSTEMD):
        return
    folder, _, unit = known.removeprefix(_SYSTEMD).rpartition("/")
    if folder.endswith(_WANTS):
        yield call.does(Unit, unit=Text.of(unit), act=wanted)
    elif not folder and own:
        yield call.does(Unit, unit=Text.of(unit), act=own)


_COPIES = frozenset("-t -S -m -o -g --target-directory --suffix --mode --owner --group --context".split())
_OF_TREES = ("-r", "-R", "-a", "--recursive", "--archive")
# Copied to one of these without a slash behind it, a file goes into it.
_FOLDERS = frozenset(
    "/ /bin /boot /etc /home /opt /root /sbin /srv /tmp /usr /var /usr/bin /usr/sbin /usr/lib /usr/share "
    "/usr/local/bin /usr/local/sbin /usr/local/lib /var/lib /var/tmp /etc/systemd/system /usr/lib/systemd/system "
    "/lib/systemd/system /etc/eks /etc/kubernetes /etc/kubernetes/pki /etc/kubernetes/manifests /etc/containerd "
    "/etc/docker /var/lib/kubelet /var/lib/rancher/k3s/server/manifests /etc/ssl/certs "
    "/usr/local/share/ca-certificates".split()
)


def cp(call: Call) -> Did:
    arguments = split_options(call.arguments[1:], _COPIES - {"-m", "-o", "-g"})
    if arguments.has(*_OF_TREES) and not _copies_files(call, arguments):
        return Did([call.does(Runs, arguments=call.arguments)], output=NOTHING)
    return Did(list(_copied(call, arguments)), output=NOTHING)


def mv(call: Call) -> Did:
    arguments = split_options(call.arguments[1:], _COPIES - {"-m", "-o", "-g"})
    sources = arguments.operands if arguments.has("-t", "--target-directory") else arguments.operands[:-1]
    gone = [call.does(Writes, path=pattern(call.path(source)), how=How.DELETE) for source in sources]
    return Did([*_copied(call, arguments), *gone], output=NOTHING)


def install(call: Call) -> Did:
    arguments = split_options(call.arguments[1:], _COPIES)
    if arguments.has("-d", "--directory"):
        return SILENT
    mode = arguments.value("-m", "--mode")
    return Did(list(_copied(call, arguments, mode=mode.known if mode else None)), output=NOTHING)


def rm(call: Call) -> Did:
    paths = [pattern(call.path(each)) for each in split_options(call.arguments[1:]).operands]
    deleted = [call.does(Writes, path=path, how=How.DELETE) for path in paths]
    return Did([*deleted, *(effect for path in paths for effect in unlink_unit(call, path))], output=NOTHING)


def ln(call: Call) -> Did:
    arguments = split_options(call.arguments[1:], frozenset({"-t", "-S", "--target-directory", "--suffix"}))
    effects: list[Effect] = []
    for target, path in _pairs(call, arguments):
        content = call.files.content(call.path(target))
        effects.append(
            call.does(Writes, path=path, how=How.LINK, content=content, whole=content, expressions=(target,))
        )
        effects += link_unit(call, target, path)
    return Did(effects, output=NOTHING)


def touch(call: Call) -> Did:
    """Makes an empty file where there is none, and leaves one that is there."""
    operands = split_options(call.arguments[1:], frozenset("-d -r -t --date --reference --time".split())).operands
    return Did([write_of(call, call.path(each), NOTHING, appends=True) for each in operands], output=NOTHING)


def truncate(call: Call) -> Did:
    arguments = split_options(call.arguments[1:], frozenset("-s -r --size --reference".split()))
    size = arguments.value("-s", "--size")
    content = NOTHING if size is not None and size.known == "0" else None
    return Did([write_of(call, call.path(each), content) for each in arguments.operands], output=NOTHING)


def dd(call: Call) -> Did:
    told = {begins: value for word in call.arguments[1:] for begins, value in [_setting(word)] if begins}
    if "of" not in told:
        return Did([call.does(Runs, arguments=call.arguments)], output=None if "if" in told else call.stdin)
    content = contents_of(call, told["if"]) if "if" in told else call.stdin
    if told.keys() & {"skip", "count", "seek", "conv"}:
        content = None
    return Did([write_of(call, call.path(told["of"]), content)], output=NOTHING)


def _setting(word: Text) -> tuple[str, Text]:
    first = word.pieces[0] if word.pieces else ""
    name, equals, value = first.partition("=") if isinstance(first, str) else ("", "", "")
    return (name, Text.of(value, *word.pieces[1:])) if equals else ("", word)


def _copied(call: Call, arguments: Given, *, mode: str | None = None) -> Iterator[Effect]:
    for source, path in _pairs(call, arguments):
        yield write_of(call, path, contents_of(call, source), mode=mode)


def _pairs(call: Call, arguments: Given) -> Iterator[tuple[Text, Text]]:
    """What goes where."""
    folder = arguments.value("-t", "--target-directory")
    sources, target = (arguments.operands, folder) if folder else (arguments.operands[:-1], arguments.operands[-1:])
    if isinstance(target, tuple):
        if not sources:
            return
        target = target[0]
    target = call.path(target)
    into = folder is not None or len(sources) > 1 or (_is_folder(target) and not arguments.has("-T"))
    for source in sources:
        yield source, pattern(below(target, last_part(source))) if into else target


def _is_folder(path: Text) -> bool:
    return ending(path).endswith(("/", ".d", "/.")) or path.known in _FOLDERS


def _copies_files(call: Call, arguments: Given) -> bool:
    """`cp -a` of single files is as usual as of trees: they are files where the script made them."""
    return all(call.files.content(call.path(source)) is not None for source in arguments.operands[:-1])


HANDLERS: dict[str, Handler] = {
    "cp": cp,
    "mv": mv,
    "install": install,
    "rm": rm,
    "unlink": rm,
    "ln": ln,
    "touch": touch,
    "truncate": truncate,
    "dd": dd,
    **dict.fromkeys(("mkdir", "rmdir", "chmod", "chown", "chgrp", "chattr", "setfacl", "restorecon"), lambda _: SILENT),
}
