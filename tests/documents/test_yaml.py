"""Positions survive: through merge keys, aliases, several documents and strings that hold documents."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodeworthy.documents.tree import ABSENT, merge, plain, plant
from nodeworthy.documents.yaml import NotYaml, read, read_all, read_inside
from nodeworthy.verdict import Place, Unknown
from tests.work import calls

HERE = Place(path="a.yaml", line=1, column=1)


def test_a_value_knows_its_line_and_column_and_what_it_is() -> None:
    tree = read("toolkit:\n  env:\n    - name: A\n      value: /x\n", HERE)
    assert tree is not None
    value = tree.get("toolkit", "env").sequence[0].get("value")
    assert (value.text, value.place) == ("/x", Place("a.yaml", 4, 14, subject="toolkit.env[0].value"))
    assert value.key == Place("a.yaml", 4, 7, subject="toolkit.env[0].value")


def test_what_is_not_there_is_absent_with_the_nearest_place() -> None:
    tree = read("a:\n  b: 1\n", HERE)
    assert tree is not None
    missing = tree.get("a", "c", "d")
    assert missing.value is ABSENT
    assert (missing.place.line, missing.place.subject) == (1, "a.c.d")
    located = missing.located()
    assert not located.written


def test_merge_keys_keep_the_place_where_it_was_written() -> None:
    tree = read("x: &x\n  a: 1\n  b: 2\ny:\n  <<: *x\n  b: 3\n", HERE)
    assert tree is not None
    assert plain(tree.get("y")) == {"a": 1, "b": 3}
    assert tree.get("y", "a").place.line == 2
    assert tree.get("y", "b").place.line == 6


def test_an_anchor_may_be_given_again() -> None:
    read_again = read("a: &x {k: 1}\nb: *x\nc: &x {k: 2}\nd:\n  <<: *x\n", HERE)
    assert read_again is not None
    assert [read_again.get(name, "k").value for name in "abcd"] == [1, 1, 2, 2]
    assert read_again.get("c", "k").place.line == 3


def test_a_mapping_that_merges_itself_ends() -> None:
    tree = read("x: &x\n  a: 1\n  <<: *x\n", HERE)
    assert tree is not None
    assert plain(tree.get("x")) == {"a": 1}


def test_several_documents() -> None:
    assert [tree.get("a").value for tree in read_all("a: 1\n---\n---\na: 2\n", HERE)] == [1, ABSENT, 2]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("true", True),
        ("yes", True),
        ('"true"', "true"),
        ("1.30", 1.3),
        ("0x10", 16),
        ("~", None),
        ("2026-11-20", "2026-11-20"),
    ],
)
def test_scalars_mean_what_yaml_says(written: str, value: object) -> None:
    tree = read(f"a: {written}", HERE)
    assert tree is not None
    assert tree.get("a").value == value


@pytest.mark.parametrize("written", ["!vault xyz", "!Sub arn:aws:iam"])
def test_a_foreign_tag_hides_its_value(written: str) -> None:
    tree = read(f"a: {written}", HERE)
    assert tree is not None
    assert isinstance(tree.get("a").value, Unknown)


def test_a_literal_block_keeps_the_positions_of_the_document_inside() -> None:
    outer = read("spec:\n  helm:\n    values: |\n      toolkit:\n        env: []\n", HERE)
    assert outer is not None
    inner = read_inside(outer.get("spec", "helm", "values"))
    assert inner is not None
    assert inner.get("toolkit", "env").place == Place("a.yaml", 5, 14, subject="toolkit.env")


def test_blocks_inside_blocks() -> None:
    outer = read("a: |\n  b: |\n    c: x\n", HERE)
    assert outer is not None
    middle = read_inside(outer.get("a"))
    assert middle is not None
    inner = read_inside(middle.get("b"))
    assert inner is not None
    assert inner.get("c").place == Place("a.yaml", 3, 8, subject="c")


def test_of_other_strings_the_beginning_is_all_that_can_be_said() -> None:
    outer = read('a:\n  "b: 1\\nc: 2\\n"\n', HERE)
    assert outer is not None
    inner = read_inside(outer.get("a"))
    assert inner is not None
    assert (inner.get("c").value, inner.get("c").place) == (2, Place("a.yaml", 2, 3, subject="c"))


@pytest.mark.parametrize(
    ("text", "line"),
    [("a: [1, 2", 1), ("a: b: c", 1), ("a:\n\tb: 1", 2), ("- a\nb: 1", 2), ("a: *nowhere", 1), ("\x01", None)],
)
def test_what_is_no_yaml_says_where(text: str, line: int | None) -> None:
    with pytest.raises(NotYaml) as problem:
        read(text, HERE)
    assert problem.value.why.startswith("not YAML")
    assert line is None or problem.value.place.line in (line, line + 1)


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? "])
def test_deep_nesting_is_refused_and_does_not_crash(opening: str) -> None:
    with pytest.raises(NotYaml, match="nested deeper than"):
        read(opening * 100_000, HERE)


def test_nesting_by_indentation_is_refused_too() -> None:
    with pytest.raises(NotYaml):
        read("\n".join(" " * depth + "a:" for depth in range(4000)), HERE)


# What is read of a page of text; what is read again for each name of it has no end.
MOST_CALLS = 200_000


MULTIPLYING = {
    "lists of lists": (
        "l0: &l0 x\n" + "".join(f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 9)}]\n" for i in range(1, 40)),
        "a.yaml:7:5: its aliases multiply it by more than 100,000 values",
    ),
    "mappings that merge": (
        "x0: &x0 {a: [b, c]}\n" + "".join(f"x{i}: &x{i} {{<<: *x{i - 1}, k{i}: *x{i - 1}}}\n" for i in range(1, 30)),
        "a.yaml:16:6: its aliases multiply it by more than 100,000 values",
    ),
    "a long text, often": (
        f"a: &a {'word ' * 20_000}\nb: [{', '.join(['*a'] * 20)}]\n",
        "a.yaml:2:4: its aliases multiply it by more than 100,000 values",
    ),
    "a chain": (
        "a: &l0 [x]\n" + "".join(f"b{i}: &l{i} [*l{i - 1}]\n" for i in range(1, 1000)),
        "a.yaml:201:7: its aliases nest deeper than 200 levels",
    ),
    "itself": ("a: 1\nx: &x\n  y: {z: *x}\n", "a.yaml:3:6: an anchor stands within what it names, so it has no end"),
}


@pytest.mark.parametrize(("text", "why"), MULTIPLYING.values(), ids=MULTIPLYING)
def test_what_aliases_multiply_is_refused_before_anybody_walks_it(text: str, why: str) -> None:
    def refused() -> None:
        with pytest.raises(NotYaml) as problem:
            read(text, HERE)
        assert str(problem.value) == why

    assert calls(refused) < MOST_CALLS


def test_aliases_as_people_write_them_are_read() -> None:
    pools = "".join(f"  p{i}: {{<<: *defaults, env: *env, size: {i}}}\n" for i in range(500))
    text = f"defaults: &defaults {{a: 1, b: {{c: 2}}}}\nenv: &env [{{name: A, value: b}}]\npools:\n{pools}"
    tree = read(text, HERE)
    assert tree is not None
    assert plain(tree.get("pools", "p499")) == {
        "a": 1,
        "b": {"c": 2},
        "env": [{"name": "A", "value": "b"}],
        "size": 499,
    }


def test_merge_keys_that_multiply_cost_no_more_than_their_keys() -> None:
    layers = "\n".join(f"x{i}: &x{i} {{<<: [{', '.join([f'*x{i - 1}'] * 4)}], k{i}: 1}}" for i in range(1, 60))
    text = f"x0: &x0 {{k0: 1}}\n{layers}\n"
    assert calls(lambda: read(text, HERE)) < MOST_CALLS
    tree = read(text, HERE)
    assert tree is not None
    assert len(tree.get("x59").mapping) == 60


def test_a_long_chain_of_merges_is_no_recursion_and_has_an_end() -> None:
    def chain(length: int) -> str:
        return "x0: &x0 {k0: 1}\n" + "".join(f"x{i}: &x{i} {{<<: *x{i - 1}, k{i}: 1}}\n" for i in range(1, length))

    tree = read(chain(400), HERE)
    assert tree is not None
    assert len(tree.get("x399").mapping) == 400
    with pytest.raises(NotYaml, match="merge keys bring together more than"):
        read(chain(2000), HERE)


@given(st.text(max_size=300))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read_all(text, HERE)
    except NotYaml as problem:
        assert problem.why


scalars = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
documents = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


@given(documents)
def test_plain_data_survives_planting(document: object) -> None:
    assert plain(plant(document, HERE)) == document


def test_merging_is_helms() -> None:
    under = plant({"a": {"x": 1, "y": 2}, "l": [1, 2], "gone": 1}, Place(path="under"))
    over = plant({"a": {"y": 3}, "l": [], "gone": None, "new": 4}, Place(path="over"))
    merged = merge(under, over)
    assert plain(merged) == {"a": {"x": 1, "y": 3}, "l": [], "new": 4}
    assert merged.get("a", "x").place.path == "under"
    assert merged.get("a", "y").place.path == "over"


def test_a_quote_that_is_never_closed_is_told_where_it_opens() -> None:
    with pytest.raises(NotYaml) as refused:
        read_all('a: b\nc: "d\ne: f\n', HERE)
    assert (refused.value.place.line, refused.value.why) == (2, "not YAML: a quote that opens here is never closed")
