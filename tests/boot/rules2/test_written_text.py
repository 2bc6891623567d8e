"""TOML and JSON with holes in them, and files that several steps write."""

from __future__ import annotations

from nodeworthy.boot.effects import Fetches, How
from nodeworthy.boot.text import Text
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.final_files import file_left
from nodeworthy.facts.boot.written_text import could_equal, has_hole, json_of, toml_of
from tests.boot.rules.boots import common, delete, given, hole, joins, runs, text, write

FILE = "/etc/x/y.toml"


class TestReading:
    def test_a_value_with_a_hole(self) -> None:
        reading = toml_of(write(3, "a = 1", text('b = "http://', hole("HOST"), ':5000"')))
        assert reading.mapping["a"] == 1
        assert has_hole(reading.mapping["b"])
        assert reading.shown(reading.mapping["b"]) == "http://$HOST:5000"
        assert could_equal(reading.mapping["b"], "http://a:5000")
        assert not could_equal(reading.mapping["b"], "http://a:5001")

    def test_a_fault_has_its_line(self) -> None:
        made = write(3, "a = 1", "b = ")
        reading = toml_of(made)
        assert reading.fault == "Invalid value"
        assert made.content is not None
        assert reading.place == made.content.lines[1].place

    def test_a_hole_may_be_the_reason(self) -> None:
        reading = json_of(write(3, "{", text(hole("BODY")), "}"))
        assert not reading.fault
        assert "BODY is set nowhere" in reading.unknown

    def test_nothing_is_known(self) -> None:
        assert toml_of(write(3, content=None, whole=None, how=How.EDIT)).unknown


class TestFilesLeft:
    def test_the_last_one_counts(self) -> None:
        first, second = write(3, "a = 1", path=FILE), write(4, "a = 2", path=FILE)
        left = file_left(Timeline((first, second)), FILE)
        assert left.last == (second,)
        assert left.is_sure

    def test_one_that_may_not_happen(self) -> None:
        first, second = write(3, "a = 1", path=FILE), write(4, "a = 2", path=FILE, conditions=given("$A"))
        left = file_left(Timeline((first, second)), FILE)
        assert left.last == (second, first)
        assert left.is_sure
        assert file_left(Timeline((second,)), FILE).is_sure is False
        assert file_left(Timeline((second,)), FILE, given("$A")).is_sure
        assert not file_left(Timeline((second,)), FILE, given("$A", "no")).last

    def test_one_branch_or_the_other(self) -> None:
        both = [write(3, "a = 1", path=FILE, conditions=given("$A", answer)) for answer in ("yes", "no")]
        left = file_left(Timeline(tuple(both)), FILE)
        assert left.is_sure
        assert len(left.last) == 2

    def test_its_folder_is_deleted(self) -> None:
        steps = (write(3, "a = 1", path=FILE), delete(4, "/etc/x"))
        assert not file_left(Timeline(steps), FILE).is_there
        assert file_left(Timeline(steps), FILE, until=steps[1]).is_there

    def test_who_may_have_written_it(self) -> None:
        fetched = Fetches(url=Text.of("s3://a/x"), to=Text.of("/etc/x/"), **common(3, {}))
        unpacked = runs(3, "tar", "-xf", "/tmp/x.tar", "-C", "/etc/x")
        named = write(3, "a = 1", path=text("/etc/x/", hole("NAME")))
        for step in (fetched, unpacked, named):
            assert file_left(Timeline((step,)), FILE).maybe is step
        for other in (joins(3), runs(3, "tar", "-C", "/etc"), write(3, "a = 1", path=text(hole("FILE")))):
            assert file_left(Timeline((other,)), FILE).maybe is None
