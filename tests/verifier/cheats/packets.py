"""Lies about packets: step (7)."""

from __future__ import annotations

from pbem.game import JsonObject
from pbem.protocol.crypto.digest import b64, unb64
from tests.forge import Bodies, Forge
from tests.verifier.cheats.cheat import (
    Lines,
    acting,
    changed,
    cheat,
    first,
    some_packets,
)


@cheat("a seat gets no packet", 7, "packets")
def _no_packet(forge: Forge) -> Lines | None:
    return changed(forge, some_packets, lambda packets: packets.pop(next(iter(packets))))


@cheat("a packet for somebody who has no seat", 7, "packets")
def _extra_packet(forge: Forge) -> Lines | None:
    def extra(packets: JsonObject) -> None:
        packets["zed"] = next(iter(packets.values()))

    return changed(forge, some_packets, extra)


def _new_key(bodies: Bodies) -> JsonObject | None:
    return first(bodies, lambda body: body["kind"] == "rekey")


@cheat("a new key is told nothing", 7, "packets")
def _no_packet_for_new_key(forge: Forge) -> Lines | None:
    return changed(forge, _new_key, lambda body: body.pop("packets"))


@cheat("the packet of a new key is longer than its cards ask", 7, "packet-length")
def _long_packet_for_new_key(forge: Forge) -> Lines | None:
    def longer(body: JsonObject) -> None:
        for packet in body["packets"].values():
            packet["ct"] = b64(unb64(packet["ct"]) + bytes(512))

    return changed(forge, _new_key, longer)


@cheat("a new key is told of another epoch", 7, "epoch")
def _other_epoch_for_new_key(forge: Forge) -> Lines | None:
    return changed(forge, _new_key, lambda body: body.update(epoch=body["epoch"] + 1))


@cheat("a packet is longer than the others", 7, "packet-length")
def _long_packet(forge: Forge) -> Lines | None:
    def longer(packets: JsonObject) -> None:
        packet = packets[next(iter(packets))]
        packet["ct"] = b64(unb64(packet["ct"]) + bytes(512))

    return changed(forge, some_packets, longer)


@cheat("all packets are longer than public facts say", 7, "packet-length")
def _long_packets(forge: Forge) -> Lines | None:
    def longer(packets: JsonObject) -> None:
        for packet in packets.values():
            packet["ct"] = b64(unb64(packet["ct"]) + bytes(512))

    return changed(forge, some_packets, longer)


@cheat("nobody gets a packet", 7, "packets")
def _no_packets(forge: Forge) -> Lines | None:
    return changed(
        forge, lambda b: first(b, lambda x: acting(x) and "packets" in x), lambda body: body.pop("packets")
    )


def _packet(forge: Forge) -> JsonObject:
    return {forge.world.seats[0]: {"commit": b64(bytes(32)), "ct": b64(bytes(560))}}


@cheat("a packet in a match without secrets", 7, "packets")
def _needless_packet(forge: Forge) -> Lines | None:
    if forge.world.record.rules.has_secrets:
        return None
    return changed(forge, lambda b: first(b, acting), lambda body: body.update(packets=_packet(forge)))


@cheat("packets are sealed again in a match that has none", 7, "packets")
def _needless_reseal(forge: Forge) -> Lines | None:
    if forge.world.record.rules.has_secrets or forge.world.record.over:
        return None
    bodies = forge.bodies()
    reseal = {"kind": "reseal", "at": bodies[-1]["at"], "epoch": 1, "packets": _packet(forge), "_was": -1}
    return forge.write([*bodies, reseal])


@cheat("the packet of a new key is another seat's", 7, "packets")
def _other_packet_for_new_key(forge: Forge) -> Lines | None:
    def another(body: JsonObject) -> None:
        ((seat, packet),) = body["packets"].items()
        body["packets"] = {next(other for other in forge.world.seats if other != seat): packet}

    return changed(forge, _new_key, another)


@cheat("another seat's packet comes with that of a new key", 7, "packets")
def _more_packets_for_new_key(forge: Forge) -> Lines | None:
    def more(body: JsonObject) -> None:
        ((_, packet),) = body["packets"].items()
        body["packets"] = dict.fromkeys(forge.world.seats, packet)

    return changed(forge, _new_key, more)


@cheat("a newcomer gets another seat's packet", 7, "packets")
def _other_packet_for_newcomer(forge: Forge) -> Lines | None:
    def another(body: JsonObject) -> None:
        body["packets"] = {"anna": body["packets"][body["msg"]["body"]["seat"]]}

    return changed(forge, lambda b: first(b, lambda x: x["kind"] == "substitute"), another)


@cheat("a reseal holds nothing", 7, "packets")
def _empty_reseal(forge: Forge) -> Lines | None:
    return changed(
        forge, lambda b: first(b, lambda x: x["kind"] == "reseal"), lambda body: body.update(packets={})
    )


@cheat("a packet sealed again is too short for the cards that were found", 7, "packet-length")
def _short_reseal(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    reseal = first(bodies, lambda b: b["kind"] == "reseal")
    if reseal is None:
        return None
    seat = next(iter(reseal["packets"]))
    result = first(bodies[: reseal["_was"]][::-1], lambda b: "steps" in b)
    assert result is not None
    members = {"event": "found", "seat": seat}
    result["steps"][-1]["events"] += [members] * 22
    return forge.write(bodies)
