"""What is typed, by group, and by whom; each line ends in an error. ``first``: a newcomer meets it."""

from __future__ import annotations

from typing import Final, NamedTuple


class Row(NamedTuple):
    """One line that somebody types in the own folder (``stage.Stage``)."""

    who: str
    typed: str
    first: bool = True
    stdin: str = ""


def _rows(who: str, lines: str, *, first: bool = True) -> list[Row]:
    """Lines; what stands behind one says that its answer is long and not for the page."""
    rows = [line.strip().partition("  # long") for line in lines.strip().splitlines()]
    return [Row(who, line, first and not long) for line, long, _ in rows]


_MORE: Final[dict[str, list[tuple[str, str]]]] = {
    "first mile": [("new", "pbem host send")],
    "identity": [
        (
            "anna",
            """
            pbem id new carl --passphrase-file empty.txt
            pbem id new carl --passphrase-file long.txt
            pbem id new carl --passphrase-file other.bin
            pbem id new carl
            pbem rekey . --new nobody
            pbem rekey . --new anna
            """,
        )
    ],
    "your turn": [
        (
            "anna",
            """
            pbem turn . '{"do":'
            pbem turn . [1]
            pbem turn . "draw supply" --react nice
            pbem turn . --react 3=nice
            pbem ready .
            pbem join game.jsonl --seat anna
            pbem orders --withdraw --remove 1
            pbem orders --add "when dance do pass"
            pbem orders --add react
            pbem orders --add "when react do pass if moon"
            pbem orders --set notes.txt
            pbem consent . pause yesterday
            pbem consent . replace anna nobody
            pbem consent . rewind 999
            pbem consent . rewind soon
            pbem consent . substitute
            pbem check folder
            pbem check elsewhere/other.eml
            pbem show . --record 999
            pbem show . --card 999
            pbem show folder
            pbem update folder elsewhere/broken.jsonl
            pbem say . "Howdy" --send
            """,
        ),
    ],
    "check and look back": [
        (
            "anna",
            """
            pbem replay . --public --open
            pbem replay . --to 999
            pbem audit . --card 999
            pbem verify folder
            pbem inspect folder
            pbem inspect turn.json
            pbem check --board way-out-west nowhere.json
            pbem check --scenario nowhere
            pbem web check nowhere
            pbem web serve nowhere
            pbem demo -o notes.txt
            """,
        )
    ],
    "host": [
        (
            "host",
            """
            pbem host new sunday --game wyatt-earp --seats anna,burt --reveal never
            pbem host new sunday --game wyatt-earp --seats anna,burt --between 9 --zone Europe/Berlin
            pbem host new sunday --game wyatt-earp --seats anna,burt --zone Mars/Olympus --days mo
            pbem host new sunday --game wyatt-earp --seats anna,burt --zone Europe/Berlin --days someday
            pbem host new sunday --game wyatt-earp --seats anna,burt --to carla=carla@example.org
            pbem host new sunday --game wyatt-earp --seats anna,burt --to anna=nobody
            pbem host new sunday --game wyatt-earp --seats anna,anna
            pbem host new sunday --game wyatt-earp --seats anna,burt --plays carla
            pbem host new sunday --game wyatt-earp --seats anna,burt --consent moon=all
            pbem host again match sunday
            pbem host again notes.txt sunday
            pbem host status match extra
            pbem host advance match missing.json
            pbem host start match again
            pbem host advance match folder
            pbem host extend match anna 2020-01-01T00:00:00Z
            pbem host extend match burt +24h
            pbem host results match carla
            pbem host results match anna loudly
            pbem host remind match carla 24
            pbem host remind match anna 9999
            pbem host archive match -o notes.txt
            pbem host recover -o match
            pbem host recover -o sunday notes.txt
            pbem host recover -o match elsewhere.jsonl
            pbem host substitute match notes.txt
            pbem host send nowhere
            pbem host send
            pbem host recover -o taken match --plays anna
            """,
        )
    ],
    "service": [
        (
            "host",
            """
            pbem host matches --config settings.toml
            pbem host restore --config settings.toml notes.txt
            pbem host email 99 --config settings.toml
            pbem host deliver notes.txt --config settings.toml
            pbem host init .
            """,
        )
    ],
}
"""What no newcomer meets, behind the rows of its group."""
GROUPS: Final[dict[str, list[Row]]] = {
    "command line": _rows(
        "anna",
        """
        pbem shoot
        pbem pracitce
        pbem host invit
        pbem show --publik
        pbem show . extra words
        pbem legal --lang
        pbem legal --public=yes
        pbem update . --for-host x
        pbem play . --colours blue
        pbem join
        pbem id new
        pbem --lang de
        pbem practice wyatt-earp --seat
        """,
    ),
    "first mile": _rows(
        "new",
        """
        pbem show
        pbem show nowhere
        pbem play
        pbem practice wyatt-earp
        pbem turn . draw supply
        pbem ready
        pbem join invitation.eml
        pbem join notes.txt
        pbem id show anna
        pbem id backup anna
        pbem id restore anna
        pbem id restore anna --from notes.txt
        pbem id new ... --no-passphrase
        pbem id new Anna --passphrase-file nowhere
        pbem rules chess  # long
        pbem rules Z9  # long
        pbem rules D6 --html rules.html
        pbem inspect notes.txt
        pbem inspect nowhere
        pbem host status  # long
        pbem host new saturday --game chess --seats anna,burt
        pbem host new saturday --game wyatt-earp --seats anna,burt
        pbem host new saturday --game wyatt-earp --seats anna
        """,
    ),
    "identity": _rows(
        "anna",
        """
        pbem id new Anna --no-passphrase
        pbem id show carla
        pbem id backup carla
        pbem show --id carla
        pbem show --id nowhere/anna.json
        pbem turn . draw supply --passphrase-file wrong.txt --id locked  # long
        pbem id backup locked --passphrase-file wrong.txt
        pbem id backup locked --passphrase-file nowhere  # long
        pbem mail init extra
        """,
    ),
    "your turn": _rows(
        "anna",
        """
        pbem turn
        pbem turn . shoot  # long
        pbem turn . draw
        pbem turn . draw bank  # long
        pbem turn . "lay john wayne 3"  # long
        pbem turn . "lay jesse james"  # long
        pbem turn . "discard jesse james"
        pbem turn . "discard" -o turn.json  # long
        pbem turn . "draw supply" -o nowhere/turn.json  # long
        pbem turn . "draw supply" --tell carla=hello
        pbem turn . "draw supply" --tell hello
        pbem turn . "draw supply" --send  # long
        pbem turn . "draw supply"
        pbem turn . "draw supply" -o folder  # long
        pbem say . ""
        pbem ready
        pbem consent . tea
        pbem consent . end result
        pbem away . yesterday tomorrow
        pbem away . 2020-01-01 2020-01-02
        pbem away . 2090-01-02 2090-01-01  # long
        pbem orders --add nonsense
        pbem orders --remove 99
        pbem orders --preset nonsense
        pbem update . notes.txt
        pbem update . nowhere.eml
        pbem update . other.eml  # long
        pbem check notes.txt
        pbem check nowhere.json
        pbem check notes.txt other.bin
        pbem update . --for-host 999
        pbem update .
        pbem update . notes.txt --for-host 1
        pbem rekey .
        pbem replay . --from 999
        """,
    ),
    "stale copy": _rows(
        "burt",
        """
        pbem turn . "draw supply"
        """,
    ),
    "check and look back": _rows(
        "anna",
        """
        pbem verify notes.txt
        pbem verify nowhere
        pbem verify broken.jsonl  # long
        pbem audit notes.txt
        pbem audit
        pbem audit . --html nowhere/report.html
        pbem compare . notes.txt
        pbem compare . nowhere
        pbem compare . broken.jsonl
        pbem stats nowhere
        pbem check --board way-out-west notes.txt
        pbem check --scenario notes.txt
        """,
    ),
    "host": _rows(
        "host",
        """
        pbem host new match --game wyatt-earp --seats anna,burt
        pbem host new sunday --game wyatt-earp --seats Anna!,burt  # long
        pbem host new sunday --game wyatt-earp --seats anna,burt --option bank=blue  # long
        pbem host new sunday --game wyatt-earp --seats anna,burt --option bank
        pbem host new sunday --game wyatt-earp --seats anna,burt --hours -3
        pbem host new sunday --game wyatt-earp --seats anna,burt --profile odd
        pbem host new sunday --game wyatt-earp --seats anna,burt --between 9-21
        pbem host new sunday --game wyatt-earp --seats anna,burt --consent end=nobody
        pbem host add match nowhere.json
        pbem host advance match notes.txt
        pbem host advance match nowhere.json
        pbem host default match
        pbem host default match carla
        pbem host extend match anna yesterday
        pbem host extend match carla +24h
        pbem host burn match
        pbem host end match
        pbem host reseal match carla
        pbem host substitute match anna
        pbem host carry-out match anna
        pbem host withdraw match anna
        pbem host status notes.txt
        pbem host remind match anna soon  # long
        pbem host observe match nobody
        pbem host send match
        pbem host again match
        """,
    ),
    "service": _rows(
        "host",
        """
        pbem host try
        pbem host run-once
        pbem host matches
        pbem host health
        pbem host backup -o nowhere/copy.db
        pbem host restore notes.txt
        pbem host log
        pbem host quarantine
        pbem host serve --config notes.txt
        """,
        first=False,
    ),
}
for chapter, lines in _MORE.items():
    GROUPS[chapter] += [row for who, text in lines for row in _rows(who, text, first=False)]
"""By group; the judge's own refusals come from the damaged files of ``tests.cli.test_bad_input``."""
