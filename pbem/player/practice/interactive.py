"""A sitting at a practice match: files go straight to the host in the folder, and a hint can be asked for."""

from __future__ import annotations

import json
from typing import ClassVar

from pbem.base.errors import StoreError
from pbem.base.language import ENGLISH, Language
from pbem.base.sentences import Sentence, sentence
from pbem.game import JsonObject
from pbem.games.ordering import Offer
from pbem.player.play import Post, Session
from pbem.player.play.session import Sent
from pbem.player.play.trial import TrayState, Trial
from pbem.player.practice.match import Practice
from pbem.player.seat import SentEntry, Signed

_MOST_CHOICES = 7
_MOST_MOMENTS = 6
_LITTLE = 0.05
"""Thousands of dollars, or points: less is not worth a word."""
_MOMENTS = "moments.json"


class PracticeSession(Session):
    """The client's session over a practice match."""

    timed: ClassVar[bool] = False

    def __init__(self, practice: Practice, language: Language = ENGLISH) -> None:
        self.practice = practice
        post = Post(practice.folder.path, send=self._to_the_host)
        self.answer: str = ""
        """What the lesson says to the newest choice; whoever shows it empties it."""
        super().__init__(practice.client, post, language=language)

    def _to_the_host(self, signed: Signed) -> str:
        self.practice.play(signed.raw)
        return ""

    def leave(self, way: str = "mail", *, again: bool = False) -> Sent:
        """Sign what the tray holds; the host takes it and the others answer at once."""
        judged = self._judged()
        sent = super().leave(way, again=again)
        if judged:
            self._notes.write(_MOMENTS, json.dumps([*self._kept(), *judged]).encode(), replace=True)
        self.refresh()
        return sent

    def deliver(self, entry: SentEntry, way: str = "mail") -> Sent:
        """The host takes the file, and the others answer at once."""
        sent = super().deliver(entry, way)
        self.refresh()
        return sent

    def told(self, entry: SentEntry) -> str:
        """What a signed file says; when it was signed is nothing to know here."""
        return self.client.says(entry, self.phrases.label)

    def hint(self) -> str:
        """What a strong player would do here, from what this seat can know, and what every choice is worth to it."""
        if self.trial is None or self.trial.stage is not TrayState.OPEN:
            return self.language.translate(sentence("There is nothing to choose now."))
        view = self.trial.now
        adviser = self.practice.adviser()
        weighed = adviser.weigh(view)
        best = weighed[0].value
        rules, tell = self.record.rules, self.language.translate
        lines: list[str] = []
        for choice in weighed[:_MOST_CHOICES]:
            label = self.phrases.label(rules.action_to_json(choice.action))
            lines.append(f"{label}: {tell(self._less(best - choice.value, first=choice is weighed[0]))}")
        why = [tell(fact) for fact in adviser.reasons(view, weighed[0].action, self.record.names)]
        return "\n".join([*lines, "", *why])

    @property
    def in_lesson(self) -> bool:
        """Whether a lesson leads the person's hand now."""
        lesson = self.practice.lesson
        return lesson is not None and self.practice.lesson_at() < len(lesson.steps)

    def lesson(self) -> str:
        """What the lesson says to where the match is now; empty if there is none."""
        lesson = self.practice.lesson
        if lesson is None:
            return ""
        at = self.practice.lesson_at()
        label = self.phrases.label(lesson.steps[at].action) if at < len(lesson.steps) else ""
        return lesson.told(at, label, self.language)

    def add(self, action: JsonObject) -> None:
        """Put an action into the tray; in a lesson only the one that it speaks of, any other gets its answer."""
        lesson = self.practice.lesson
        if lesson is None or not self.in_lesson:
            super().add(action)
            return
        step = lesson.steps[self.practice.lesson_at()]
        if self.trial is not None and self.trial.actions:
            self.answer = self.language.translate(sentence("First send what you have chosen: press s."))
        elif all(step.action.get(name) == value for name, value in action.items()):
            super().add(step.action)  # what can be said in advance the lesson says too
        else:
            self.answer = self.language.translate(step.reaction(action))

    def offers(self) -> list[tuple[Offer, bool]]:
        """Nothing is said in advance in a lesson."""
        return [] if self.in_lesson else super().offers()

    def _judged(self) -> list[JsonObject]:
        """What the tray's certain actions cost against the best choice, by what the seat knew then."""
        judged: list[JsonObject] = []
        trial = self.trial
        if trial is None or self.in_lesson:
            return judged
        before = Trial(trial.rules, trial.seat, trial.view)
        for action in trial.actions:
            if before.stage is not TrayState.OPEN:
                break
            weighed = self.practice.adviser().weigh(before.now)
            values = [
                move.value for move in weighed if _is_form(trial.rules.action_to_json(move.action), action)
            ]
            if values:
                best = trial.rules.action_to_json(weighed[0].action)
                less = max(0.0, weighed[0].value - max(values))
                judged.append({"seq": self.record.head.seq, "did": action, "best": best, "less": less})
            before = before.add(action)
        return judged

    def _kept(self) -> list[JsonObject]:
        try:
            kept: list[JsonObject] = json.loads(self._notes.read(_MOMENTS))
        except (ValueError, StoreError):
            return []
        return kept

    def review(self) -> str:
        """The moments of this match that cost most, as a strong player sees them from what was known then."""
        kept = self._kept()
        worst = sorted((slip for slip in kept if slip["less"] > _LITTLE), key=lambda s: -float(s["less"]))
        if not worst:
            return self.language.translate(sentence("No choice of yours cost much so far."))
        return "\n".join(self._moment(slip) for slip in worst[:_MOST_MOMENTS])

    def _moment(self, slip: JsonObject) -> str:
        text = sentence(
            "After record {seq}: {did}, {less} than {best}",
            seq=slip["seq"],
            did=self.phrases.label(slip["did"]),
            less=self._less(float(slip["less"]), first=False),
            best=self.phrases.label(slip["best"]),
        )
        return self.language.translate(text)

    def _less(self, less: float, *, first: bool) -> Sentence:
        if first:
            return sentence("this is what I would do")
        if not self.record.rules.has_secrets:
            return sentence("worth less by points: {points}", points=self.language.number(less, 1))
        return sentence("worth {amount} less", amount=self.language.dollars(round(less * 10) * 100))


def _is_form(weighed: JsonObject, action: JsonObject) -> bool:
    """Whether the weighed choice is this action, with or without what either names in advance."""
    return all(action.get(name, value) == value for name, value in weighed.items())
