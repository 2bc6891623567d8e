"""The picture of a fleet as SVG and as one page: no network, no script, in light and in dark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from nodeworthy.records import dataclass
from nodeworthy.report.fleet_picture import CONTROL_PLANE, NODES, Card, Flow, Picture

PALETTE = """
:root { color-scheme: light dark; --ink: #1c2430; --faint: #5b6675; --paper: #ffffff; --line: #b9c2cd;
  --network: #f3f6fa; --card: #ffffff; --plane: #e3ecfa; --service: #eef4ea; --gpu: #76a32b; --profiling: #c9730a;
  --node: #8b97a6; --world: #fbe3e0; }
@media screen and (prefers-color-scheme: dark) { :root {
  --ink: #e6ebf2; --faint: #a3afbd; --paper: #12161c; --line: #46515f;
  --network: #1a2029; --card: #222a35; --plane: #22324a; --service: #24301f; --gpu: #8fc23a; --profiling: #e89a3c;
  --node: #6c7887; --world: #4a2722; } }
"""
_STYLE = """
body { margin: 2rem auto; max-width: 1220px; padding: 0 1rem; background: var(--paper); color: var(--ink);
  font: 15px/1.45 system-ui, sans-serif; }
"""
DRAWING = """
.scroll { overflow-x: auto; } svg { min-width: 860px; width: 100%; height: auto; }
svg text { fill: var(--ink); font: 14px system-ui, sans-serif; } svg .small { font-size: 12px; fill: var(--faint); }
svg .name { font-weight: 600; }
.network { fill: var(--network); stroke: var(--line); } .nodes { fill: none; stroke: var(--line); }
.plane { fill: var(--plane); stroke: var(--line); } .card { fill: var(--card); stroke: var(--line); }
.elsewhere { stroke-dasharray: 5 4; } .service { fill: var(--service); stroke: var(--line); }
.outside { fill: var(--card); stroke: var(--line); } .world { fill: var(--world); stroke: var(--line); }
.gpu { fill: var(--gpu); } .profiling { fill: var(--profiling); } .node { fill: var(--node); }
.flow { stroke: var(--faint); fill: none; stroke-width: 1.5; } .tip { fill: var(--faint); }
.legend span { display: inline-block; margin-right: 1.5rem; }
.legend i { display: inline-block; width: 12px; height: 12px; border-radius: 2px; margin-right: .4rem; }
"""
_TABLE = """
table { border-collapse: collapse; margin: 1rem 0; } td, th { text-align: left; padding: .25rem 1rem .25rem 0; }
th { color: var(--faint); font-weight: 600; }
"""


def html(picture: Picture) -> str:
    named = escape(picture.title)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{named}</title>
<style>{PALETTE}{_STYLE}{DRAWING}{_TABLE}</style>
</head>
<body>
<h1>{named}</h1>
<p>{_counted(picture)}</p>
{figure(picture)}
<h2>Who reaches whom</h2>
{_flows(picture)}
</body>
</html>
"""


def figure(picture: Picture) -> str:
    """The drawing and what its colours mean, for a page with this palette."""
    return f"""<div class="scroll" tabindex="0" role="group" aria-label="the picture">
{svg(picture)}
</div>
<p class="legend">{_legend()}</p>"""


def _counted(picture: Picture) -> str:
    nodes = sum(each.nodes for each in picture.cards)
    return f"{len(picture.cards)} pools, {nodes} nodes, {picture.gpus} GPUs"


def _legend() -> str:
    kinds = (("gpu", "a GPU"), ("profiling", "a GPU of a node for profiling"), ("node", "a node without GPUs"))
    return "".join(f'<span><i style="background: var(--{kind})"></i>{says}</span>' for kind, says in kinds)


def _flows(picture: Picture) -> str:
    heads = "".join(f'<th scope="col">{each}</th>' for each in ("who", "reaches", "on", "for"))
    rows = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in (each.source, each.target, each.ports, each.why))}</tr>\n"
        for each in picture.flows
    )
    return f"<table>\n<tr>{heads}</tr>\n{rows}</table>"


