"""Tool-call graphs as pictures."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

from astra.model import Edge, ToolGraph

_DRAWN_EDGES = 3  # of each node, the strongest
_ROW = 22  # pixels between two names on the circle
_NAME_WIDTH = 260
_LONGEST_NAME = 36  # characters


def draw_graph(graphs: Sequence[ToolGraph], *, max_nodes: int = 40) -> str:
    """An SVG with a circle of tools for each graph, an arrow an edge, thicker the heavier.

    Of a large graph the `max_nodes` tools with the heaviest edges are drawn, and of each tool its strongest edges.
    """
    drawings: list[str] = []
    height, width = 0.0, 400.0
    for graph in graphs:
        drawing, drawn_width, drawn_height = _circle(graph, max_nodes, height)
        drawings.append(drawing)
        height += drawn_height
        width = max(width, drawn_width)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif" font-size="12">\n'
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" '
        'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z" fill="#57606a"/></marker></defs>\n'
        f'<rect width="100%" height="100%" fill="#ffffff"/>\n{"".join(drawings)}</svg>\n'
    )


def _shown(text: str) -> str:
    """Text for XML: marked up, and without the control characters that XML can't hold."""
    return html.escape("".join(char if char.isprintable() else " " for char in text))


def _circle(graph: ToolGraph, max_nodes: int, top: float) -> tuple[str, float, float]:
    """The drawing of one graph below `top`, with its width and height in pixels."""
    names, edges = _most_linked(graph, max_nodes)
    radius = max(90.0, len(names) * _ROW / math.pi)
    centre_x, centre_y = radius + _NAME_WIDTH, top + radius + 70
    spots: dict[str, tuple[float, float]] = {}
    parts = [f'<text x="16" y="{top + 28:.0f}" font-size="16" font-weight="bold">{_shown(graph.server)}</text>\n']
    more = len(graph.tools) - len(names)
    note = f"{len(graph.tools)} tools, {len(graph.edges)} edges" + (f"; {more} tools not drawn" if more else "")
    parts.append(f'<text x="16" y="{top + 46:.0f}" fill="#57606a">{note}</text>\n')
    for place, name in enumerate(names):
        angle = 2 * math.pi * (place + 0.5) / len(names) - math.pi / 2
        spots[name] = (centre_x + radius * math.cos(angle), centre_y + radius * math.sin(angle))
    heaviest = max((edge.weight for edge in edges), default=1.0)
    for edge in edges:
        parts.append(_arrow(edge, spots, (centre_x, centre_y), heaviest))
    for name, (x, y) in spots.items():
        side = x >= centre_x
        shown = name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="#0969da"/>')
        parts.append(
            f'<text x="{x + (8 if side else -8):.1f}" y="{y + 4:.1f}" text-anchor="{"start" if side else "end"}">'
            f"{_shown(shown)}</text>\n"
        )
    return "".join(parts), 2 * centre_x, 2 * radius + 120


def _most_linked(graph: ToolGraph, max_nodes: int) -> tuple[list[str], list[Edge]]:
    strength = dict.fromkeys(graph.tools, 0.0)
    known = [edge for edge in graph.edges if edge.source in strength and edge.target in strength]
    for edge in known:
        strength[edge.source] += edge.weight
        strength[edge.target] += edge.weight
    ranked = sorted(graph.tools, key=lambda name: -strength[name])[:max_nodes]
    most = set(ranked)
    kept = [name for name in graph.tools if name in most]
    edges: list[Edge] = []
    drawn = dict.fromkeys(kept, 0)
    for edge in sorted(known, key=lambda edge: -edge.weight):
        if edge.source in drawn and edge.target in drawn and drawn[edge.source] < _DRAWN_EDGES:
            drawn[edge.source] += 1
            edges.append(edge)
    return kept, edges


def _arrow(edge: Edge, spots: dict[str, tuple[float, float]], centre: tuple[float, float], heaviest: float) -> str:
    (x1, y1), (x2, y2) = spots[edge.source], spots[edge.target]
    bend_x, bend_y = (centre[0] * 2 + x1 + x2) / 4, (centre[1] * 2 + y1 + y2) / 4
    length = math.hypot(x2 - bend_x, y2 - bend_y) or 1.0
    x2, y2 = x2 - 6 * (x2 - bend_x) / length, y2 - 6 * (y2 - bend_y) / length  # stop at the dot's rim
    why = _shown(f"{edge.source} → {edge.target} ({edge.weight:g}): {edge.evidence[0].why if edge.evidence else ''}")
    return (
        f'<path d="M{x1:.1f} {y1:.1f}Q{bend_x:.1f} {bend_y:.1f} {x2:.1f} {y2:.1f}" fill="none" stroke="#8c959f" '
        f'stroke-width="{0.6 + 2.2 * edge.weight / heaviest:.2f}" stroke-opacity="0.7" marker-end="url(#tip)">'
        f"<title>{why}</title></path>\n"
    )
