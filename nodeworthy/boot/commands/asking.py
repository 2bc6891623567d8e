"""Programs that only tell what a node is like: what they print is known there, and they change nothing."""

from __future__ import annotations

from nodeworthy.boot.commands.call import (
    SILENT,
    Call,
    Did,
    Handler,
    ask_node,
    on_the_node,
    printed_content,
    run_on_node,
)
from nodeworthy.boot.text import Text

_ONLY_TELL = (
    "date uname arch nproc whoami id groups hostid getconf getent lsblk lspci lscpu lsof lsb_release blkid findmnt "
    "df du free uptime dmesg journalctl ls stat file wc sort uniq awk gawk mawk jq column fold rev tac nl "
    "paste comm diff cmp md5sum sha256sum sha1sum od xxd hexdump strings which type command readlink realpath "
    "mktemp tempfile printenv locale ps pgrep pidof ss netstat lsns nslookup dig host ping traceroute nc getfacl "
    "lsattr numfmt expr bc ec2-metadata ec2metadata cloud-id dmidecode ethtool ibstat ibv_devinfo fi_info rdma "
    "logname tty uuidgen"
).split()
_SAYS_NOTHING = "sync logger wall clear tput stty".split()


def containerd(call: Call) -> Did:
    if call.words[:1] == ("config",):
        said = " ".join(argument.shown() for argument in call.arguments)
        return Did(output=on_the_node(call, f"what `{said}` prints"))
    return ask_node(call) if call.words[:1] in {("--version",), ("-v",)} else run_on_node(call)


def hostname(call: Call) -> Did:
    """Sets the name where one is given; else it prints it."""
    sets = any(word and not word.startswith("-") for word in call.words) or any(a.holes for a in call.arguments[1:])
    return run_on_node(call) if sets else ask_node(call)


def pwd(call: Call) -> Did:
    return (
        ask_node(call)
        if call.folder is None
        else Did(output=printed_content(call, Text.of(f"{call.folder}\n")), succeeded=True)
    )


def sysctl(call: Call) -> Did:
    """`-n NAME` asks; a value is written by `-w NAME=…`, by a file, or without any option."""
    asks = not any("=" in word for word in call.words) and not {"-p", "--system", "--load"}.intersection(call.words)
    asks = asks and not any(argument.holes for argument in call.arguments[1:])
    return ask_node(call) if asks else run_on_node(call)


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(_ONLY_TELL, ask_node),
    **dict.fromkeys(_SAYS_NOTHING, lambda _: SILENT),
    "containerd": containerd,
    "hostname": hostname,
    "pwd": pwd,
    "sysctl": sysctl,
}
