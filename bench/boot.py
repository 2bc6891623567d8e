"""How long it takes to read boot scripts: as people write them, a very long one, and shapes that nobody writes.

`python -m bench.boot` measures every shape by itself.

The same on every machine: a random source with a fixed seed chooses what a script does.
"""

from __future__ import annotations

import base64
import gc
import gzip
import random
import signal
import time
from collections.abc import Callable
from functools import partial
from types import FrameType

from nodeworthy.boot.read import timeline_of
from nodeworthy.boot.unpack import unpack
from nodeworthy.cli import COLLECT_AFTER
from nodeworthy.verdict import Place

SCRIPTS = 2_000
LINES = 100
LARGE = 1_000_000
ENOUGH_S = 30.0


class Enough(BaseException):
    """Nobody waits that long."""


HEAD = """\
#!/bin/bash
set -euo pipefail
exec > >(tee -a /var/log/user-data.log | logger -t user-data) 2>&1
CLUSTER=gpu-dev
REGION=${AWS_REGION:-us-east-2}
retry() { for i in 1 2 3 4 5; do "$@" && return 0; sleep $((i * 5)); done; return 1; }
"""
# What stands in a script, over and over again; {0} is a number.
PIECES = (
    'echo "options nvidia NVreg_RestrictProfilingToAdminUsers=0" > /etc/modprobe.d/nvprof-{0}.conf\n',
    "retry dnf install -y nvidia-driver-latest-dkms cuda-toolkit-12-{0}\n",
    "systemctl daemon-reload\nsystemctl enable --now nvidia-persistenced unit-{0}.service\n",
    "if ! grep -q 'shared-{0}' /etc/fstab; then\n"
    '  echo "fs-{0}.efs.$REGION.amazonaws.com:/ /shared-{0} nfs4 _netdev,nofail 0 0" >> /etc/fstab\n'
    "fi\nmount -a || true\n",
    "mkdir -p /srv/hosts.d/registry-{0}:5000\n"
    "cat > /srv/hosts.d/registry-{0}:5000/hosts.toml <<'EOF'\n"
    'server = "http://registry-{0}:5000"\n\n[host."http://registry-{0}:5000"]\n'
    '  capabilities = ["pull", "resolve"]\nEOF\n',
    "cat <<EOF | tee /etc/systemd/system/unit-{0}.service\n[Unit]\nDescription=unit {0} of $CLUSTER\n[Service]\n"
    "ExecStart=/usr/local/bin/unit-{0}\n[Install]\nWantedBy=multi-user.target\nEOF\n",
    "sed -i 's/^#*DefaultLimitNOFILE=.*/DefaultLimitNOFILE={0}/' /etc/systemd/system.conf\n",
    'case "$(uname -m)" in\n  x86_64) ARCH=amd64 ;;\n  aarch64) ARCH=arm64 ;;\nesac\n'
    'curl -fsSL "https://example.com/tool-{0}-$ARCH.tgz" | tar -xz -C /usr/local/bin\n',
    "TOKEN=$(curl -s -X PUT http://169.254.169.254/latest/api/token -H 'X-aws-ec2-metadata-token-ttl-seconds: {0}')\n"
    'INSTANCE=$(curl -s -H "X-aws-ec2-metadata-token: $TOKEN" http://169.254.169.254/latest/meta-data/instance-id)\n',
    "for port in 10250 30000 {0}; do\n  iptables -A INPUT -p tcp --dport $port -j ACCEPT\ndone\n",
    "# What follows is for pool {0}\nlog() {{ echo \"$(date -Is) $*\"; }}\nlog 'pool {0}'\n",
    "[[ -f /etc/os-release ]] && . /etc/os-release\n",
)


def script(source: random.Random, lines: int) -> str:
    pieces, written = [HEAD], HEAD.count("\n")
    while written < lines:
        piece = source.choice(PIECES).replace("{0}", str(source.randint(1, 9999))).replace("{{", "{").replace("}}", "}")
        pieces.append(piece)
        written += piece.count("\n")
    return "".join(pieces) + "systemctl enable kubelet\n"


def ms_a_script() -> float:
    """Of 2,000 scripts that are all different."""
    source = random.Random(100)
    scripts = [script(source, LINES).encode() for _ in range(SCRIPTS)]
    read(scripts[0])
    return sum(read(each) for each in scripts) / SCRIPTS


def ms_large() -> float:
    return min(read(_of_size(LARGE)) for _ in range(2))


