"""Editors in languages of their own, and programs in other languages."""

from __future__ import annotations

import pytest

from nodeworthy.boot.effects import How, NotUnderstood
from tests.boot.commands.calls import only_write, printed, ran, told


@pytest.mark.parametrize(
    ("line", "path", "expressions"),
    [
        ("crudini --set /etc/x.ini section key value", "/etc/x.ini", ["section", "key", "value"]),
        ("yq -i '.a = 1' /etc/x.yaml", "/etc/x.yaml", [".a = 1"]),
        ("yq eval -i '.a = 1' /etc/x.yaml", "/etc/x.yaml", [".a = 1"]),
        ("perl -pi -e s/a/b/ /etc/f", "/etc/f", ["s/a/b/"]),
        ("perl -i.bak -pe s/a/b/ /etc/f", "/etc/f", ["s/a/b/"]),
        ("ex -s -c %s/a/b/ -c x /etc/f", "/etc/f", ["%s/a/b/", "x"]),
        ("patch /etc/f", "/etc/f", ["line one", "line two"]),
        ("ed -s ${FILE}", "${FILE}", ["line one", "line two"]),
    ],
)
def test_what_comes_out_of_an_edit_is_not_known(line: str, path: str, expressions: list[str]) -> None:
    write = only_write(ran(line, stdin="line one\nline two\n", files={"/etc/f": "a\n"}))
    assert (write.path.shown(), write.how, write.content, write.whole) == (path, How.EDIT, None, None)
    assert [each.shown() for each in write.expressions] == expressions


@pytest.mark.parametrize(
    "line", ["yq .a /etc/x.yaml", "crudini --get /etc/x.ini a b", "python3 --version", "gpg --list-keys"]
)
def test_what_only_prints(line: str) -> None:
    done = ran(line)
    assert done.effects == ()
    assert printed(done) == f"$({line})\n"


def test_sponge_writes_what_it_reads() -> None:
    assert told(ran("sponge /etc/x", stdin="a\n")) == ["Writes path=/etc/x how=writes content='a\\n' whole='a\\n'"]


def test_a_key_is_written_unread() -> None:
    assert told(ran("gpg --dearmor -o /usr/share/keyrings/x.gpg")) == [
        "Writes path=/usr/share/keyrings/x.gpg how=writes"
    ]


@pytest.mark.parametrize(
    ("line", "stdin"),
    [
        ('python3 -c \'run(["modprobe", "nvidia"])\'', None),
        ("python3 -", 'run(["modprobe", "nvidia"])\n'),
        ("python3", 'run(["modprobe", "nvidia"])\n'),
        ("python3 /opt/x.py arg", None),
        ("perl -e 'system(\"modprobe nvidia\")'", None),
        ("ruby -e 'run(\"modprobe nvidia\")'", None),
    ],
)
def test_other_languages_are_not_read_and_their_words_are_kept(line: str, stdin: str | None) -> None:
    (gap,) = ran(line, stdin=stdin, files={"/opt/x.py": 'run("modprobe nvidia")\n'}).effects
    assert isinstance(gap, NotUnderstood)
    assert "modprobe" in gap.text
    assert gap.why.endswith("is not read here")


def test_a_program_of_the_image_in_another_language_runs() -> None:
    assert told(ran("python3 /usr/share/tool.py --x")) == ["Runs arguments=python3,/usr/share/tool.py,--x"]
    assert told(ran("python3 -m http.server")) == ["Runs arguments=python3,-m,http.server"]
