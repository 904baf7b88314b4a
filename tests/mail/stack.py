"""Real mail servers for tests: Postfix and Dovecot on loopback, high ports, in one temporary folder.

They need root (Postfix's master does) and the Debian packages. Where they are missing, tests skip with that said, or
fail if ``PBEM_REQUIRE`` is ``all``. They start in 0.04 s and take 32 MiB.
"""

from __future__ import annotations

import base64
import grp
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Final

import trustme

from tests.needed import installed
from tests.patience import nap, patiently, until

HOST: Final = "games@pbem.test"
PASSWORD: Final = "test-only"  # noqa: S105 - of servers that live for one test

_DOVECOT = """
base_dir = {d}/run
state_dir = {d}/state
log_path = {d}/dovecot.log
auth_verbose = yes
protocols = imap lmtp
listen = 127.0.0.1
ssl = required
ssl_cert = <{d}/tls/server.pem
ssl_key = <{d}/tls/server.key
ssl_min_protocol = TLSv1.2
auth_mechanisms = plain login
auth_username_format = %Ln
mail_location = {mailboxes}
mail_fsync = never
first_valid_uid = {uid}
last_valid_uid = {uid}
recipient_delimiter = +
lmtp_save_to_detail_mailbox = no
mail_max_userip_connections = 100
mailbox_idle_check_interval = 1 secs
default_process_limit = 60
default_client_limit = 400
default_vsz_limit = 256M
auth_failure_delay = 0
service anvil {{
  client_limit = 400
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
service auth {{
  client_limit = 800
  unix_listener auth-postfix {{
    mode = 0666
  }}
}}
service imap-login {{
  service_count = 0
  process_min_avail = 1
  inet_listener imap {{
    port = {imap}
  }}
  inet_listener imaps {{
    port = {imaps}
    ssl = yes
  }}
}}
service lmtp {{
  user = root
  unix_listener lmtp {{
    mode = 0666
  }}
}}
service stats {{
  unix_listener stats-writer {{
    mode = 0666
  }}
}}
passdb {{
  driver = passwd-file
  args = scheme=PLAIN username_format=%Ln {d}/users
}}
{oauth}
userdb {{
  driver = passwd-file
  args = username_format=%Ln {d}/users
  default_fields = uid={uid} gid={gid} home={d}/mail/%Ln
}}
namespace inbox {{
  inbox = yes
  separator = /
}}
"""

_MAIN = """
compatibility_level = 3.6
queue_directory = {d}/spool
data_directory = {d}/pfdata
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
mail_owner = postfix
setgid_group = postdrop
maillog_file = {d}/postfix.log
maillog_file_prefixes = {d}
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mx.pbem.test
myorigin = pbem.test
mydestination =
mynetworks =
alias_maps =
alias_database =
local_recipient_maps =
virtual_mailbox_domains = pbem.test, players.test
virtual_transport = lmtp:unix:{d}/run/lmtp
recipient_delimiter = +
relay_domains =
default_transport = error:no relay from the test stack
smtpd_tls_cert_file = {d}/tls/server.pem
smtpd_tls_key_file = {d}/tls/server.key
smtpd_tls_security_level = may
smtpd_tls_auth_only = yes
smtpd_tls_loglevel = 0
smtpd_tls_session_cache_database =
smtpd_sasl_type = dovecot
smtpd_sasl_path = {d}/run/auth-postfix
smtpd_sasl_auth_enable = yes
smtpd_sasl_security_options = noanonymous
smtpd_relay_restrictions = permit_sasl_authenticated, reject_unauth_destination
smtpd_recipient_restrictions =
message_size_limit = 10485760
mailbox_size_limit = 0
biff = no
smtpd_peername_lookup = no
smtp_dns_support_level = disabled
disable_dns_lookups = yes
minimal_backoff_time = 1s
maximal_backoff_time = 2s
queue_run_delay = 1s
in_flow_delay = 0
smtpd_client_connection_rate_limit = 0
smtpd_error_sleep_time = 0
enable_long_queue_ids = yes
"""

_MASTER = """
127.0.0.1:{smtp} inet n - n - 50 smtpd
127.0.0.1:{submission} inet n - n - 50 smtpd
  -o smtpd_tls_security_level=encrypt
  -o smtpd_client_restrictions=permit_sasl_authenticated,reject
127.0.0.1:{smtps} inet n - n - 50 smtpd
  -o smtpd_tls_wrappermode=yes
  -o smtpd_client_restrictions=permit_sasl_authenticated,reject
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 1 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
relay unix - - n - - smtp
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
lmtp unix - - n - - lmtp
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
"""

_QUEUES: Final = (
    *(
        "active",
        "bounce",
        "corrupt",
        "defer",
        "deferred",
        "flush",
        "hold",
        "incoming",
        "maildrop",
        "pid",
        "private",
    ),
    *("public", "saved", "trace"),
)

_OAUTH = """
auth_mechanisms = $auth_mechanisms xoauth2
passdb {{
  driver = oauth2
  mechanisms = xoauth2
  args = {d}/oauth2.conf
}}
"""
_OAUTH_CONF = """
introspection_mode = local
local_validation_key_dict = fs:posix:prefix={d}/keys/
username_attribute = sub
"""


_PORTS: Final = range(10_000, 32_000)
"""Below those that a system gives to whoever opens a connection: one of these would be taken before it is used."""
_given: list[int] = []


def free_port() -> int:
    """A port that nobody uses just now, and that no other process of these tests is given, nor this one twice."""
    first: int = _given[-1] + 1 if _given else _PORTS.start + os.getpid() * 997 % len(_PORTS)
    for port in chain(range(first, _PORTS.stop), range(_PORTS.start, first)):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            _given.append(port)
            return port
    raise AssertionError("no port is free")


