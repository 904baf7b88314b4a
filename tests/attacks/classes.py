"""Attacks that once succeeded, each with others of its class: which tests carry them out.

A class is closed, not an example: so each has at least ``LEAST`` members beside the one that was found first.
``python -m tests.attacks.classes`` prints the table.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Final

LEAST: Final = 5


@dataclass(frozen=True)
class Class:
    """What once went through."""

    says: str
    tests: tuple[str, ...]
    """``module:function`` under ``tests``; every parameter is a member."""
    search: str = ""
    """How more members were looked for, beside these."""

    def members(self) -> dict[str, int]:
        """How many each test carries out."""
        return {name: _cases(name) for name in self.tests}


def _cases(name: str) -> int:
    module, function = name.split(":")
    test = getattr(importlib.import_module(f"tests.{module}"), function)
    count = 1
    for mark in getattr(test, "pytestmark", ()):
        if mark.name == "parametrize":
            count *= len(list(mark.args[1]))
    return count


CLASSES: Final = {
    "text that divides readers": Class(
        "a string in signed content that one honest reader takes and another does not",
        (
            "formats.test_one_text:test_what_divides_readers_is_taken_by_no_host_and_no_reader",
            "formats.test_unicode:test_the_word_that_divided_two_honest_readers_divides_none",
        ),
        "python -m tests.formats.test_unicode: 33,732 strings, every Python that is here, node, the page's Python",
    ),
    "a deck that was chosen": Class(
        "the host and others know a cut before they lay, and the draws are called fair without a word",
        (
            "record.test_who_could_aim:test_whatever_it_wrote_it_is_not_overdue_at_once",
            "record.test_who_could_aim:test_a_seat_that_wrote_after_its_default_is_not_overdue",
            "record.test_other_ways:test_no_way_leads_to_a_deck_that_was_chosen_and_does_not_say_who_could",
            "record.test_back_before_deal:test_a_word_of_a_seat_left_out_brings_a_new_announcement",
        ),
        "examples/cheats.md, Other ways to a chosen deck",
    ),
    "a thief who takes for good": Class(
        "what the thief of a key does and its owner cannot undo",
        (
            "hostile.test_thief:test_a_thief_resigns_and_the_owner_undoes_it",
            "hostile.test_thief:test_any_later_file_of_the_seat_undoes_it",
            "hostile.test_thief:test_both_verifiers_know_the_hold",
            "hostile.test_thief:test_without_the_recovery_key_nothing_is_done_at_once",
            "hostile.test_thief:test_the_thief_makes_no_word_of_the_recovery_key_stale",
            "hostile.test_thief:test_a_thief_of_the_key_who_replaces_the_paper_is_undone_by_the_paper",
            "hostile.test_thief:test_both_verifiers_refuse_a_replacement_that_cannot_be",
        ),
    ),
    "a word to nobody": Class(
        "a private word to a seat that the match does not have",
        ("record.test_private_words:test_a_word_to_nobody_is_taken_by_no_host_and_no_reader",),
    ),
    "a hand closed in play": Class(
        "a host closes a running hand, and goes on or ends the match",
        (
            "record.test_early_close:test_the_host_alone_closes_no_hand_in_play",
            "record.test_early_close:test_nor_with_less_than_everybodys_consent",
        ),
    ),
    "a false word about the table": Class(
        "a false event or public view of a running hand, signed by the host",
        (
            "falsified.test_falsified:test_what_a_host_says_falsely_is_noticed_at_once",
            "verifier.test_rules:test_a_false_value_is_found_where_ours_finds_it",
        ),
        "python -m tests.falsified --falsify 2400 --seed 1 --script: tests/falsified/log.md, by member",
    ),
    "what one verifier alone sees": Class(
        "a false size of a hand, or a close before its time, that only one of the verifiers finds",
        (
            "verifier.test_sizes:test_a_false_size_of_a_hand_is_found_at_once_by_both",
            "record.test_early_close:test_the_host_alone_closes_no_hand_in_play",
        ),
        "python -m tests.verifier.side_by_side: examples/verifier/agreement.md",
    ),
    "honest records that the schemas refuse": Class(
        "the form of an action, event or view in an honest record that no published schema allows",
        (
            "shapes.test_public_forms:test_the_prose_names_the_definition_of_the_public_form",
            "shapes.test_public_forms:test_what_stands_in_a_record_for_an_action_is_as_published",
            "shapes.test_published:test_every_record_of_an_example_is_as_published",
            "shapes.test_published:test_every_record_of_a_golden_match_is_as_published",
            "shapes.test_published:test_random_matches_are_as_published",
        ),
    ),
    "what the prose left open": Class(
        "two readers of the prose decide otherwise",
        ("verifier.test_left_open:test_what_the_prose_left_open_is_said_and_done_by_both",),
    ),
}


def main() -> None:
    """Print it."""
    for name, attack_class in CLASSES.items():
        members = attack_class.members()
        print(f"{name}: {sum(members.values())} members; {attack_class.says}")
        for test, count in members.items():
            print(f"    {count:3} {test}")
        if attack_class.search:
            print(f"        {attack_class.search}")


if __name__ == "__main__":
    main()
