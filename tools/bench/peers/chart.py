"""An SVG of the comparison: for each case a bar for each peer, its median step over ampc's."""
import html

import report

COLORS = {"ampc": "#1b7f5c", "PyTorch": "#d1603d", "torch.compile": "#e3a23a", "JAX": "#4a6fa5",
          "ONNX Runtime": "#8a6fb0"}
LEFT, WIDTH, RIGHT = 210, 460, 130  # labels, the longest bar, values
BAR, GAP, TOP = 13, 16, 56
FONT = 'font-family="sans-serif" font-size="12"'


def text(x, y, content, anchor="start", extra=""):
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" {FONT} {extra}>{html.escape(content)}</text>'


def bars(case):
    """(peer, ratio to ampc or None, what stands beside)."""
    own, found = report.own_row(case), []
    for row in case["rows"]:
        value = report.ratio(row, own, "median_ms")
        if value is None:
            found.append((row["peer"], None, "refused" if row.get("refused") else "not run" if row.get("failed")
                          else "no ratio"))
        else:
            found.append((row["peer"], value, f"{value:.2f}x  {row['median_ms']:.4g} ms"))
    return found


def svg(results):
    cases = [(case, bars(case)) for case in results["cases"]]
    longest = max([value for _, rows in cases for _, value, _ in rows if value] + [1.0])
    scale = WIDTH / longest
    height = TOP + sum(GAP + BAR * len(rows) for _, rows in cases) + 10
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + RIGHT}" height="{height}" '
             f'viewBox="0 0 {LEFT + WIDTH + RIGHT} {height}">',
             f'<rect width="100%" height="100%" fill="#ffffff"/>',
             text(10, 22, "Median time of a training step, as a multiple of ampc's (shorter is faster)",
                  extra='font-weight="bold"')]
    x = 10
    for peer in [name for name in COLORS if any(name == row[0] for _, rows in cases for row in rows)]:
        lines.append(f'<rect x="{x}" y="33" width="11" height="11" fill="{COLORS[peer]}"/>')
        lines.append(text(x + 16, 43, peer))
        x += 30 + 8 * len(peer)
    y = TOP
    for case, rows in cases:
        label = f"{case['workload']}, {case['precision']}, {case['threads']} thread{'s' * (case['threads'] > 1)}"
        lines.append(text(LEFT - 10, y + BAR * len(rows) / 2 + 4, label, "end"))
        for peer, value, beside in rows:
            width = (value or 0) * scale
            lines.append(f'<rect x="{LEFT}" y="{y}" width="{width:.1f}" height="{BAR - 2}" fill="{COLORS[peer]}"/>')
            lines.append(text(round(LEFT + width + 5, 1), y + BAR - 3, beside, extra='fill="#333333"'))
            y += BAR
        y += GAP
    one = LEFT + scale
    lines.append(f'<line x1="{one:.1f}" y1="{TOP - 6}" x2="{one:.1f}" y2="{height - 10}" stroke="#1b7f5c" '
                 'stroke-dasharray="3 3"/>')
    return "\n".join(lines + ["</svg>"]) + "\n"
