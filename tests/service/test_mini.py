"""A match over the pip-only pair, for machines without mail servers: STARTTLS, AUTH, IDLE, faults on demand."""

from __future__ import annotations

from pathlib import Path

from pbem.host.config import Config
from pbem.host.config_file import try_all
from pbem.player.mail.servers import Secret, Server
from pbem.protocol.referee import MatchPlan
from tests.errors.servers import check
from tests.mail.mini import USER, MiniPair, Step
from tests.mail.stack import PASSWORD
from tests.service.fakes import FakeClock
from tests.service.people import Player, parse
from tests.service.real import Place, database_url, real_service
from tests.world import secret


def test_a_match_over_the_pip_only_pair_with_lost_answers(tmp_path: Path) -> None:
    with MiniPair() as pair:
        place = Place(pair.ports, str(pair.ca_file), starttls=True)
        clock = FakeClock()
        service = real_service(place, database_url(tmp_path), witness_wait=1, clock=clock)
        players = [Player(seat) for seat in ("anna", "burt", "curt", "dora")]
        seats = [player.seat for player in players]
        read = 0

        def pump() -> None:
            nonlocal read
            service.run_once()
            fresh = pair.sent[read:]
            read += len(fresh)
            for address, raw in fresh:
                next(player for player in players if player.address == address).read(raw)

        short = service.matches.create(MatchPlan("wyatt-earp", seats), secret("nonce mini")[:16])
        words = service.matches.invite(short, {player.seat: player.address for player in players})
        while not all(player.lines for player in players):
            pump()
        for player, code in zip(players, words, strict=True):
            pair.append(player.mail(player.join(code.word)))
        while not all(player.asked for player in players):
            pump()
        for player in players:
            pair.append(player.mail(player.ready()))
        for number in range(12):
            while not (asked := [player for player in players if player.asked]):
                pump()
            if number % 4 == 0:
                pair.script.append(Step("data", "250 ok", taken=True))  # kept, and the answer lost
            if number % 4 == 2:
                pair.script.append(Step("data", "451 4.7.1 try again", taken=False))
            pair.append(asked[0].mail(asked[0].move(), "armour"))
            before = len(asked[0].lines)
            while len(asked[0].lines) == before:
                pump()
                clock.tick(120)
        while set(service.counts()) != {"sent"}:
            clock.tick(120)
            pump()
        for player in players:
            names = [str(parse(raw)["Message-ID"]) for raw in player.letters]
            assert len(names) == len(set(names)), "a letter came twice"
        service.close()
        word = tmp_path / "word"
        word.write_text(PASSWORD)
        imap, smtp = (
            Server(
                "localhost",
                pair.ports[name],
                USER,
                Secret("file", "word"),
                "starttls",
                ca_file=str(pair.ca_file),
            )
            for name in ("imap", "submission")
        )
        config = Config(tmp_path, "games@elsewhere.test", "boss@elsewhere.test", "", "", None, imap, smtp)
        tried = dict(try_all(config, {}, ["database"], arrives=0))
        assert tried.pop("folder") == tried.pop("imap") == tried.pop("smtp") == ""
        check("mail", {"a test email that does not come back": lambda: tried["test email"]})