def growth() -> float:
    """How much more eight times as much takes, a byte."""
    small, large = (min(read(_of_size(size)) for _ in range(3)) for size in (LARGE // 16, LARGE // 2))
    return large / small / 8


def ms_worst_shape() -> float:
    return max(map(ms_of_shape, SHAPES))


def ms_of_shape(name: str) -> float:
    """At most as long as nobody waits, of computing: on a busy machine it lasts longer."""
    data = SHAPES[name]()
    before = signal.signal(signal.SIGPROF, _enough)
    signal.setitimer(signal.ITIMER_PROF, ENOUGH_S)
    try:
        return read(data)
    except Enough:
        return ENOUGH_S * 1000
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _enough(_signal: int, _frame: FrameType | None) -> None:
    raise Enough


def read(data: bytes) -> float:
    """What it computes, however busy the machine is; garbage is looked for as often as the command does."""
    gc.set_threshold(COLLECT_AFTER, 20, 20)
    started = time.process_time()
    timeline_of(unpack(data, Place("user-data")))
    return (time.process_time() - started) * 1000


def _of_size(size: int) -> bytes:
    source, pieces, written = random.Random(7), [HEAD], 0
    while written < size:
        pieces.append(script(source, LINES).removeprefix(HEAD))
        written += len(pieces[-1])
    return "".join(pieces).encode()[:size]


def _shell(piece: str, *, end: str = "") -> Callable[[], bytes]:
    return partial(_repeated, "#!/bin/bash\n", piece, LARGE, end)


def _config(head: str, piece: str, size: int = LARGE // 4) -> Callable[[], bytes]:
    return partial(_repeated, head, piece, size)


def _repeated(head: str, piece: str, size: int, end: str = "") -> bytes:
    return f"{head}{piece * ((size - len(head)) // len(piece))}{end}\n".encode()


_MIME = "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n"
SHAPES: dict[str, Callable[[], bytes]] = {
    "one line": _shell("x"),
    "one line of words": _shell("x "),
    "one variable, ever longer": _shell('A="$A$A"\n'),
    "arguments, ever more": _shell('set -- "$@" "$@" x\n'),
    "an array, ever longer": _shell('A=("${A[@]}" "${A[@]}" x)\n'),
    "a replacement, ever longer": _shell('A="${A//x/xx}x"\necho $A$A$A >> /etc/f\n'),
    "assignments": _shell("A=1\n"),
    "open quotes": _shell("'\"`"),
    "open substitutions": _shell("$("),
    "assigned substitutions": _shell("A=" + "$(A=" * 30 + "1" + ")" * 30 + "\n"),
    "open braces": _shell("${a:-"),
    "open tests": _shell("[[ ("),
    "open groups": _shell("{ ( "),
    "open heredocs": _shell("cat <<E\n"),
    "heredocs on a line": _shell("cat <<E <<F\nE\nF\n"),
    "nested ifs": _shell("if x; then\n"),
    "nested functions": _shell("f() {\n"),
    "calls of calls": lambda: "#!/bin/sh\n{}f0\n".format(
        "".join(f"f{n}() {{ f{n + 1}; f{n + 1}; }}\n" for n in range(2000))
    ).encode(),
    "conditions": _shell("[ -f /a ] && touch /b\n"),
    "one long pipe": _shell("a |\n", end="a"),
    "one long chain": _shell("a && \\\n", end="a"),
    "one file, appended to": _shell("echo a >> /etc/a\n"),
    "one file, edited": _shell("sed -i s/a/b/ /etc/a\n"),
    "loops in loops": _shell("for a in 1 2 3 4 5 6 7 8 9; do\n"),
    "scripts in scripts": _shell("bash -c 'bash -c \"x\"'\n"),
    "cases": _shell("case $a in b) c ;; esac\n"),
    "templates": _shell("%{ if a }\necho ${b}\n%{ endif }\n"),
    "Windows": _shell("echo a\r\n"),
    "many parts": _config(_MIME, "--b\nContent-Type: text/x-shellscript\n\n#!/bin/sh\nx\n", LARGE),
    "separators": _config(_MIME, "--b\n", LARGE),
    "headers": _config("MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n", "X: y\n", LARGE),
    "commands": _config("#cloud-config\nruncmd:\n", "- echo a\n"),
    "files": _config("#cloud-config\nwrite_files:\n", "- {path: /a, content: b}\n"),
    "brackets": _config("#cloud-config\nruncmd: ", "["),
    "folded": _config("#cloud-config\nruncmd:\n- >\n", "  word word\n"),
    "filled in": _config("#cloud-config\nruncmd:\n", "- echo ${a}\n"),
    "keys": _config("[settings]\n", 'a.b.c.d."e"='),
    "base64": lambda: base64.b64encode(_of_size(LARGE)),
    "a bomb": lambda: gzip.compress(b"a" * 100_000_000),
    "bombs": lambda: gzip.compress(b"") * 40_000,
}


if __name__ == "__main__":
    for shape in SHAPES:
        print(f"{shape:<28} {ms_of_shape(shape):>10,.0f} ms", flush=True)
