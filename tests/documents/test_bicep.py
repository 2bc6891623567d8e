"""Bicep is read as far as it says what it makes, and ARM's templates with what their parameters are by themselves."""

from __future__ import annotations

import pytest

from nodeworthy.documents.bicep import parameters_of_bicep, resources_of_arm, resources_of_bicep
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import read
from nodeworthy.verdict import Place, Unknown

AT = Place("main.bicep")


def said(value: str, before: str = "") -> Tree:
    """What a resource has under `is`."""
    (found,) = resources_of_bicep(f"{before}\nresource r 'A/b@2025-01-01' = {{\n  is: {value}\n}}\n", AT)
    assert found.type == "A/b"
    return found.body.get("is")


@pytest.mark.parametrize(
    ("value", "before", "is_"),
    [
        ("'plain'", "", "plain"),
        (r"'it\'s'", "", "it's"),
        ("4", "", 4),
        ("true", "", True),
        ("null", "", None),
        ("'''\nas\nit stands'''", "", "\nas\nit stands"),
        ("size // of nodes", "param size string = 'small'", "small"),
        ("size", "@allowed(['a', 'b'])\nparam size string = 'a'", "a"),
        ("name", "var first = 'one'\nvar name = '${first}-two'", "one-two"),
        ("big ? 'L' : 'S'", "param big bool = true", "L"),
        ("big ? 'L' : 'S'", "param big bool = false", "S"),
    ],
)
def test_what_stands_there_is_known(value: str, before: str, is_: object) -> None:
    assert said(value, before).value == is_


@pytest.mark.parametrize(
    "value",
    [
        "size",
        "uniqueString(resourceGroup().id)",
        "other.properties.size",
        "'${size}-gpu'",
        "count + 1",
        "count > 2 ? 'L' : 'S'",
        "[for each in names: {name: each}]",
        "-1",
    ],
)
def test_what_is_computed_is_not(value: str) -> None:
    tree = said(value, "param size string\nparam count int = 3")
    assert isinstance(tree.value, Unknown)


def test_lists_and_objects_know_their_places() -> None:
    pools = said("[\n    {\n      'name': 'a'\n    }\n    {name: 'b', count: 2}\n  ]")
    first, second = pools.sequence
    assert (first.get("name").text, second.get("name").text, second.get("count").value) == ("a", "b", 2)
    assert (first.get("name").place.line, first.get("name").place.column) == (5, 15)


def test_what_exists_is_not_made_and_what_a_loop_makes_is_not_told() -> None:
    text = """
resource there 'A/b@2025-01-01' existing = {
  name: 'there'
}
resource many 'A/b@2025-01-01' = [for each in names: {
  name: each
}]
module one 'br/public:avm/res/a:0.1.0' = if (wanted) {
  params: {name: 'one'}
}
output id string = many[0].id
"""
    assert [(each.type, each.symbol) for each in resources_of_bicep(text, AT)] == [("br/public:avm/res/a:0.1.0", "one")]


def test_a_file_of_parameters_has_the_word() -> None:
    given = parameters_of_bicep("using './main.bicep'\n\nparam size = 'large'\n", Place("main.bicepparam"))
    (found,) = resources_of_bicep("param size string = 'small'\nresource r 'A/b@1' = {\n  is: size\n}\n", AT, given)
    assert (found.body.get("is").text, found.body.get("is").place.path) == ("large", "main.bicepparam")


@pytest.mark.parametrize(
    "text", ["{", "resource", "resource a 'b", "param", "module m 'x' = {a: [", "'''", "var a = b ?"]
)
def test_what_is_torn_ends(text: str) -> None:
    resources_of_bicep(text, AT)


def test_no_depth_is_too_much() -> None:
    assert resources_of_bicep("resource r 'A/b@1' = {\n is: " + "[" * 5000 + "]" * 5000 + "\n}\n", AT)


ARM = """
{"parameters": {"size": {"defaultValue": "small"}, "open": {"type": "string"}},
 "variables": {"name": "gpu", "made": "[concat('a')]"},
 "resources": [{"type": "A/b", "name": "[variables('name')]", "is": ["[parameters('size')]", "[parameters('open')]",
  "[variables('made')]", "[concat('a', 'b')]", "[[no"]}]}
"""


def test_references_of_arm_are_followed_once() -> None:
    document = read(ARM, Place("azuredeploy.json"))
    assert document is not None
    (found,) = resources_of_arm(document)
    kept, *computed, plain = found.body.get("is").sequence
    assert (found.body.get("name").text, kept.text, plain.text) == ("gpu", "small", "[[no")
    assert all(isinstance(each.value, Unknown) for each in computed)