WIDTH = 1180
_LEFT, _GAP, _MARGIN = 250, 16, 20
_CARD_WIDTH, _COLUMNS = 196, 4
_SQUARE, _STEP = 12, 15
_MOST_NODES = 8


@dataclass(frozen=True)
class Box:
    x: int
    y: int
    width: int
    height: int

    @property
    def right(self) -> int:
        return self.x + self.width

    @property
    def bottom(self) -> int:
        return self.y + self.height


def svg(picture: Picture) -> str:
    control_plane = Box(_LEFT + _MARGIN, 64, WIDTH - _LEFT - 2 * _MARGIN - _MARGIN, 46)
    rows = [picture.cards[at : at + _COLUMNS] for at in range(0, len(picture.cards), _COLUMNS)]
    top = control_plane.bottom + 58
    heights = [max(map(_height, row)) for row in rows]
    nodes = Box(_LEFT + _MARGIN, top, control_plane.width, sum(heights) + _GAP * (len(rows) + 1))
    services = Box(nodes.x, nodes.bottom + 62, nodes.width, 62 if picture.services else 0)
    network = Box(_LEFT, 16, WIDTH - _LEFT - _MARGIN, services.bottom)
    height = network.bottom + _MARGIN
    parts = [
        _rectangle(network, "network"),
        _text(network.x + _MARGIN, network.y + 28, picture.network, "small"),
        _rectangle(control_plane, "plane"),
        _text(control_plane.x + 14, control_plane.y + 28, f"{picture.plane} of {picture.title}"),
        _rectangle(nodes, "nodes"),
        *_cards(rows, heights, nodes),
        *_services(picture, services),
        *_between(picture.flows, control_plane, nodes, services, picture),
        *_from_outside(picture, nodes),
    ]
    named = f"{picture.title}: {len(picture.cards)} pools, {picture.gpus} GPUs"
    head = f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="what" xmlns="http://www.w3.org/2000/svg">'
    return "\n".join([head, f'<title id="what">{escape(named)}</title>', _ARROW, *parts, "</svg>"])


_ARROW = (
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
    'orient="auto-start-reverse"><path d="M0 0L8 4L0 8z" class="tip"/></marker></defs>'
)


def _rectangle(box: Box, kind: str) -> str:
    place = f'x="{box.x}" y="{box.y}" width="{box.width}" height="{box.height}"'
    return f'<rect class="{kind}" {place} rx="{min(6, box.width // 5)}"/>'


def _text(x: int, y: int, words: str, kind: str = "", *, most: int = 140) -> str:
    cut = words if len(words) <= most else f"{words[: most - 1]}…"
    return f'<text x="{x}" y="{y}"{f" class={chr(34)}{kind}{chr(34)}" if kind else ""}>{escape(cut)}</text>'


def _height(card: Card) -> int:
    return 64 + 16 * len(card.marks[1:]) + _STEP * min(max(card.nodes, 1), _MOST_NODES) + (16 if _more(card) else 0)


def _more(card: Card) -> int:
    return max(0, card.nodes - _MOST_NODES)


def _cards(rows: Sequence[Sequence[Card]], heights: Sequence[int], inside: Box) -> Iterator[str]:
    y = inside.y + _GAP
    for row, height in zip(rows, heights, strict=True):
        for column, card in enumerate(row):
            x = inside.x + _GAP + column * (_CARD_WIDTH + _GAP)
            yield from _card(card, Box(x, y, _CARD_WIDTH, height))
        y += height + _GAP


