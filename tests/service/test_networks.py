"""Limits of the HTTP API count networks: one person has 2**64 addresses of IPv6, and they are one.

The members were looked for as every place that reads from where a request comes: ``request.client`` stands in one
function only, which the limits of wrong codes, of codes asked for by keys, of ``place`` and of pairing ask. Other
limits count a seat, a match or an email's sender.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from ipaddress import IPv6Address
from pathlib import Path

import httpx
import pytest
from starlette.requests import Request

import pbem
from pbem.host.service.http_parts import network_of
from tests.service.test_api import URL, Apis

REQUESTS = {
    "wrong code": ("GET", "/match/7q3kdw1x/lines"),
    "asked by keys": ("POST", "/match/7q3kdw1x/word"),
    "place": ("GET", "/place"),
    "pairing": ("POST", "/pair/ZZ/1"),
}
TRIES = 70
"""More than any of them has in a minute."""


@pytest.fixture(scope="module")
def apis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Apis]:
    opened = Apis(tmp_path_factory.mktemp("networks"))
    yield opened
    opened.close()


def answers(apis: Apis, method: str, path: str, addresses: list[str]) -> list[int]:
    """The status of one request from each of these addresses."""

    async def asked() -> list[int]:
        statuses = []
        for address in addresses:
            transport = httpx.ASGITransport(apis.app.asgi, client=(address, 40_000))
            async with httpx.AsyncClient(transport=transport, base_url=URL) as client:
                statuses.append((await client.request(method, path, content=b"x" * 33)).status_code)
        return statuses

    return asyncio.run(asked())


@pytest.mark.parametrize("limit", REQUESTS)
def test_a_network_has_what_one_address_has(apis: Apis, limit: str) -> None:
    apis.time += 120
    network, other = int(IPv6Address("2a01:4f8:1:2::")), "2a01:4f8:1:3::1"
    addresses = [str(IPv6Address(network + (number << 40) + number)) for number in range(1, TRIES)]
    statuses = answers(apis, *REQUESTS[limit], [*addresses, other])
    assert statuses[0] != 429
    assert set(statuses[-10:-1]) == {429}, "the network has used up what it has"
    assert statuses[-1] == statuses[0], "its neighbour has not"


@pytest.mark.parametrize("limit", REQUESTS)
def test_people_behind_other_addresses_of_ipv4_are_others(apis: Apis, limit: str) -> None:
    apis.time += 120
    assert 429 not in answers(apis, *REQUESTS[limit], [f"192.0.2.{number}" for number in range(TRIES)])


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:DB8:1:2::", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("a proxy's word", "a proxy's word"),
        ("", ""),
    ],
)
def test_one_network(address: str, network: str) -> None:
    assert network_of(Request({"type": "http", "client": (address, 1)})) == network


def test_nobody_else_asks_from_where_a_request_comes() -> None:
    sources = Path(pbem.__file__).parent
    asking = [
        path.name for path in sources.glob("[!w]*/**/*.py") if "request.client" in path.read_text("utf-8")
    ]
    assert asking == ["http_parts.py"]
