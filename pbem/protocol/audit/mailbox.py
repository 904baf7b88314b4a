"""From mailboxes to a verdict, without the host: what emails and files together prove (schemas/README.md §9).

Given is everything that anybody kept: lines of the game file (from emails, receipts, copies) and signed files (own
messages of players, refusals by the host), each with the name of its source. Then

1. lines are put together by number and ``prev``; only lines with the host's signature count, others were altered;
2. two different lines of one number, both signed by the host, prove that they signed two histories: which source holds
   which says who learned what;
3. every player's file is looked for in the rebuilt file: recorded, refused, recorded as something else, or nowhere;
4. every refusal is judged: against the line that holds the same file, and by the rules where that can be done.

Nothing here reads a disk or a mailbox; bytes and names come in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pbem.base.errors import PbemError
from pbem.base.sentences import sentence
from pbem.game import JsonObject
from pbem.protocol.audit import mailbox_papers
from pbem.protocol.audit.audit import audit
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.formats.envelopes import verify_file
from pbem.protocol.formats.messages import Message, message_of, read_message
from pbem.protocol.record import Line
from pbem.protocol.record.kinds import FILES
from pbem.protocol.record.line import read_line, verify_entry


def rebuild(
    sources: Sequence[mailbox_papers.FoundPapers], *, engine: bool = True
) -> list[mailbox_papers.MailboxAudit]:
    """One result for every match of which record 0 was found, in the order in which they were found."""
    starts = list({raw: None for source in sources for raw in source.lines if mailbox_papers.is_genesis(raw)})
    names = [b64(read_line(raw).hash) for raw in starts]
    games = mailbox_papers.games_of(sources, names)
    return [
        _Rebuilt(raw, mailbox_papers.of_game(sources, games, name)).result(engine=engine)
        for raw, name in zip(starts, names, strict=True)
    ]


class _Rebuilt:
    """One match put together from everything that was found."""

    def __init__(self, genesis: bytes, sources: Sequence[mailbox_papers.FoundPapers]) -> None:
        self.genesis = read_line(genesis)
        self.game = self.genesis.hash
        self.host = unb64(self.genesis.body["host"]["sign"], 32)
        self.box = mailbox_papers.MailboxAudit(b64(self.game))
        self.where: dict[bytes, list[mailbox_papers.FoundPapers]] = {}
        self.lines: dict[bytes, Line] = {}
        self._named: dict[bytes, bytes] = {}
        self._filed: dict[bytes, bytes] = {}
        self.bad: dict[bytes, str] = {}
        self.messages: dict[bytes, Message] = {}
        self.rejects: dict[bytes, Message] = {}
        self.chain: list[Line] = []
        self.box.sources = len(sources)
        for papers in sources:
            self._take(papers)

    def _take(self, papers: mailbox_papers.FoundPapers) -> None:
        for raw in papers.lines:
            self._take_line(raw, papers)
        for raw in papers.files:
            self._take_file(raw, papers)

    def _take_line(self, raw: bytes, papers: mailbox_papers.FoundPapers) -> None:
        if raw not in self._filed:
            self._filed[raw] = self._judged(raw)
        self.where.setdefault(self._filed[raw], []).append(papers)

    def _judged(self, raw: bytes) -> bytes:
        """What this line is filed under: itself, or the same record with another signature of the host."""
        try:
            line = read_line(raw)
            verify_entry(line, self.game, self.host)
        except PbemError as error:
            self.bad[raw] = str(error)
            return raw
        first = self._named.setdefault(line.hash, raw)
        self.lines.setdefault(first, line)
        return first

    def _take_file(self, raw: bytes, papers: mailbox_papers.FoundPapers) -> None:
        try:
            message = read_message(raw)
        except PbemError:
            return  # an email may hold any other JSON
        if message.game != self.game:
            return
        self.where.setdefault(message.hash, []).append(papers)
        (self.rejects if message.kind == "reject" else self.messages)[message.hash] = message

    # --- the verdict --------------------------------------------------------------------------------------

    def result(self, *, engine: bool) -> mailbox_papers.MailboxAudit:
        """Everything that can be said."""
        self.chain = self._longest()
        self.box.lines = [line.raw for line in self.chain]
        self._report_altered()
        self._report_forks()
        self._report_gaps()
        self.box.report = audit(self.box.lines, engine=engine)
        recorded = self._recorded()
        for message in sorted(self.messages.values(), key=lambda m: (m.seat, m.n)):
            self._report_fate(message, recorded)
        for reject in self.rejects.values():
            self._report_reject(reject)
        return self.box

    def _longest(self) -> list[Line]:
        """The longest branch from record 0 on; where two are equally long, the one that more places hold."""
        after: dict[str, list[Line]] = {}
        for line in self.lines.values():
            after.setdefault(line.body["prev"], []).append(line)
        best: dict[bytes, tuple[int, int]] = {}
        order = sorted(self.lines.values(), key=lambda line: -line.seq)
        for line in order:
            followers = [best[follower.raw] for follower in self._followers(after, line)]
            depth, weight = max(followers, default=(0, 0))
            best[line.raw] = depth + 1, weight + len(self.where[line.raw])
        chain = [self.genesis]
        while following := self._followers(after, chain[-1]):
            chain.append(max(following, key=lambda line: best[line.raw]))
        return chain

    def _followers(self, after: Mapping[str, list[Line]], line: Line) -> list[Line]:
        return [follower for follower in after.get(b64(line.hash), ()) if follower.seq == line.seq + 1]

    def _names(self, key: bytes) -> tuple[str, ...]:
        return tuple(dict.fromkeys(_place(papers) for papers in self.where.get(key, ())))

    def _report(
        self,
        code: str,
        words: str,
        key: bytes,
        *,
        proof: bool = False,
        papers: Sequence[str] = (),
        seq: int | None = None,
    ) -> None:
        sources = self._names(key)
        self.box.findings.append(mailbox_papers.Finding(code, words, proof, sources, tuple(papers), seq))

    def _report_altered(self) -> None:
        for raw, why in self.bad.items():
            line = mailbox_papers.line_on(raw)
            words = sentence(
                "record {record} was altered on the way, or the host never wrote it: {why}",
                record=line.seq if line else "?",
                why=why,
            )
            self._report("altered", words, raw)

    def _report_forks(self) -> None:
        """Where another line of the same number, also signed by the host, stands beside the rebuilt history."""
        by_number: dict[int, list[Line]] = {}
        for line in self.lines.values():
            by_number.setdefault(line.seq, []).append(line)
        chosen = {line.seq: line for line in self.chain}
        for seq in sorted(by_number):
            mine = chosen.get(seq)
            if mine is None:
                continue
            for other in by_number[seq]:
                if other.raw != mine.raw and seq == self._parted(other):
                    self._report_fork(mine, other)

    def _parted(self, other: Line) -> int:
        """Where the branch of this line leaves the rebuilt history: only there it is shown."""
        chosen = {b64(line.hash): line.seq for line in self.chain}
        return chosen[other.body["prev"]] + 1 if other.body["prev"] in chosen else -1

    def _report_fork(self, mine: Line, other: Line) -> None:
        ours, theirs = self._names(mine.raw), self._names(other.raw)
        words = sentence(
            "record {record} in {ours} is not that in {theirs}, and the host signed both: two histories",
            record=mine.seq,
            ours=_list(ours),
            theirs=_list(theirs),
        )
        papers = (mine.raw.decode(), other.raw.decode())
        self._report("forked", words, other.raw, proof=True, papers=papers, seq=mine.seq)

    def _report_gaps(self) -> None:
        known = {line.seq for line in self.lines.values()}
        last = max(known, default=0)
        missing = [seq for seq in range(last) if seq not in known]
        for begin, end in _spans(missing):
            which = str(begin) if begin == end else f"{begin}-{end}"
            words = sentence("records are missing: {records}; later ones are there", records=which)
            self.box.findings.append(mailbox_papers.Finding("missing-lines", words, proof=False, seq=begin))

    def _recorded(self) -> dict[tuple[str, int], list[tuple[Line, Message]]]:
        """The players' files in the rebuilt history, by seat and number."""
        recorded: dict[tuple[str, int], list[tuple[Line, Message]]] = {}
        for line in self.chain:
            for file in [*line.body.get("consents", ()), *([line.body["msg"]] if "msg" in line.body else ())]:
                try:
                    message = message_of(file)
                except PbemError:
                    continue
                recorded.setdefault((message.seat, message.n), []).append((line, message))
        return recorded

    def _report_fate(
        self, message: Message, recorded: Mapping[tuple[str, int], list[tuple[Line, Message]]]
    ) -> None:
        fate: JsonObject = {"seat": message.seat, "n": message.n, "kind": message.kind}
        self.box.fates.append(fate)
        same = recorded.get((message.seat, message.n), [])
        line = next((line for line, other in same if other.hash == message.hash), None)
        rejects = [reject for reject in self.rejects.values() if reject.body["hash"] == b64(message.hash)]
        name = sentence("file {n} of {seat}", n=message.n, seat=message.seat)
        if not self._is_signed(message):
            fate["fate"] = "not signed by its seat"
        elif line is not None:
            fate |= {"fate": "recorded", "record": line.seq}
        elif rejects:
            fate |= {"fate": "refused", "code": rejects[0].body["code"]}
        elif same:
            fate |= {"fate": "another file of this number is recorded", "record": same[0][0].seq}
            self._report_other(name, message, *same[0])
        elif FILES[message.kind].rule is None:
            fate["fate"] = "for the host alone"
        elif (receipt := self._dropped_line(message)) is not None:
            fate |= {"fate": "recorded in a history that was dropped"}
            self._report_dropped(name, message, receipt)
        else:
            fate["fate"] = "nowhere"
            words = sentence(
                "{file} is in no record and was not refused: lost on the way, or left out by the host",
                file=name,
            )
            self._report("unrecorded", words, message.hash)

    def _is_signed(self, message: Message) -> bool:
        """By a key that this history gives to its seat (or, for a join, by its own)."""
        keys = (
            {b64(unb64(message.body["sign"], 32))} if message.kind == "join" else self._keys_of(message.seat)
        )
        for key in keys:
            try:
                verify_file(message.kind, message.file, unb64(key, 32))
            except PbemError:
                continue
            return True
        return False

    def _keys_of(self, seat: str) -> set[str]:
        bodies = [line.body["msg"]["body"] for line in self.lines.values() if "msg" in line.body]
        keys = {body["sign"] for body in bodies if body["seat"] == seat and "sign" in body}
        return keys | {
            line.body["what"]["sign"] for line in self.chain if "sign" in line.body.get("what", {})
        }

    def _dropped_line(self, message: Message) -> Line | None:
        """The record that holds this message in a history that did not go on."""
        chosen = {line.raw for line in self.chain}
        for line in self.lines.values():
            if line.raw not in chosen and "msg" in line.body and line.body["msg"]["body"] == message.body:
                return line
        return None

    def _report_other(self, name: str, message: Message, line: Line, other: Message) -> None:
        if self._is_signed(other):
            words = sentence(
                "{file} was signed twice; what stands in record {record} counts", file=name, record=line.seq
            )
            self._report("signed-twice", words, message.hash, seq=line.seq)
            return
        words = sentence(
            "record {record} holds {file} with another content, which its player never signed",
            record=line.seq,
            file=name,
        )
        self._report(
            "other-content", words, message.hash, proof=True, papers=[line.raw.decode()], seq=line.seq
        )

    def _report_dropped(self, name: str, message: Message, receipt: Line) -> None:
        words = sentence(
            "{file} was confirmed as record {record}, but the history that went on is without it",
            file=name,
            record=receipt.seq,
        )
        self._report(
            "unrecorded", words, message.hash, proof=True, papers=[receipt.raw.decode()], seq=receipt.seq
        )

    def _report_reject(self, reject: Message) -> None:
        name = sentence("file {n} of {seat}", n=reject.n, seat=reject.seat)
        message = next((m for m in self._all_messages() if b64(m.hash) == reject.body["hash"]), None)
        paper = b64(reject.hash)
        if message is None:
            return
        why = mailbox_papers.check_reject(reject, self.host)
        if why:
            words = sentence("the refusal of {file} is not the host's: {why}", file=name, why=why)
            self._report("forged-refusal", words, reject.hash)
            return
        line = self._line_with(message)
        if line is not None:
            words = sentence(
                "{file} was refused and stands in record {record} all the same; the host signed both",
                file=name,
                record=line.seq,
            )
            self._report(
                "refused-and-recorded",
                words,
                reject.hash,
                proof=True,
                papers=[paper, line.raw.decode()],
                seq=line.seq,
            )
            return
        wrong = mailbox_papers.unjust(self.box.lines, message, reject)
        if wrong:
            words = sentence("{file} was refused wrongly: {why}", file=name, why=wrong)
            self._report("wrongly-refused", words, reject.hash, proof=True, papers=[paper])

    def _all_messages(self) -> Iterable[Message]:
        yield from self.messages.values()
        for pairs in self._recorded().values():
            yield from (message for _, message in pairs)

    def _line_with(self, message: Message) -> Line | None:
        return next(
            (line for line in self.lines.values() if line.body.get("msg", {}).get("body") == message.body),
            None,
        )


def _place(papers: mailbox_papers.FoundPapers) -> str:
    return papers.source if papers.box in ("", papers.source) else f"{papers.box}: {papers.source}"


def _list(names: Sequence[str]) -> str:
    return ", ".join((*names[:3], "…") if len(names) > 3 else names)


def _spans(numbers: Sequence[int]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for number in numbers:
        if spans and spans[-1][1] == number - 1:
            spans[-1] = (spans[-1][0], number)
        else:
            spans.append((number, number))
    return spans
