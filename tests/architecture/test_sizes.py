"""Small files, named for the thing. A rule that does not fit into its page is two rules, or looks at raw input."""

from __future__ import annotations

from tests.architecture.tree import ROOT, code

RULE = 200
# Beyond this a file is about more than one thing, whatever it is; a test may list more cases.
CODE, TEST = 300, 400
NAMED_FOR_NOTHING = {"utils", "util", "helpers", "helper", "common", "misc"}


def lines(path: str) -> dict[str, int]:
    return {
        str(file.relative_to(ROOT)): len(file.read_text(encoding="utf-8").splitlines())
        for file in code()
        if file.suffix == ".py" and str(file.relative_to(ROOT)).startswith(path)
    }


def test_a_rule_fits_on_its_page() -> None:
    counted = lines("nodeworthy/rules/")
    assert counted
    assert {file: count for file, count in counted.items() if count > RULE} == {}


def test_no_file_is_about_everything() -> None:
    counted = lines("")
    limit = {file: TEST if file.startswith("tests/") else CODE for file in counted}
    assert {file: count for file, count in counted.items() if count > limit[file]} == {}


def test_files_are_named_for_the_thing() -> None:
    assert [file for file in code() if file.stem in NAMED_FOR_NOTHING] == []
