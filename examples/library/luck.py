"""Plot the luck of a match from its game file: python luck.py GAME.jsonl luck.svg.

Each line is one player: their hits so far, less what the odds of their tries would have given.
"""

import argparse
from pathlib import Path

import pygal

import pbem

arguments = argparse.ArgumentParser(description="Plot the luck of a match from its game file.")
arguments.add_argument("game", type=Path)
arguments.add_argument("picture", type=Path)
chosen = arguments.parse_args()

record = pbem.load(chosen.game)  # every signature, link and draw is verified here
report = pbem.audit_file(chosen.game)
draws = pbem.draws_of(record.rules, record.lines, report.labels)

chart = pygal.XY(
    js=(),  # a picture that runs nothing and loads nothing
    title=f"Luck in {record.game_info.title}",
    x_title="tries of all players",
    y_title="hits above expectation",
)
for seat in record.seats:
    points, above = [(0, 0.0)], 0.0
    for number, draw in enumerate(draws, 1):
        if draw.trial.seat == seat:
            above += draw.trial.success - float(draw.odds)
            points.append((number, round(above, 2)))
    chart.add(record.names[seat], points)
chosen.picture.write_bytes(chart.render())

for luck in pbem.luck_of(draws):
    name, label = record.names[pbem.Seat(luck.seat)], luck.purpose or "all together"
    hits = f"{luck.hits:3} of {luck.count:3}, expected {float(luck.expected):5.1f}"
    print(f"{name:8} {label:24} {hits} ({luck.sigmas:+.1f} sigma)")
