"""What is told of a rollout on its way: a page that is whole at each step, and messages that nobody gets twice."""

from __future__ import annotations

from html.parser import HTMLParser

from nodeworthy.rollout.journal import Journal, Stage, Status, Terms
from nodeworthy.rollout.messages import Told, messages, page
from nodeworthy.rollout.run import Driver

from .simulated import Simulated, journal


def watched(world: Simulated) -> tuple[Journal, list[str], list[str]]:
    """The journal in the end, each page, each message."""
    made, pages, said, told = journal(world, Terms()), list[str](), list[str](), Told()
    save = world.save

    def saved(journal: Journal) -> None:
        save(journal)
        pages.append(page(journal, [("09:00:00", journal.intent)]))
        said.extend(messages(journal, told))

    world.save = saved  # type: ignore[method-assign]
    Driver(made, world, world, lambda _: None).run()
    return made, pages, said


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.rows = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.rows += tag == "tr"
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_at_each_step_and_stands_still_in_the_end() -> None:
    _, pages, _ = watched(Simulated())
    assert len(pages) > 40
    for each in pages:
        tags = Tags()
        tags.feed(each)
        assert (tags.open, tags.rows) == ([], 1 + 4 + 1)
    assert all('content="5"' in each for each in pages[:-1])
    assert 'content="5"' not in pages[-1]
    assert pages[-1].count("replaced, and proven") == 4
    shown = {
        text
        for text in ("takes no new work", "its successor boots", "by the node suite")
        for each in pages
        if text in each
    }
    assert len(shown) == 3


def test_what_comes_from_outside_stays_text() -> None:
    made = journal(Simulated(nodes=1), Terms())
    made.lanes[0].node = "<script>alert(1)</script>"
    made.status, made.why = Status.STOPPED, "<b>"
    written = page(made, [("09:00:00", "<img src=x>")])
    assert "<script" not in written
    assert "<img" not in written
    assert "stopped: &lt;b&gt;" in written


def test_every_stage_has_its_words() -> None:
    made = journal(Simulated(nodes=1), Terms())
    for each in Stage:
        made.lanes[0].stage = each
        assert "<tr class=" in page(made, [])


def test_people_are_told_once_of_each_thing() -> None:
    _, _, said = watched(Simulated())
    assert [each.partition("\n")[0] for each in said] == [
        "FIRST MESSAGE, to everybody who runs jobs here",
        "UPDATE",
        "UPDATE",
        "UPDATE",
        "RESOLUTION",
    ]
    assert "4 nodes of t4 are replaced, one after the other; at most 1 at a time is away" in said[0]
    assert "2 of 4 nodes of t4 are replaced, and proven before they took work; 2 to go." in said[2]


def test_a_stop_says_to_people_what_they_lose_and_to_the_platform_why() -> None:
    _, _, said = watched(Simulated(fault="suite"))
    assert len(said) == 2
    assert (
        "It has stopped: 0 of 4 nodes of t4 are replaced; the others work as before. 1 node is kept from work"
        in said[1]
    )
    assert said[1].endswith("n-i-new0 fails profiling-before-driver")