def _card(card: Card, box: Box) -> Iterator[str]:
    yield _rectangle(box, "card" if card.is_built else "card elsewhere")
    yield _text(box.x + 12, box.y + 22, f"{card.name}: {card.title}", "name", most=26)
    yield _text(box.x + 12, box.y + 40, f"{card.instance_type}, {card.marks[0]}", "small", most=32)
    y = box.y + 58
    for mark in card.marks[1:]:
        yield _text(box.x + 12, y, mark, "small", most=32)
        y += 16
    for node in range(min(card.nodes, _MOST_NODES)):
        kind = "profiling" if node < card.profiling_nodes else "gpu"
        for gpu in range(min(card.gpus_per_node, 13) or 1):
            square = Box(box.x + 12 + gpu * _STEP, y - 8 + node * _STEP, _SQUARE, _SQUARE)
            yield _rectangle(square, kind if card.gpus_per_node else "node")
    if _more(card):
        yield _text(box.x + 12, y + 8 + _MOST_NODES * _STEP, f"and {_more(card)} nodes more", "small")


def _services(picture: Picture, below: Box) -> Iterator[str]:
    for box, service in zip(_beside(len(picture.services), below), picture.services, strict=True):
        yield _rectangle(box, "service")
        yield _text(box.x + 10, box.y + 24, service.name, "name", most=box.width // 8)
        yield _text(box.x + 10, box.y + 44, service.says, "small", most=box.width // 7)


def _beside(count: int, inside: Box) -> list[Box]:
    if not count:
        return []
    width = (inside.width - _GAP * (count - 1)) // count
    return [Box(inside.x + at * (width + _GAP), inside.y, width, inside.height) for at in range(count)]


def _between(flows: Sequence[Flow], plane: Box, nodes: Box, services: Box, picture: Picture) -> Iterator[str]:
    for flow, x in zip(
        [each for each in flows if CONTROL_PLANE in (each.source, each.target)], (400, 700), strict=False
    ):
        ends = (plane.bottom, nodes.y) if flow.source == CONTROL_PLANE else (nodes.y, plane.bottom)
        yield from _arrow((x, ends[0]), (x, ends[1]), flow)
    boxes = dict(zip([each.name for each in picture.services], _beside(len(picture.services), services), strict=True))
    for flow in flows:
        if flow.source == NODES and flow.target in boxes:
            x = boxes[flow.target].x + boxes[flow.target].width // 2
            yield from _arrow((x, nodes.bottom), (x, services.y), flow)
        elif flow.target == NODES and flow.source in boxes:
            x = boxes[flow.source].x + boxes[flow.source].width // 2
            yield from _arrow((x, services.y), (x, nodes.bottom), flow)


def _arrow(start: tuple[int, int], end: tuple[int, int], flow: Flow) -> Iterator[str]:
    yield f'<path class="flow" marker-end="url(#tip)" d="M{start[0]} {start[1]}L{end[0]} {end[1]}"/>'
    told = f"{flow.ports}: {flow.why}" if CONTROL_PLANE in (flow.source, flow.target) else flow.ports
    yield _text(start[0] + 8, (start[1] + end[1]) // 2 + 4, told, "small", most=42)


def _from_outside(picture: Picture, nodes: Box) -> Iterator[str]:
    """Draws each source outside of the fleet, with the ports that it reaches."""
    y = nodes.y
    for name in picture.outside:
        own = [each for each in picture.flows if each.source == name]
        box = Box(_MARGIN, y, _LEFT - 3 * _MARGIN, 34 + 18 * len(own))
        yield _rectangle(box, "world" if name == "everyone" else "outside")
        yield _text(box.x + 10, box.y + 22, name, "name")
        for at, flow in enumerate(own):
            yield _text(box.x + 10, box.y + 42 + 18 * at, f"{flow.ports}: {flow.why}", "small", most=27)
        middle = box.y + 17
        yield f'<path class="flow" marker-end="url(#tip)" d="M{box.right} {middle}L{nodes.x} {middle}"/>'
        y = box.bottom + _GAP
