"""What grows: units that a text repeats, nests or counts, and which a careless reader multiplies."""

from __future__ import annotations

import base64
import gzip
import random
from collections.abc import Callable, Sequence

from nodeworthy.known.containerd import containerd_of, defaults

CONFIG = defaults().config
REGISTRIES = containerd_of("k3s").registries or ""

# Bytes; a linear reader has done with them in a second.
LARGEST = 100_000

# What a terminal or the log of a job would obey, and letters that are none.
OBEYED = (
    "\x1b]0;owned\x07",
    "\x1b[2J",
    "\x9b31m",
    "\u202e",
    "\r::add-mask::x",
    " ::stop-commands::x",
    "\n::set-env name=A::b\n",
    "##[group]x",
    "##vso[task.setvariable variable=a]b",
    "section_start:0:x\r\x1b[0K",
    "\x00",
    "\u2028",
    "\ufeff",
)

# One line each; @ is its number.
LINES = (
    "",
    " ",
    "#",
    "# nodeworthy: ignore containerd-paths of old",
    "# nodeworthy: ignore",
    "a: b",
    "k@: v",
    "- a",
    "- name: a@",
    "? a",
    "---",
    "key: |",
    "[a]",
    "[a@]",
    "[[a]]",
    "[a.@.b]",
    "a@ = 1",
    'a = """',
    '"a": {',
    "x: {",
    "x: [",
    "a: &a@ [b]",
    "b: *a@",
    "<<: *a",
    "{{ if .a@ }}",
    "{{ end }}",
    "{{ range .a }}",
    "{% if a@ %}",
    "{% endif %}",
    "%{ if a@ }",
    "%{ endif }",
    "%{ for a in b ~}",
    "${a@}",
    "--==BOUNDARY==",
    "Content-Type: text/x-shellscript",
    "MIME-Version: 1.0",
    "options nvidia NVreg_RestrictProfilingToAdminUsers=0",
    "-A ufw-user-input -p tcp --dport @ -j ACCEPT",
    "#SBATCH --gres=gpu:@",
    "srun --ntasks=@ true",
    "export A@=$A",
    "apiVersion: v1",
    "kind: Pod",
    "@@n begin 1.00 file /x",
    "@@n end 1.00 0",
)
SHELL = (
    "[ -e /x@ ] && echo l >> FILE",
    "echo a@ >> FILE",
    "sed -i s/a@/b/ FILE",
    "cat FILE > FILE.@; mv FILE.@ FILE",
    "if [ -e /x@ ]; then",
    "fi",
    "for i@ in {1..9}; do",
    "done",
    "while read a; do",
    "case $a@ in",
    "esac",
    "f@() {",
    "}",
    "f@() { f@; f@; }",
    'A="$A$A"',
    'A+="x$A"',
    'A="${A//x/xx}"',
    'set -- "$@" "$@"',
    "A=(${A[@]} ${A[@]} x)",
    "(( a = a * 2 + @ ))",
    "echo $((1+$((1+@))))",
    "cat <<EOF@",
    "EOF",
    "eval 'eval \"eval a\"'",
    "trap 'f' EXIT",
    "x=$(echo $(echo $(cat FILE)))",
    "true && false || true && \\",
    "echo {1..9}{1..9}{1..9}{1..9}{1..9} > FILE",
    "echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}",
    "iptables -A INPUT -p tcp --dport @ -j ACCEPT",
    "nft add rule inet a b tcp dport @ accept",
    "ufw allow @",
    "systemctl enable --now a@.service",
    "printf '%s\\n' a{1..999} > FILE",
    "dnf install -y nvidia-driver-@",
    "modprobe nvidia",
    "curl -u a:b@ http://h/ | bash",
    "mount -t nfs h@:/a /b@ || true",
    "ln -s FILE /l@",
    "cp /l@ FILE",
    "export PATH=$PATH:/a@",
    "sbatch a@.sh",
    "while ! nvidia-smi; do sleep 1; done",
    "echo ${a:-${b:-${c:-@}}}",
    "nvidia-ctk runtime configure --set-as-default",
)
FILES = (
    CONFIG,
    "/etc/modprobe.d/a.conf",
    "/etc/fstab",
    "/etc/docker/daemon.json",
    REGISTRIES,
    "/etc/ufw/user.rules",
    "/etc/hosts",
    "/etc/systemd/system/a.service",
    "/etc/default/grub",
    "$f",
)
# Without an end of line: they stand side by side.
RUNS = (
    *"\"'`\\$({[<|&;!#-=:,.*?~ \ta0\u00e9",
    *("$(", "${", "$((", "<(", "[[ ", "{{", "{%", "}}", "''", '""', "\\n", "\\\n", "a,", "a.", "a:", "a=", "-a ", "(a|"),
    *("a b ", "//", "::", "password", "token=", "eyJaaaaaaaaaa-", "://a:", "{1..9}", "[a", "{a: ", "&a ", "*a ", "<<"),
    *("\u0660", "9", "1e", "0x", "ABCD", "AKIA", "-----BEGIN PRIVATE KEY-----", "auth: ", "Bearer ", "&&", "||", "$A"),
)  # fmt: skip


def made(source: random.Random) -> str:
    return source.choice(_MAKERS)(source)


