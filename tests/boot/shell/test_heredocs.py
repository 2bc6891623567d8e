"""The bodies of heredocs, compared with what bash really hands to the program."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from nodeworthy.boot.shell.syntax import Command, HereDocument, Literal, Parameter, Redirect, Substitution
from tests.boot.shell.reading import command, every, heredocs, is_broken, plain, raws, statements

BASH = shutil.which("bash")

# Each writes the bodies of its heredocs, in their order, to out.1, out.2 …
SCRIPTS = {
    "quoted, then another redirect and a command": "cat <<'EOF' > out.1; true\na $b `c` \\$d \\\\ \"q\" 'r'\n  EOF\nEOF \nEOF\n",
    "unquoted": "cat <<EOF > out.1\n\\$b \\`c\\` \\\\d \\e \"q\" 'it''s'\nEOF\n",
    "two on a line": "cat > out.1 <<A; cat > out.2 <<'B'\n1\nB\nA\n2\nA\nB\n",
    "errors redirected, into a pipe": "cat <<'EOF' 2>&1 | cat > out.1\nx\n\n  y\nEOF\n",
    "tee": "tee out.1 <<EOF >/dev/null\nx = 1\nEOF\n",
    "escaped delimiter": "cat <<\\EOF >out.1\n$x\nEOF\n",
    "delimiter in double quotes": 'cat <<"E F" >out.1\n$x\nEOF\nE F\n',
    "tabs taken off": "cat <<-EOF >out.1\n\ta\n\t\tb\n \tc\n\tEOF\n",
    "tabs taken off, quoted": "cat <<-'EOF' >out.1\n\ta\n\t\tb $x\n\t\tEOF\n",
    "in a function": "f() {\n  cat <<EOF >out.1\nin f\nEOF\n}\nf\n",
    "in a loop": "for i in 1; do\ncat > out.$i <<'EOF'\nin loop done\nEOF\ndone\n",
    "in a branch": "if true; then cat >out.1 <<EOF\nyes fi\nEOF\nelse cat >out.2 <<EOF\nno\nEOF\nfi\n",
    "in a case": "case a in\na) cat <<EOF > out.1 ;;\nx) y ;;\nEOF\nesac\n",
    "in a substitution": 'x="$(cat <<\'EOF\'\nit\'s "here" )\nEOF\n)"; echo "$x" > out.1\n',
    "in a substitution, with a case": 'x=$(case a in a) cat <<EOF\n1)\nEOF\n;; esac)\necho "$x" > out.1\n',
    "in a group": "{ cat <<EOF\nx\nEOF\n} > out.1\n",
    "a long line goes on": "cat <<EOF > out.1 && \\\ntrue\nx\nEOF\n",
    "a line goes on in the body": "cat <<EOF > out.1\na \\\nb\\\\\nEOF\n",
    "a delimiter that a line runs into": "cat <<EOF > out.1\na\\\nEOF\nb\nEOF\n",
    "empty": "cat <<EOF > out.1\nEOF\n",
    "empty delimiter": "cat <<'' > out.1\na\n\nx=1\n",
    "descriptor": "cat 3<<EOF <&3 > out.1\nx\nEOF\n",
    "words that look like shell": "cat <<'EOF' > out.1\nif ( then { $( ' \" `\nEOF\n",
    "a hash before": "echo '#' $# x#y; cat <<EOF > out.1\n# c\nEOF\n",
    "no heredoc in arithmetic": "echo $((1 << 2)); (( x = 1 << 3 )); cat <<EOF > out.1\nz\nEOF\n",
    "no heredoc in a comment": "true # <<X\ncat <<EOF > out.1\nz\nEOF\n",
    "no heredoc in quotes": "echo '<<X' \"<<Y\" \\<\\<Z > /dev/null\ncat > out.1 <<Z\nw\nZ\n",
    "not ASCII": "cat <<'EOF' > out.1\ngrüße 日本\nEOF\n",
}


@pytest.mark.skipif(BASH is None, reason="bash is not there")
@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS.keys())
def test_bodies_are_what_bash_writes(script: str, tmp_path: Path) -> None:
    subprocess.run(["bash", "-c", script], cwd=tmp_path, check=True, capture_output=True)
    written = {path.read_text() for path in tmp_path.glob("out.*")}
    bodies = {"".join(plain(line) + "\n" for line in each.lines) for each in heredocs(script)}
    assert not is_broken(script)
    assert written <= bodies


def here(text: str) -> HereDocument:
    (found,) = heredocs(text)
    return found


def test_where_lines_stand() -> None:
    body = here("x\ncat <<-EOF\n\té $a\n\n\t\tb\n\tEOF\n")
    assert [(each.line, each.column, each.raw) for each in body.lines] == [(3, 2, "é $a"), (4, 1, ""), (5, 3, "b")]
    assert (body.line, body.delimiter, body.quoted, body.unclosed) == (3, "EOF", False, False)


def test_what_an_unquoted_body_expands() -> None:
    (line,) = here("cat <<EOF\na $x ${y:-z} $(date) `id` $((1+1)) \\$n\nEOF\n").lines
    assert [type(part).__name__ for part in line.parts if not isinstance(part, Literal)] == [
        "Parameter",
        "Parameter",
        "Substitution",
        "Substitution",
        "Arithmetic",
    ]
    assert line.parts[-1] == Literal(" $n", quoted=True)


def test_a_substitution_over_several_lines_of_a_body() -> None:
    lines = here("cat <<EOF\na $(echo \\\n b) c\nd\nEOF\n").lines
    assert [each.line for each in lines] == [2, 4]
    assert any(isinstance(part, Substitution) for part in lines[0].parts)


def test_a_delimiter_with_a_blank_behind_it_does_not_close() -> None:
    body = here("cat <<EOF\na\nEOF \nb\n")
    assert body.unclosed
    assert [plain(line) for line in body.lines] == ["a", "EOF ", "b"]


def test_windows_line_ends_close_it_all_the_same() -> None:
    assert [plain(line) for line in here("cat <<EOF\r\na\r\nEOF\r\n").lines] == ["a"]


def test_commands_behind_a_heredoc_are_read() -> None:
    text = "cat <<'EOF' 2>&1 | tee x && y; z\nnot a command\nEOF\nlast\n"
    assert raws(text) == ["cat <<'EOF' 2>&1", "tee x", "y", "z", "last"]


def test_a_heredoc_in_a_heredoc() -> None:
    outer, inner = heredocs("cat <<A\n$(cat <<B\nx\nB\n)\nA\nend\n")
    assert [plain(line) for line in inner.lines] == ["x"]
    assert outer.lines[0].line == 2
    assert raws("cat <<A\n$(cat <<B\nx\nB\n)\nA\nend\n")[-1] == "end"


def test_a_here_string() -> None:
    (redirect,) = command('grep -q x <<< "$a b"').redirects
    assert isinstance(redirect, Redirect)
    assert redirect.operator == "<<<"
    assert any(every(redirect, Parameter))
    assert [each.operator for each in command("tee > f <<<x").redirects] == [">", "<<<"]


def test_a_body_that_cannot_be_read_is_still_there() -> None:
    assert here("cat <<EOF\na ${ b\nEOF\n").lines[0].raw == "a ${ b"
    assert isinstance(statements("cat <<EOF\n$(\nEOF\nx\n")[-1], Command)
