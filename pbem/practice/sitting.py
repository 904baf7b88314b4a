"""A sitting at a practice match: files go straight to the host in the folder, and a hint can be asked for."""

from __future__ import annotations

from pbem.language import ENGLISH, Language
from pbem.play import Post, Session
from pbem.play.session import Sent
from pbem.play.trial import Stage
from pbem.player import Signed
from pbem.practice.match import Practice
from pbem.sentences import Sentence, sentence

_MOST_CHOICES = 7


class PracticeSession(Session):
    """The client's session over a practice match."""

    def __init__(self, practice: Practice, language: Language = ENGLISH) -> None:
        self.practice = practice
        post = Post(practice.folder.path, send=self._to_the_host)
        super().__init__(practice.desk, post, language=language)

    def _to_the_host(self, signed: Signed) -> str:
        self.practice.take(signed.raw)
        return ""

    def leave(self, way: str = "mail", *, again: bool = False) -> Sent:
        """Sign what the tray holds; the host takes it and the others answer at once."""
        sent = super().leave(way, again=again)
        self.refresh()
        self.mark_looked()
        return sent

    def hint(self) -> str:
        """What a strong player would do here, from what this seat can know, and what every choice is worth to it."""
        if self.trial is None or self.trial.stage is not Stage.OPEN:
            return self.language.tell(sentence("There is nothing to choose now."))
        view = self.trial.now
        adviser = self.practice.adviser()
        weighed = adviser.weigh(view)
        best = weighed[0].value
        rules, tell = self.record.rules, self.language.tell
        lines: list[str] = []
        for one in weighed[:_MOST_CHOICES]:
            label = self.phrases.label(rules.action_to_json(one.action))
            lines.append(f"{label}: {tell(self._less(best - one.value, first=one is weighed[0]))}")
        why = [tell(fact) for fact in adviser.reasons(view, weighed[0].action, self.record.names)]
        return "\n".join([*lines, "", *why])

    def _less(self, less: float, *, first: bool) -> Sentence:
        if first:
            return sentence("this is what I would do")
        if not self.record.rules.has_secrets:
            return sentence("worth {points} points less", points=self.language.number(less, 1))
        return sentence("worth {amount} less", amount=self.language.dollars(round(less * 10) * 100))
