"""The page as a file: whole in itself, harmless whatever the names, bounded whatever the length."""

from __future__ import annotations

import copy
import importlib
import re
from html import unescape
from html.parser import HTMLParser

import pytest

from pbem.base.language import language_of
from pbem.game import JsonObject
from pbem.player.lookback.document import examine
from pbem.player.lookback.page import LARGEST_STORY, MOST_FAULTS, folded, page_of
from tests.report.matches import GAMES, altered, examined, joined_as, running, whole


def page(lines: list[bytes], *, pictured: bool = False) -> str:
    """The page; the picture of the table takes longest, and is not always wanted."""
    examination = examined(lines)
    return page_of(examination.document, *((examination.picture, examination.portrait) if pictured else ()))


class Reader(HTMLParser):
    """What a browser would build: tags with attributes, and whether every element is closed."""

    VOID = frozenset({"meta", "br", "img", "link", "input", "hr", "source"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("game", GAMES)
def test_the_page_is_one_file_that_asks_for_nothing(game: str) -> None:
    text = page(whole(game), pictured=True)
    assert 'src="data:image/png;base64,' in text
    assert "default-src 'none'" in text
    tags = Reader(text).tags
    assert {"script", "link", "iframe", "object", "form"} & {tag for tag, _ in tags} == set()
    for tag, attributes in tags:
        for name in ("src", "href", "srcset", "data", "action"):
            value = attributes.get(name)
            assert value is None or value.startswith(("#", "data:image/png;base64,")), (tag, value)
        assert not any(name.startswith("on") for name in attributes), tag
    assert not re.search(r"@import|url\(", text)
    assert "://" not in text.replace("http://www.w3.org/2000/svg", "")


@pytest.mark.parametrize("game", GAMES)
def test_links_and_pictures_lead_to_what_is_there(game: str) -> None:
    for lines in (whole(game), running(game).lines, *altered(game).values()):
        tags = Reader(page(lines)).tags
        ids = [attributes["id"] for _, attributes in tags if "id" in attributes]
        assert len(ids) == len(set(ids))
        for _, attributes in tags:
            target = attributes.get("href")
            assert target is None or target[1:] in ids, target


@pytest.mark.parametrize("game", GAMES)
def test_the_page_says_first_what_was_found(game: str) -> None:
    proven = page(whole(game))
    headline, result = proven.index("Everything is proven"), proven.index('id="result"')
    assert headline < result < proven.index('class="tiles"') < proven.index('id="sure"'), "then who has won"
    assert "wins</span>" in proven[result : proven.index('class="tiles"')]
    assert "No findings so far" in page(running(game).lines)
    for name, lines in altered(game).items():
        text = page(lines)
        fault = examined(lines).document["faults"][0]
        assert "Findings" in text, name
        assert text.index('class="panel faults"') < text.index('id="sure"'), name
        assert f'href="#r{fault["record"]}"' in text, name


def test_every_draw_has_its_picture_label_place_and_numbers() -> None:
    for game in GAMES:
        report = examined(whole(game)).document
        text = page_of(report)
        assert text.count("<summary>Check it by hand") == len(report["open_draws"]) == text.count("<use ")
        for draw in report["open_draws"]:
            assert draw["numbers"]["preimage"] in text


def test_the_same_file_gives_the_same_page() -> None:
    assert page_of(examine(whole("wyatt-earp")).document) == page(whole("wyatt-earp"))


def test_making_a_page_leaves_the_interpreter_as_it_was() -> None:
    page(whole("wyatt-earp"))
    with pytest.raises(ModuleNotFoundError):  # and no warning of a finder that was left behind
        importlib.import_module("pbem.nothing_of_this_name")


def test_names_and_talk_cannot_become_markup() -> None:
    text = page(joined_as({"anna": "<img src=x onerror=alert(1)>", "burt": "</style><script>1</script>"}))
    tags = Reader(text).tags
    assert all(tag != "script" and "onerror" not in attributes for tag, attributes in tags)
    assert "&lt;img src=x onerror=alert(1)&gt;" in text


# --- long ones ------------------------------------------------------------------------------------------------


def grown(document: JsonObject, times: int) -> JsonObject:
    """The report of a match that is so many times as long."""
    grown_document = copy.deepcopy(document)
    chapters, draws = document["chapters"], document["open_draws"]
    for turn in range(1, times):
        shift, offset = turn * document["records"], turn * len(draws)
        grown_document["open_draws"] += [draw | {"record": draw["record"] + shift} for draw in draws]
        for chapter in chapters:
            entries = [
                entry | {"record": entry["record"] + shift, "shown": [n + offset for n in entry["shown"]]}
                for entry in chapter["entries"]
            ]
            edges = {name: chapter[name] + shift for name in ("first", "last")}
            grown_document["chapters"].append(chapter | edges | {"entries": entries})
    return grown_document | {"records": document["records"] * times}


@pytest.mark.parametrize("game", GAMES)
def test_a_very_long_match_has_a_page_of_bounded_size_that_says_what_it_folds(game: str) -> None:
    short = examined(whole(game)).document
    text = page_of(grown(short, 60))
    assert len(text.encode()) < LARGEST_STORY + 700_000
    assert "Folded to keep this page small" in text
    assert "Folded to keep" not in page_of(short)
    Reader(text)


def test_what_is_folded_is_counted_and_the_newest_is_shown() -> None:
    document = examined(whole("wyatt-earp")).document
    every = sum(len(chapter["entries"]) for chapter in document["chapters"])
    chapters = folded(document, 20_000)
    records = [entry["record"] for chapter in chapters for entry in chapter["entries"]]
    assert 0 < len(records) < every
    assert len(records) + sum(chapter["folded"]["entries"] for chapter in chapters) == every
    assert max(records) == document["chapters"][-1]["entries"][-1]["record"]
    draws = sum(len(entry["shown"]) for chapter in chapters for entry in chapter["entries"])
    assert draws + sum(chapter["folded"]["draws"] for chapter in chapters) == len(document["open_draws"])


def test_a_record_with_a_fault_is_never_folded() -> None:
    lines = altered("wyatt-earp")["a shot is forged"]
    document = examined(lines).document
    wrong = {fault["record"] for fault in document["faults"]}
    chapters = folded(document, 6_000)
    assert wrong <= {entry["record"] for chapter in chapters for entry in chapter["entries"]}


def test_of_very_many_faults_the_first_are_shown_and_the_rest_counted() -> None:
    document = examined(altered("wyatt-earp")["a shot is forged"]).document
    many = [document["faults"][0] | {"text": f"fault {n}"} for n in range(MOST_FAULTS + 60)]
    text = page_of(document | {"faults": many})
    assert "60 more are not shown here" in text
    assert f"fault {MOST_FAULTS + 1}" not in text


_ENGLISH = (
    "Everything is proven",
    "What nobody can prove",
    "Response times",
    "Check it by hand",
    " of the ",
    "was turned",
)


@pytest.mark.parametrize(
    ("game", "code"), [("wyatt-earp", "de"), ("way-out-west", "fr"), ("wyatt-earp", "it")]
)
def test_the_page_speaks_the_language_of_who_asks(game: str, code: str) -> None:
    """Every sentence of the page is said in it; what is checked by hand is marked as English."""
    language = language_of(code)
    text = page_of(examine(whole(game), language=language).document, language=language)
    assert f'<html lang="{code}">' in text
    plain = re.sub(r'<pre lang="en">.*?</pre>|<style>.*?</style>|<[^>]*>', " ", text, flags=re.DOTALL)
    flat = " ".join(unescape(plain).split())
    assert [words for words in _ENGLISH if words in flat] == []
    assert language.gettext("What nobody can prove") in flat
