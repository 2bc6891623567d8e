"""Downloads: curl, wget, the clouds' copies, git."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.boot.commands.call import (
    NOTHING,
    Call,
    Did,
    Given,
    Handler,
    ask_node,
    beginning,
    on_the_node,
    run_on_node,
    split_options,
)
from nodeworthy.boot.commands.names import below, ending, last_part
from nodeworthy.boot.commands.rancher import k3s_installed
from nodeworthy.boot.content import Content
from nodeworthy.boot.effects import Act, Effect, Fetches, Gap, Installs, NotUnderstood, Runs, Unit, Writes
from nodeworthy.boot.text import Text
from nodeworthy.known.installers import Installer, installer_at
from nodeworthy.patterns import pattern

# Scripts from the network that a shell runs at once: of a few it is known what they do.


def fetched_script(url: Text, call: Call) -> Did:
    """What a fetched script does; the call has only its arguments and its environment."""
    known = installer_at(beginning(url))
    return Did(list(_installed(known, call) if known else _anything(url, call)))


# The installers of k3s and RKE2 that somebody has put beside the script: what they are told says whose they are.
_KEPT = pattern(r"(?i)[\w.-]*(?:install|k3s|rke2)[\w.-]*\.sh")
_TOLD = ("VERSION", "EXEC", "BIN_DIR", "SKIP_DOWNLOAD", "SKIP_ENABLE", "SKIP_START", "ARTIFACT_PATH", "TYPE", "CHANNEL")
_ADDRESSES = {"INSTALL_K3S": "get.k3s.io", "INSTALL_RKE2": "get.rke2.io"}


def kept_installer(call: Call) -> Did | None:
    """`INSTALL_K3S_SKIP_DOWNLOAD=true ./install.sh`, as clusters without the internet have it."""
    if _KEPT.fullmatch(call.program) is None:
        return None
    told = (each for each in _ADDRESSES if any(call.environment.get(f"{each}_{name}") for name in _TOLD))
    known = next((installer_at(_ADDRESSES[each]) for each in told), None)
    return Did(list(_installed(known, call))) if known is not None else None


# The programs of Kubernetes as it offers them by themselves: none is a script, and what each does is known by its name.
_PROGRAM = pattern(r"https?://(?:dl\.k8s\.io|storage\.googleapis\.com/kubernetes-release)/\S*/(?:kube\w+|kubectl)")


def is_program(url: Text) -> bool:
    """Whether what lies there is a program that is known by its name."""
    return _PROGRAM.fullmatch(url.shown()) is not None


def _anything(url: Text, call: Call) -> Iterator[Effect]:
    yield call.does(Fetches, url=url, runs=True)
    yield call.does(
        NotUnderstood,
        written=url.shown(),
        may_be="it may do anything: nvidia, kubelet, modprobe",
        why="nobody here has read the script that is fetched and run",
        kind=Gap.ANYTHING,
    )


def _installed(known: Installer, call: Call) -> Iterator[Effect]:
    packages = tuple(Text.of(name) for name in known.installs)
    yield call.does(Installs, manager="installer", packages=packages)
    for unit in known.starts:
        for act in (Act.ENABLE, Act.START):
            yield call.does(Unit, unit=Text.of(unit), act=act)
    # RKE2 leaves its units to the user: nothing more happens until one is started.
    if known.joins == "k3s":
        yield from k3s_installed(call)


_CURL = frozenset(
    "-o -H -X -d -u -A -b -c -C -e -E -F -K -m -P -r -t -T -U -w -x -y -Y -z --output --header --request --data "
    "--data-raw --data-binary --data-urlencode --json --user --user-agent --cookie --cookie-jar --continue-at "
    "--referer --cert --key --cacert --capath --form --config --max-time --connect-timeout --retry --retry-delay "
    "--retry-max-time --range --upload-file --write-out --proxy --noproxy --url --output-dir --interface --resolve "
    "--connect-to --limit-rate --max-redirs --proto --proto-redir --tls-max --ciphers --unix-socket --aws-sigv4 "
    "--oauth2-bearer --max-filesize".split()
)
_WGET = frozenset(
    "-O -P -o -a -t -T -w -U -e -i --output-document --directory-prefix --output-file --append-output --tries "
    "--timeout --wait --user-agent --header --user --password --input-file --post-data --body-data --method "
    "--ca-certificate --certificate --private-key --execute --waitretry --retry-on-http-error --limit-rate "
    "--secure-protocol".split()
)
_AWS = frozenset(
    "--region --profile --output --query --endpoint-url --exclude --include --acl --storage-class --sse "
    "--cli-read-timeout --cli-connect-timeout --ca-bundle --expected-size".split()
)
_NO_FILES = frozenset({"-", "/dev/null", "/dev/stdout", "/dev/stderr"})
# They tell what the machine itself is, and nothing from elsewhere.
_METADATA = (
    "169.254.169.254",
    "[fd00:ec2::254]",
    "metadata.google.internal",
    "localhost",
    "127.0.0.1",
    "169.254.170.2",
)
_STORES = ("s3://", "gs://", "https://", "http://")
_ASKING = ("get", "describe", "list", "wait", "sts", "configure", "help", "ls")


def curl(call: Call) -> Did:
    arguments = split_options(call.arguments[1:], _CURL)
    urls = (*arguments.operands, *arguments.values("--url"))
    if not urls or _of_the_machine(urls) or arguments.has("-I", "--head", "-V", "--version"):
        return ask_node(call)
    folder = arguments.value("--output-dir")
    effects: list[Effect] = []
    targets = list(arguments.values("-o", "--output"))
    for url in urls:
        target = targets.pop(0) if targets else None
        if target is None and arguments.has("-O", "--remote-name", "--remote-name-all"):
            target = last_part(url)
        effects += _fetched(call, url, below(folder, target) if folder and target else target)
    return Did(effects, output=_rest(call, effects))


def wget(call: Call) -> Did:
    arguments = split_options(call.arguments[1:], _WGET)
    if not arguments.operands or _of_the_machine(arguments.operands) or arguments.has("--spider", "--version"):
        return ask_node(call)
    effects: list[Effect] = []
    for url in arguments.operands:
        effects += _fetched(call, url, arguments.value("-O", "--output-document") or _saved(url, arguments))
    return Did(effects, output=_rest(call, effects))


def _saved(url: Text, arguments: Given) -> Text:
    folder = arguments.value("-P", "--directory-prefix")
    return below(folder, last_part(url)) if folder else last_part(url)


def _fetched(call: Call, url: Text, target: Text | None) -> list[Effect]:
    if target is not None and target.known == "/dev/null":
        return []
    if target is None or target.known in _NO_FILES:
        return [call.does(Fetches, url=url)]
    path = call.path(target)
    return [call.does(Fetches, url=url, to=path), call.does(Writes, path=path)]


def _of_the_machine(urls: Sequence[Text]) -> bool:
    return all(beginning(url).split("://")[-1].startswith(_METADATA) for url in urls)


def _rest(call: Call, effects: Sequence[Effect]) -> Content:
    return on_the_node(call) if any(isinstance(each, Fetches) and each.to is None for each in effects) else NOTHING


def aws(call: Call) -> Did:
    arguments = split_options(call.arguments[1:], _AWS, clusters=False)
    words, operands = arguments.words, arguments.operands
    if words[:1] == ("s3",) and words[1:2] in {("cp",), ("mv",), ("sync",)} and len(operands) > 3:
        return _copied(call, operands[2], operands[3], one=words[1] != "sync" and not arguments.has("--recursive"))
    if words[:2] == ("s3api", "get-object") and len(operands) > 2:
        path = call.path(operands[-1])
        return Did([call.does(Fetches, url=Text.of("s3://…"), to=path), call.does(Writes, path=path)])
    if words[:1] == ("s3",) and words[1:2] == ("ls",):
        return ask_node(call)
    return _other(call, words)


def store(call: Call) -> Did:
    """`gsutil cp FROM TO`, `gcloud storage cp FROM TO`."""
    operands = split_options(call.arguments[1:]).operands
    words = [operand.known for operand in operands]
    for verb in ("cp", "rsync"):
        if verb in words[:2]:
            behind = operands[words.index(verb) + 1 :]
            if len(behind) > 1:
                return _copied(call, behind[0], behind[1], one=verb == "cp")
    return Did([call.does(Runs, arguments=call.arguments)], output=on_the_node(call))


def _copied(call: Call, source: Text, target: Text, *, one: bool) -> Did:
    if beginning(target).startswith(_STORES):
        return run_on_node(call)
    if target.known == "-":
        return Did([call.does(Fetches, url=source)], output=on_the_node(call))
    path = call.path(target)
    if not one:
        return Did([call.does(Fetches, url=source, to=path)])
    if ending(path).endswith("/"):
        path = below(path, last_part(source))
    elif ending(path).endswith("/."):
        path = below(Text.of(*path.pieces[:-1], ending(path)[:-2]), last_part(source))
    return Did([call.does(Fetches, url=source, to=path), call.does(Writes, path=path)])


def _other(call: Call, words: Sequence[str]) -> Did:
    if any(word.startswith(_ASKING) for word in words[:2]):
        return ask_node(call)
    return Did([call.does(Runs, arguments=call.arguments)], output=on_the_node(call))


def git(call: Call) -> Did:
    takes = frozenset("-b -C -c --branch --depth --origin --config --jobs -j --reference".split())
    operands = split_options(call.arguments[1:], takes).operands
    if len(operands) < 2 or operands[0].known != "clone":
        return Did([call.does(Runs, arguments=call.arguments)], output=on_the_node(call))
    folder = operands[2] if len(operands) > 2 else _repository(operands[1])
    return Did([call.does(Fetches, url=operands[1], to=call.path(folder))])


def _repository(url: Text) -> Text:
    name = last_part(url)
    return Text.of(name.known.removesuffix(".git")) if name.known is not None else name


HANDLERS: dict[str, Handler] = {
    "curl": curl,
    "wget": wget,
    "aws": aws,
    **dict.fromkeys(("gsutil", "gcloud"), store),
    "git": git,
}
