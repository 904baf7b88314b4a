"""The print of a folder's match: what a crash, an editor or another host left there is mended, and nothing is lost."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.base.errors import RefusedError, StoreError, UsageProblem
from pbem.cli.clients import clock
from pbem.host import FolderHost
from pbem.host.database.driver import DatabaseDamaged
from pbem.host.folder_database import database_at, lines_in
from pbem.host.placing import check_place, file_system, synchronised
from pbem.host.printing import print_lines, signed_beyond
from pbem.host.recover import recover
from pbem.protocol.audit import audit
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.referee import Accepted, Departed
from tests.cli.seats import Friends, make_identity, run
from tests.host.folders import laid
from tests.world import World, accepted, secret

NOW = "2026-11-22T09:00:00Z"
DRAW = {"do": "draw", "from": "supply"}


@pytest.fixture
def world() -> World:
    return World("wyatt-earp", ["anna", "burt"]).start()


def host_of(world: World, place: Path) -> FolderHost:
    return FolderHost(place, world.host, lambda: NOW)


def whole(world: World) -> bytes:
    return b"".join(line + b"\n" for line in world.lines)


@pytest.mark.parametrize(
    ("left", "said", "aside"),
    [
        (lambda text: text[:-1], "", False),
        (lambda text: text[: len(text) // 2], "", False),
        (lambda _: b"", "", False),
        (lambda text: text[: text.rindex(b"{") + 9] + bytes(40), "half a line", False),
        (lambda text: text.replace(b"anna", b"bert"), "not in the database", True),
        (lambda text: text + b"and more\n", "not in the database", True),
        (lambda text: text.replace(b"\n", b"\r\n"), "not in the database", True),
    ],
    ids=["no end", "half", "empty", "zeros", "changed", "longer", "line ends"],
)
def test_the_game_file_is_what_the_database_has(
    world: World, tmp_path: Path, left: Callable[[bytes], bytes], said: str, *, aside: bool
) -> None:
    host = laid(tmp_path / "m", world.lines, world.host, lambda: NOW)
    host.close()
    game = tmp_path / "m" / "game.jsonl"
    bent = left(whole(world))
    game.write_bytes(bent)
    again = host_of(world, tmp_path / "m")
    assert again.status()["head"]["seq"] == world.head.seq
    assert game.read_bytes() == whole(world)
    assert any(said in notice for notice in again.notices) is bool(said)
    kept = list((tmp_path / "m").glob("game.jsonl.foreign-*"))
    assert [path.read_bytes() for path in kept] == ([bent] if aside else [])
    again.close()


def test_a_game_file_that_is_gone_is_printed_again(world: World, tmp_path: Path) -> None:
    laid(tmp_path / "m", world.lines, world.host, lambda: NOW).close()
    (tmp_path / "m" / "game.jsonl").unlink()
    again = host_of(world, tmp_path / "m")
    again.status()
    assert (tmp_path / "m" / "game.jsonl").read_bytes() == whole(world)
    again.close()


def test_it_is_printed_into_a_folder_that_friends_share(world: World, tmp_path: Path) -> None:
    host = laid(tmp_path / "m", world.lines, world.host, lambda: NOW)
    shared = tmp_path / "shared"
    shared.mkdir()
    host.print_beside(shared)
    seat = world.record.waiting["seat"]  # type: ignore[index]
    world.take(accepted(host.take(canon(world.turn_file(seat, DRAW))).ruling))
    (copy,) = shared.iterdir()
    assert copy.read_bytes() == whole(world)
    shutil.rmtree(shared)
    host.notices.clear()
    host.status()
    assert any("there is no folder" in notice for notice in host.notices), "and the host goes on"
    host.close()


def test_a_full_disk_keeps_the_commit_and_says_so(world: World, tmp_path: Path) -> None:
    """The records count; what could not be printed is printed by the next command."""
    host = laid(tmp_path / "m", world.lines, world.host, lambda: NOW)
    game = tmp_path / "m" / "game.jsonl"
    game.unlink()
    game.mkdir()  # nothing can be written under this name
    seat = world.record.waiting["seat"]  # type: ignore[index]
    with pytest.raises(StoreError):
        host.take(canon(world.turn_file(seat, DRAW)))
    host.close()
    game.rmdir()
    again = host_of(world, tmp_path / "m")
    again.status()
    assert list(again.folder.game.read().lines) == lines_in(tmp_path / "m")
    again.close()


# A database that was lost, put back or copied: nothing is signed twice.


def test_an_older_database_signs_nothing_and_a_copy_heals_it(world: World, tmp_path: Path) -> None:
    host = laid(tmp_path / "m", world.lines, world.host, lambda: NOW)
    host.close()
    old = database_at(tmp_path / "m").read_bytes()
    host = host_of(world, tmp_path / "m")
    seat = world.record.waiting["seat"]  # type: ignore[index]
    world.take(accepted(host.take(canon(world.turn_file(seat, DRAW))).ruling))
    host.close()
    database_at(tmp_path / "m").write_bytes(old)
    with pytest.raises(DatabaseDamaged, match="not the newest") as fault:
        host_of(world, tmp_path / "m")
    assert "pbem host recover" in fault.value.hint
    recover(tmp_path / "m", world.host, [], lambda: NOW)  # its own game file is a copy
    assert lines_in(tmp_path / "m") == world.lines


def test_a_folder_that_was_put_back_whole_but_for_its_game_file_signs_nothing(
    world: World, tmp_path: Path
) -> None:
    laid(tmp_path / "m", world.lines, world.host, lambda: NOW).close()
    older = World("wyatt-earp", ["anna", "burt"])
    older.record = world.record.fork()
    world.play(2)
    (tmp_path / "m" / "game.jsonl").write_bytes(whole(world))
    host = host_of(world, tmp_path / "m")
    assert signed_beyond(host.folder.game.path, older.lines, world.host.sign_public) == older.head.seq + 1
    with pytest.raises(RefusedError, match="not the newest"):
        host.take(canon(world.move_file(world.record.waiting["seat"])))  # type: ignore[index]
    assert host.folder.game.path.read_bytes() == whole(world), "the newer copy is not touched"
    host.close()
    recover(tmp_path / "m", world.host, [], lambda: NOW)
    assert lines_in(tmp_path / "m") == world.lines


def test_a_copied_folder_stands_still_when_a_player_has_seen_more(world: World, tmp_path: Path) -> None:
    laid(tmp_path / "m", world.lines, world.host, lambda: NOW).close()
    shutil.copytree(tmp_path / "m", tmp_path / "copy")
    host = host_of(world, tmp_path / "m")
    seat = world.record.waiting["seat"]  # type: ignore[index]
    world.take(accepted(host.take(canon(world.turn_file(seat, DRAW))).ruling))
    host.close()
    other = host_of(world, tmp_path / "copy")
    file = canon(world.move_file(world.record.waiting["seat"]))  # type: ignore[index]
    assert isinstance(other.take(file).ruling, Departed)
    with pytest.raises(RefusedError, match="stands still"):
        other.take(file)
    said = other.offer(world.lines)
    assert any("goes on" in text for text in said)
    assert isinstance(other.take(file).ruling, Accepted)
    other.close()
    assert audit(lines_in(tmp_path / "copy")).ok


def test_a_lost_database_is_rebuilt_from_a_friends_copy_alone(world: World, tmp_path: Path) -> None:
    recover(tmp_path / "new", world.host, [("burt", world.lines)], lambda: NOW)
    host = host_of(world, tmp_path / "new")
    seat = world.record.waiting["seat"]  # type: ignore[index]
    assert isinstance(host.take(canon(world.turn_file(seat, DRAW))).ruling, Accepted)
    host.close()


def test_a_damaged_database_is_put_aside_when_it_is_rebuilt(world: World, tmp_path: Path) -> None:
    laid(tmp_path / "m", world.lines, world.host, lambda: NOW).close()
    database_at(tmp_path / "m").write_bytes(b"no database at all" * 100)
    (tmp_path / "m" / "host" / "heads.jsonl").unlink()
    recover(tmp_path / "m", world.host, [], lambda: NOW)
    assert lines_in(tmp_path / "m") == world.lines
    assert (tmp_path / "m" / "host" / "match.db.old-1").exists()


def test_what_is_noted_as_signed_must_be_in_a_rebuilt_database(world: World, tmp_path: Path) -> None:
    laid(tmp_path / "m", world.lines, world.host, lambda: NOW).close()
    shorter = list(world.lines[:-1])
    database_at(tmp_path / "m").unlink()
    (tmp_path / "m" / "game.jsonl").unlink()
    recover(tmp_path / "m", world.host, [("anna", shorter)], lambda: NOW)
    host = host_of(world, tmp_path / "m")
    with pytest.raises(RefusedError, match="stands still"):
        host.on_time()
    host.close()
    recover(tmp_path / "m", world.host, [("burt", world.lines)], lambda: NOW)
    again = host_of(world, tmp_path / "m")
    again.on_time()
    again.close()


def test_a_folder_with_a_copy_and_no_database_says_what_to_do(world: World, tmp_path: Path) -> None:
    (tmp_path / "game.jsonl").write_bytes(whole(world))
    with pytest.raises(UsageProblem, match="no host has a match") as fault:
        FolderHost(tmp_path, world.host, lambda: NOW)
    assert "pbem host recover" in fault.value.hint


def test_the_database_is_of_its_host_alone(world: World, tmp_path: Path) -> None:
    laid(tmp_path / "m", world.lines, world.host, lambda: NOW).close()
    with pytest.raises(UsageProblem, match="not the host of this match"):
        FolderHost(tmp_path / "m", Identity(secret("stranger")), clock).status()


# By commands.


def test_advance_takes_a_copy_of_the_match_file(tmp_path: Path) -> None:
    friends = Friends(tmp_path).begin().join_and_ready()
    done = friends.host("advance", friends.folder("anna") / "game.jsonl")
    assert done.code in (0, 5), done.err  # what she has signed came before, and her emails bring nothing new
    assert "a copy of the match file: it brought no record" in done.out


def test_recover_and_advance_need_a_copy_and_the_identity_alone(tmp_path: Path) -> None:
    friends = Friends(tmp_path).begin().join_and_ready()
    home = tmp_path / "host" / "home"
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(friends.game_file)
    shutil.rmtree(friends.match)
    assert run("host", "recover", copy, "-o", friends.match, "--home", home).code == 0
    seat = friends.status()["waiting"]["seat"]
    assert friends.send(friends.sign(seat, "turn", "draw", "supply")).code == 0


def test_two_commands_at_once_print_one_match(tmp_path: Path) -> None:
    friends = Friends(tmp_path).begin().join_and_ready()
    host = make_identity(tmp_path / "again", "host", "host")
    first, second = (FolderHost(friends.match, host, clock) for _ in range(2))
    seat = first.status()["waiting"]["seat"]
    first.extend(seat, "2099-01-01T00:00:00Z")
    second.extend(seat, "2099-02-01T00:00:00Z")
    assert list(first.folder.game.read().lines) == lines_in(friends.match)
    assert first.status()["due"] == "2099-02-01T00:00:00Z"
    first.close()
    second.close()


# Where the database lies.

MOUNTS = """21 1 8:1 / / rw - ext4 /dev/sda1 rw
30 21 0:30 / /home/anna/net\\040drive rw - nfs4 server:/x rw
31 21 0:31 / /mnt/win rw - cifs //server/x rw
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/home/anna/m", "ext4"), ("/mnt/win/m/host/match.db", "cifs"), ("/mnt/windows", "ext4")],
)
def test_the_kind_of_file_system_is_that_of_the_nearest_mount(path: str, kind: str) -> None:
    assert file_system(Path(path), MOUNTS) == kind


def test_a_network_drive_is_refused_and_a_synchronised_folder_is_known(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="network file system"):
        check_place(Path("/mnt/win/m/host/match.db"), lambda: MOUNTS)
    check_place(tmp_path)
    assert synchronised(tmp_path) == ""
    (tmp_path / "Dropbox" / "m").mkdir(parents=True)
    assert synchronised(tmp_path / "Dropbox" / "m") == str(tmp_path / "Dropbox")
    (tmp_path / "kept" / ".stfolder").mkdir(parents=True)
    assert synchronised(tmp_path / "kept") == str(tmp_path / "kept")


def test_nothing_is_written_where_nothing_changed(tmp_path: Path) -> None:
    game = tmp_path / "game.jsonl"
    assert print_lines(game, [b"{}"]) == []
    before = game.stat().st_mtime_ns
    assert print_lines(game, [b"{}"]) == []
    assert game.stat().st_mtime_ns == before
