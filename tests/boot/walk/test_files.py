"""What stands in the files that a script writes, and where each line was written."""

from __future__ import annotations

import pytest

from nodeworthy.boot.effects import How, Writes
from tests.boot.walk.told import file, timeline, told

F = "/etc/modprobe.d/x.conf"
WRITTEN = {
    "echo": (f"echo 'a b' > {F}", "a b\n"),
    "echo, twice": (f"echo a > {F}\necho b >> {F}", "a\nb\n"),
    "printf": (f"printf '%s\\n' a b > {F}", "a\nb\n"),
    "cat and a heredoc": (f"cat > {F} <<EOF\na\n  b\nEOF", "a\n  b\n"),
    "the heredoc first": (f"cat <<EOF > {F}\na\nEOF", "a\n"),
    "tee and a heredoc": (f"sudo tee {F} > /dev/null <<'EOF'\na $B\nEOF", "a $B\n"),
    "a pipe into tee": (f"echo a | sudo tee {F}", "a\n"),
    "a pipe into tee, appended": (f"echo a > {F}\necho b | tee -a {F} >/dev/null", "a\nb\n"),
    "a heredoc, a pipe": (f"cat <<EOF | tee {F}\na\nEOF", "a\n"),
    "indented heredoc": (f"if true; then\n\tcat > {F} <<-EOF\n\ta\n\tEOF\nfi", "a\n"),
    "two heredocs on a line": (f"cat <<A > /tmp/x; cat <<B > {F}\n1\nA\n2\nB", "2\n"),
    "a heredoc and what follows it on the line": (f"cat <<'EOF' > {F}; systemctl enable a\na\nEOF", "a\n"),
    "a heredoc with its errors thrown away": (f"cat <<'EOF' 2>&1 | tee {F}\na\nEOF", "a\n"),
    "a here-string": (f"tee {F} <<< 'a b'", "a b\n"),
    "a here-string behind a redirect": (f"cat > {F} <<< a", "a\n"),
    "variables": (f"A=one\ncat > {F} <<EOF\n$A ${{A}} \\$A\nEOF", "one one $A\n"),
    "a group": (f"{{ echo a; echo b; }} > {F}", "a\nb\n"),
    "a function": (f"body() {{ echo a; }}\nbody > {F}", "a\n"),
    "a copy": (f"echo a > /tmp/x\ncp /tmp/x {F}", "a\n"),
    "moved": (f"echo a > /tmp/x\nmv /tmp/x {F}", "a\n"),
    "installed": (f"echo a > /tmp/x\ninstall -m 0644 /tmp/x {F}", "a\n"),
    "installed from a pipe": (f"echo a | install -D -m 0644 /dev/stdin {F}", "a\n"),
    "edited": (f"echo 'x=1' > {F}\nsed -i 's/x=1/x=0/' {F}", "x=0\n"),
    "in a folder that was entered": ("cd /etc/modprobe.d\necho a > x.conf", "a\n"),
    "a variable's name": ('D=/etc/modprobe.d\necho a > "$D/x.conf"', "a\n"),
    "base64": (f"echo YQ== | base64 -d > {F}", "a\n"),
    "by a shell in a shell": (f'sudo bash -c "echo a > {F}"', "a\n"),
    "by a shell in a shell, quoted": (f"sudo sh -c 'echo \"a\" > {F}'", "a\n"),
    "from a variable of several lines": (f'A="one\ntwo"\necho "$A" > {F}', "one\ntwo\n"),
    "from $(cat <<EOF)": (f'A=$(cat <<EOF\none\ntwo\nEOF\n)\necho "$A" > {F}', "one\ntwo\n"),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_what_stands_in_it(name: str) -> None:
    script, expected = WRITTEN[name]
    found = file(script, F)
    # YQ== is an `a` without a line end, which a file of lines does not tell apart.
    assert found == expected


def test_a_line_knows_where_it_was_written() -> None:
    writes = next(timeline(f"A=1\ncat > {F} <<EOF\nfirst\nsecond $A\nEOF").of(Writes))
    assert writes.whole is not None
    assert [(each.place.line, each.place.column) for each in writes.whole.lines] == [(4, 1), (5, 1)]


def test_what_is_not_known_of_a_line_is_a_hole_in_it() -> None:
    writes = next(timeline(f'echo "id=$(uname -r)" > {F}').of(Writes))
    assert writes.whole is not None
    assert writes.whole.known is None
    assert writes.whole.text.shown() == "id=$(uname -r)\n"
    assert writes.whole.text.contains("id=")


def test_of_a_file_that_was_there_before_the_rest_is_not_known() -> None:
    writes = next(timeline(f"echo a >> {F}").of(Writes))
    assert writes.how is How.APPEND
    assert writes.content is not None
    assert writes.whole is None


def test_after_a_branch_a_file_is_what_both_made_of_it() -> None:
    script = f"echo a > {F}\nif [ -e /x ]; then echo b >> {F}; fi\ncp {F} /etc/copy"
    copy = [each for each in timeline(script).of(Writes) if each.path.known == "/etc/copy"]
    assert copy[0].whole is None


def test_a_heredoc_tells_what_the_shell_expanded_in_it() -> None:
    script = "A=1\ncat > /usr/local/bin/x.sh <<EOF\n#!/bin/bash\necho $A $1 \\$2 $(date) ${B}\nEOF"
    writes = next(timeline(script).of(Writes))
    assert [(each.raw, each.is_set) for each in writes.expanded] == [
        ("$A", True), ("$1", False), ("$(date)", False), ("${B}", False)
    ]  # fmt: skip
    quoted = next(timeline(script.replace("<<EOF", "<<'EOF'")).of(Writes))
    assert not quoted.expands


LATER = {
    "a script that is written and run": (
        "cat > /opt/x.sh <<'EOF'\n#!/bin/bash\nmodprobe $1\nEOF\nchmod +x /opt/x.sh\n/opt/x.sh nvidia",
        ["may load the module nvidia: modprobe loads it"],
    ),
    "run by bash": (
        "echo 'modprobe nvidia' > /opt/x.sh\nbash /opt/x.sh",
        ["may load the module nvidia: modprobe loads it"],
    ),
    "written to a new file": (
        'T=$(mktemp)\necho \'modprobe nvidia\' > "$T"\nbash "$T"',
        ["may load the module nvidia: modprobe loads it"],
    ),
    "written to a new folder": (
        "D=$(mktemp -d /opt/x.XXXXXX)\nprintf 'modprobe nvidia\\n' > $D/x.sh\nchmod +x $D/x.sh\n$D/x.sh",
        ["may load the module nvidia: modprobe loads it"],
    ),
    "never run": ("echo 'modprobe nvidia' > /opt/x.sh", []),
    "functions from a file": (
        "cat > /opt/lib.sh <<'EOF'\nload() { modprobe nvidia; }\nEOF\nsource /opt/lib.sh\nload",
        ["may load the module nvidia: modprobe loads it"],
    ),
    "a unit that is started": (
        "cat > /etc/systemd/system/x.service <<EOF\n[Service]\nExecStart=/sbin/modprobe nvidia\nEOF\nsystemctl start x",
        ["starts x.service", "may load the module nvidia: modprobe loads it"],
    ),
    "a unit that runs a script": (
        "printf 'modprobe nvidia\\n' > /opt/x.sh\ncat > /etc/systemd/system/x.service <<EOF\n[Service]\nExecStart=/bin/bash /opt/x.sh\nEOF\n"
        "systemctl enable --now x.service",
        [
            "enables x.service",
            "starts x.service",
            "may load the module nvidia: modprobe loads it",
            "may load the module nvidia: modprobe loads it",
        ],
    ),
}


def test_a_carriage_return_stays_in_the_word_it_stands_behind() -> None:
    script = "#!/bin/bash\necho a > /etc/a\necho b > /etc/b\r\nsystemctl enable kubelet\r\n"
    assert [effect.path.known for effect in timeline(script).of(Writes)] == ["/etc/a", "/etc/b\r"]
    assert not any("enables kubelet.service" in line for line in told(script))


STARTED = """
printf '[Service]\\nExecStart=/bin/bash -c "modprobe nvidia"\\n' > /etc/systemd/system/x.service
printf '[Timer]\\nOnBootSec=1h\\n' > /etc/systemd/system/x.timer
"""


@pytest.mark.parametrize(
    ("commands", "expected"),
    [
        ("systemctl start x.timer", ["starts x.timer"]),
        (
            "systemctl enable x.timer",
            ["enables x.timer", "may load the module nvidia: modprobe loads it if x.timer elapses"],
        ),
        ("systemctl enable x.timer\nsystemctl disable x.timer", ["enables x.timer", "disables x.timer"]),
    ],
)
def test_a_timer_waits(commands: str, expected: list[str]) -> None:
    assert [line for line in told(STARTED + commands) if not line.startswith("writes")] == expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("echo a 2> /etc/err", ["writes /etc/err"]),
        ("echo a 2>> /etc/err", ["appends to /etc/err"]),
        ("echo a > /etc/out 2> /etc/err", ["writes /etc/err", "writes /etc/out"]),
        ("{ echo a; } 2> /etc/err", ["writes /etc/err"]),
        ("echo a > /etc/out 2>&1", ["writes /etc/out"]),
        ("echo a 2> /dev/null", []),
    ],
)
def test_a_file_for_errors_is_made(command: str, expected: list[str]) -> None:
    assert [line.partition(" (")[0] for line in told(command)] == expected
    assert file(command, "/etc/err") is None


@pytest.mark.parametrize("name", LATER)
def test_scripts_that_a_script_writes(name: str) -> None:
    script, expected = LATER[name]
    assert [line for line in told(script) if not line.startswith("writes")] == expected


def test_a_script_whose_name_is_not_known_may_be_any_that_was_written() -> None:
    script = "echo 'modprobe nvidia' > /opt/$NAME.sh\nbash /opt/$NAME.sh"
    gap = timeline(script).not_understood("nvidia")
    assert gap is not None
    assert gap.place.line == 3


def test_a_program_of_the_image_that_was_edited_is_still_that_program() -> None:
    script = "sed -i 's/a/b/' /etc/eks/bootstrap.sh\n/etc/eks/bootstrap.sh gpu-dev"
    assert told(script)[-1] == "joins its cluster gpu-dev by bootstrap.sh"


def test_what_a_written_script_does_stands_where_it_was_written() -> None:
    script = "cat > /opt/x.sh <<'EOF'\n#!/bin/bash\n  modprobe nvidia\nEOF\nbash /opt/x.sh"
    load = timeline(script).effects[-1]
    assert (load.place.line, load.place.column) == (4, 3)
    assert [each.line for each in load.via] == [6]