def listens(port: int) -> bool:
    """Whether somebody takes connections at this port of this machine."""
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


def why_missing() -> str:
    """Why the real servers cannot be started here; nothing if they can."""
    if os.geteuid() != 0:
        return "Postfix needs root"
    for program in (
        "/usr/sbin/dovecot",
        "/usr/lib/dovecot/lmtp",
        "/usr/lib/dovecot/imap",
        "/usr/lib/postfix/sbin/master",
    ):
        if not installed(program):
            return f"{program} is not installed"
    return ""


class MailStack:
    """The two servers; a context manager. Every user's password is ``PASSWORD``.

    ``memory``: all that they write lies in memory. Postfix waits for the disk with every mail, whatever is set, and
    where others use that disk a load would measure them. ``mailboxes``: how Dovecot keeps them; into a Maildir a
    delivery costs more with each mail that lies there, into an sdbox it does not.
    """

    def __init__(
        self,
        users: tuple[str, ...],
        *,
        oauth_key: bytes = b"",
        memory: bool = False,
        mailboxes: str = "maildir:~/Maildir",
    ) -> None:
        self.users = users
        self._mailboxes = mailboxes
        self._oauth_key = oauth_key
        # Not pytest's tmp_path: the servers run as other users, and Unix socket paths are short.
        parent = "/dev/shm" if memory else "/tmp"  # noqa: S108 - a folder of its own is made there
        self.folder = Path(tempfile.mkdtemp(prefix="pbm.", dir=parent))
        self.ports = {name: free_port() for name in ("imap", "imaps", "smtp", "submission", "smtps")}
        self.ca_file = self.folder / "tls/ca.pem"
        self._processes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> MailStack:
        self.folder.chmod(0o755)
        for name in ("run", "state", "mail", "tls", "spool", "pfdata", "pfetc", "keys"):
            (self.folder / name).mkdir()
        self._certificates()
        self._write()
        try:
            self._start(["dovecot", "-F", "-c", str(self.folder / "dovecot.conf")])
            self._start(["/usr/lib/postfix/sbin/master", "-c", str(self.folder / "pfetc"), "-d"])
            for port in self.ports.values():
                self._wait_for(port)
        except BaseException:
            self.__exit__()
            raise
        return self

    def _certificates(self) -> None:
        authority = trustme.CA()
        cert = authority.issue_cert("localhost", "127.0.0.1", "mx.pbem.test")
        authority.cert_pem.write_to_path(self.ca_file)
        cert.private_key_pem.write_to_path(self.folder / "tls/server.key")
        (self.folder / "tls/server.pem").write_bytes(b"".join(pem.bytes() for pem in cert.cert_chain_pems))

    def _write(self) -> None:
        d, nobody, postfix = self.folder, pwd.getpwnam("nobody"), pwd.getpwnam("postfix").pw_uid
        os.chown(d / "mail", nobody.pw_uid, nobody.pw_gid)
        os.chown(d / "pfdata", postfix, -1)
        (d / "users").write_text("".join(f"{user}:{{PLAIN}}{PASSWORD}::::::\n" for user in self.users))
        oauth = ""
        if self._oauth_key:
            oauth = _OAUTH.format(d=d)
            (d / "oauth2.conf").write_text(_OAUTH_CONF.format(d=d))
            key = d / "keys/default/HS256/default"
            key.parent.mkdir(parents=True)
            key.write_bytes(base64.b64encode(self._oauth_key))
        values = {"d": d, "uid": nobody.pw_uid, "gid": nobody.pw_gid, "oauth": oauth, **self.ports}
        values["mailboxes"] = self._mailboxes
        (d / "dovecot.conf").write_text(_DOVECOT.format(**values))
        for name, text in (("main.cf", _MAIN), ("master.cf", _MASTER)):
            path = d / "pfetc" / name
            path.write_text(text.format(**values))
            os.utime(
                path, (time.time() - 60,) * 2
            )  # Postfix naps while its configuration is younger than 2 s
        postdrop = grp.getgrnam("postdrop").gr_gid
        modes = {"maildrop": 0o1730, "public": 0o2710, "pid": 0o755}
        for name in _QUEUES:
            path = d / "spool" / name
            path.mkdir()
            if name != "pid":
                os.chown(path, postfix, postdrop if name in ("maildrop", "public") else -1)
            path.chmod(modes.get(name, 0o700))

    def _start(self, command: list[str]) -> None:
        environment = {**os.environ, "MAIL_CONFIG": str(self.folder / "pfetc")}
        log = (self.folder / "stderr.log").open("ab")
        with log:
            self._processes.append(
                subprocess.Popen(
                    command, stdout=subprocess.DEVNULL, stderr=log, start_new_session=True, env=environment
                )
            )

    def _wait_for(self, port: int) -> None:
        for _ in patiently(lambda: f"nobody listens at {port}: {self.logs()}"):
            if any(process.poll() is not None for process in self._processes):
                raise RuntimeError(f"a mail server died: {self.logs()}")
            if listens(port):
                return
            nap()

    def quiet(self) -> None:
        """Wait until nothing is under way any more: every mail that was taken lies in its mailbox."""
        queues = [self.folder / "spool" / name for name in ("maildrop", "incoming", "active", "deferred")]
        until(lambda: not any(path.is_file() for queue in queues for path in queue.rglob("*")), self.logs)

    def logs(self) -> str:
        """What the servers wrote."""
        paths = [self.folder / name for name in ("stderr.log", "dovecot.log", "postfix.log")]
        return "\n".join(path.read_text("utf-8", "replace") for path in paths if path.exists())

    def pids(self) -> list[int]:
        """The masters."""
        return [process.pid for process in self._processes]

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.send_signal(signal.SIGTERM)
        for process in self._processes:
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
