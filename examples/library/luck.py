"""Plot the luck of a match from its game file: python luck.py GAME.jsonl luck.svg.

Each line is one player: their hits so far, less what the odds of their tries would have given.
"""

import argparse
from html import escape
from pathlib import Path

import pbem

COLOURS = "#9b2226", "#1d4e89", "#2a6338", "#7a4d00", "#5b2a86"
WIDTH, HEIGHT, LEFT = 640, 360, 50

arguments = argparse.ArgumentParser(description="Plot the luck of a match from its game file.")
arguments.add_argument("game", type=Path)
arguments.add_argument("picture", type=Path)
chosen = arguments.parse_args()

record = pbem.load(chosen.game)  # every signature, link and draw is verified here
report = pbem.audit_file(chosen.game)
draws = pbem.draws_of(record.rules, record.lines, report.labels)

paths = {seat: [(0, 0.0)] for seat in record.seats}
for number, draw in enumerate(draws, 1):
    path = paths[pbem.Seat(draw.trial.seat)]
    path.append((number, path[-1][1] + draw.trial.success - float(draw.odds)))
most = max(1.0, *(abs(above) for path in paths.values() for _, above in path))
across, up = (WIDTH - LEFT - 20) / max(1, len(draws)), (HEIGHT / 2 - 40) / most

title = f"Luck in {record.game_info.title}: hits above expectation, by tries of all players"
parts = [
    f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">',
    f"<title>{title}</title>",
    f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fdf9ec"/>',
    f'<text x="{LEFT}" y="22">{title}</text>',
]
for above in (-most, 0, most):
    y = HEIGHT / 2 - above * up
    parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - 20}" stroke="#cdb27c"/>')
    parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{above:+.1f}</text>')
for place, (seat, path) in enumerate(paths.items()):
    colour = COLOURS[place % len(COLOURS)]
    points = " ".join(f"{LEFT + number * across:.1f},{HEIGHT / 2 - above * up:.1f}" for number, above in path)
    name = escape(record.names[seat])
    parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
    parts.append(f'<text x="{LEFT + 90 * place}" y="{HEIGHT - 12}" fill="{colour}">■ {name}</text>')
chosen.picture.write_text("\n".join([*parts, "</svg>", ""]), encoding="utf-8")

for luck in pbem.luck_of(draws):
    name, label = record.names[pbem.Seat(luck.player)], luck.purpose or "all together"
    hits = f"{luck.hits:3} of {luck.count:3}, expected {float(luck.expected):5.1f}"
    print(f"{name:8} {label:24} {hits}, as odd by chance {luck.odd:.0%}")