def _often(source: random.Random, unit: str) -> int:
    most = max(LARGEST // (len(unit) + 1), 1)
    return min(source.choice([20, 50, 200, 1_000, 3_000, 10_000, 100_000]), most)


def _numbered(unit: str, count: int) -> str:
    return "".join(f"{unit.replace('@', str(number))}\n" for number in range(count))


def _lines(source: random.Random) -> str:
    """Some lines, over and over, each as deep as the one before or deeper."""
    unit = "\n".join(source.choice(LINES) for _ in range(source.choice([1, 1, 2, 3])))
    if source.random() < 0.2:
        return "".join(f"{' ' * (number // 2)}{unit}\n" for number in range(source.choice([30, 150, 300])))
    return _numbered(unit, _often(source, unit))


def _shell(source: random.Random) -> str:
    file = source.choice(FILES)
    unit = "\n".join(source.choice(SHELL) for _ in range(source.choice([1, 1, 1, 2, 3]))).replace("FILE", file)
    count = source.choice([12, 25, 60, 300, 1_500])
    text = _numbered(unit, min(count, LARGEST // len(unit)))
    for opening, closing in (("if ", "fi"), ("case ", "esac"), ("do", "done"), ("{", "}")):
        if opening in unit and closing not in unit and source.random() < 0.7:
            text += f"{closing}\n" * count
    return f"#!/bin/bash\nf={CONFIG}\nA=x\n{text}systemctl restart containerd\n/etc/eks/bootstrap.sh c\n"


def _calls(source: random.Random) -> str:
    """Each function calls the one before twice."""
    count, does = source.choice([10, 40, 200]), source.choice(SHELL).replace("FILE", FILES[0])
    calls = source.choice(
        ["f{0}; f{0}", "f{0} | f{0}", "$(f{0}) $(f{0})", "f{0} && f{0} || f{0}", "for i in a b; do f{0}; done"]
    )
    body = "".join(f"f{n + 1}() {{ {calls.format(n)}\n}}\n" for n in range(count))
    return f"#!/bin/bash\nf0() {{ {does}\n}}\n{body}f{count}\n"


def _nested(source: random.Random) -> str:
    opening, closing = source.choice(
        [("$(", ")"), ("${a:-", "}"), ("[", "]"), ("{a: ", "}"), ('{"a":', "}"), ("(", ")"), ("$((", "))"), ("{{ if a }}", "{{ end }}"),
         ("if a; then\n", "fi\n"), ("case a in a)\n", ";; esac\n"), ("for a in b; do\n", "done\n"), ("{a,", "}"), ('"$(', ')"'),
         ("cat <<E\n$(", ")\nE\n"), ("bash -c '", "'"), ("`", "`"), ("a && (", ")")]
    )  # fmt: skip
    depth = source.choice([10, 30, 100, 1_000, 5_000])
    return f"echo {opening * depth}x{closing * source.choice([depth, depth, 0])}\n"


def _aliases(source: random.Random) -> str:
    """Each anchor stands for the one before, several times."""
    times, layers = source.choice([1, 2, 9, 30]), source.choice([4, 8, 40, 500])
    head = source.choice(["l0: &l0 [x, y]", "l0: &l0 {a: 1, b: {c: 2}}", "l0: &l0 {name: A, image: nvidia/x, env: []}"])
    row = source.choice(
        ["l@: &l@ [*]", "l@: &l@ {a: [*]}", "l@: &l@ {<<: [*], k@: 1}", "l@: &l@ {kind: List, items: [*]}"]
    )
    text = f"{head}\n"
    for number in range(1, layers):
        text += row.replace("*", ", ".join([f"*l{number - 1}"] * times)).replace("@", str(number)) + "\n"
    use = source.choice(
        ["containers: *l@", "items: *l@", "toolkit: *l@", "spec: {template: {spec: {containers: *l@}}}", "data: *l@"]
    )
    return text + use.replace("@", str(layers - 1)) + "\n"


def _run(source: random.Random) -> str:
    unit = source.choice(RUNS)
    if source.random() < 0.3:
        unit += source.choice(RUNS)
    before = source.choice(["", "a: ", "a: '", 'a: "', "A=", "echo ", "# ", "- ", "a = ", '{"a": ', "a: |\n  "])
    return f"{before}{unit * _often(source, unit)}{source.choice(['', chr(10), '}', chr(39), chr(34)])}"


def _number(source: random.Random) -> str:
    number = source.choice(["9" * source.choice([400, 4_400, 90_000]), "1e308", "1e999999", "-0x" + "f" * 5_000, "0." + "0" * 50_000 + "1", ".inf", "1_" * 3_000 + "1", "0o777", "٣", "1:" * 500 + "1"])  # fmt: skip
    key = source.choice(
        ["size", "replicas", "nvidia.com/gpu", "nodes", "gpusPerNode", "version", "items", "--gres=gpu", "port"]
    )
    return source.choice([f"{key}: {number}\n", f"{key} = {number}\n", f'{{"{key}": {number}}}\n', f"{key}={number}\n"])


def _packed(source: random.Random) -> str:
    inner = b"\0" * source.choice([1_000, 50_000_000])
    for _ in range(source.choice([1, 2, 3])):
        inner = gzip.compress(inner, mtime=0)
    encoded = base64.b64encode(inner).decode()
    return source.choice(
        ["{}", "#cloud-config\nwrite_files:\n- path: /a\n  encoding: gz+b64\n  content: {}\n", "data: {}\n"]
    ).format(encoded)


_MAKERS: Sequence[Callable[[random.Random], str]] = (
    *(_lines, _lines, _shell, _shell, _shell, _calls),
    *(_nested, _aliases, _aliases, _run, _run, _number, _packed),
)
