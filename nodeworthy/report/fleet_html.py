"""The picture of a fleet as one page: no network, no script, in light and in dark."""

from __future__ import annotations

from html import escape

from nodeworthy.report.fleet_picture import Picture
from nodeworthy.report.fleet_svg import svg

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
