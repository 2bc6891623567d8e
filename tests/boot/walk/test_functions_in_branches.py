"""A function that stands in a branch is one of several, or none."""

from __future__ import annotations

from tests.boot.walk.told import told


def test_each_branch_has_its_own() -> None:
    script = """
        case "$ID" in
          amzn) pkg() { dnf install -y "$@"; } ;;
          ubuntu) pkg() { apt-get install -y "$@"; } ;;
          *) exit 1 ;;
        esac
        pkg jq
    """
    assert told(script) == [
        'installs jq with apt-get if "$ID" is ubuntu',
        'installs jq with dnf if "$ID" is amzn',
    ]


def test_where_no_branch_defines_it_the_program_runs() -> None:
    script = """
        if ! command -v sudo; then
          sudo() { "$@"; }
        fi
        sudo tee /etc/motd <<< hello
    """
    assert told(script) == [
        "writes /etc/motd (1 line) if not: command -v sudo",
        "writes /etc/motd (1 line) if command -v sudo",
    ]


def test_the_last_of_one_branch_wins() -> None:
    script = """
        f() { echo 1 > /one; }
        f() { echo 2 > /two; }
        f
    """
    assert told(script) == ["writes /two (1 line)"]


def test_a_definition_under_a_condition_leaves_the_one_before() -> None:
    script = """
        f() { echo 1 > /one; }
        if [ -e /x ]; then f() { echo 2 > /two; }; fi
        f
    """
    assert told(script) == ["writes /two (1 line) if [ -e /x ]", "writes /one (1 line) if not: [ -e /x ]"]
