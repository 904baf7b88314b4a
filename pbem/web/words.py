"""Every sentence of the page that is its own; what a match says comes from ``player.play`` and the game's templates.

They are written into the built page, one file for each language, so that it speaks before Python has started.
``{n}`` and the like are filled in by the page.
"""

from __future__ import annotations

from typing import Final

PAGE_WORDS: Final[dict[str, str]] = {
    "title": "pbem: two games of the West, by mail",
    # starting
    "starting": "Starting. The first time this takes a while: about 6 MB are fetched and kept.",
    "starting-again": "Starting …",
    "no-service": (
        "This browser lets no page work offline (a private window?). pbem keeps keys only where it can "
        "check every file of itself, so it does not start here."
    ),
    "no-headers": (
        "Whoever serves this page does not send the protections that it needs. It does not start, and you"
        " should not use it."
    ),
    "not-started": "The page could not start: {why}",
    "elsewhere": (
        "pbem is open in another tab. Only one may write at a time. Close the other one and this one goes on."
    ),
    "new-version": (
        "There is a new version of this page, {version}. Its fingerprint is {print}. Compare it with what"
        " was released, if you can."
    ),
    "use-version": "Use the new version",
    # the first screen
    "matches": "Your matches",
    "no-matches": "There is no match on this device yet.",
    "your-move": "your move",
    "practise": "Try it now, against the computer",
    "practise-about": "Everything happens in this browser. Nothing is sent anywhere.",
    "game": "Game",
    "opponents": "Opponents",
    "level": "How well they play",
    "easy": "easy",
    "medium": "medium",
    "strong": "strong",
    "begin": "Begin",
    "practice-match": "practice",
    "bring": "Take in a letter or a file",
    "bring-about": (
        "An invitation, a letter of your host or its link, a game file, or a backup: choose the saved "
        "file or paste the text."
    ),
    "choose-file": "Choose a file",
    "paste-here": "Or paste the text here",
    "take-in": "Take in",
    "settings": "Settings",
    "language": "Language",
    "colours": "Colours",
    "colours-auto": "as the device has them",
    "light": "light",
    "dark": "dark",
    "about": "About this page",
    "about-version": "Version {version}. Fingerprint {print}.",
    "about-who": (
        "Whoever serves this page could alter it and take the keys of every match you play in it. So your"
        " host must never be the one who serves it. Compare the fingerprint with that of the release, or "
        "run pbem web check."
    ),
    "about-no-address": (
        "This release has no page of its own on the net. Serve it yourself, with pbem web serve, or use one whose"
        " fingerprint you have compared."
    ),
    "about-address": "The page of this release lies at {address}",
    "about-keys": (
        "Each match has keys of its own, kept in this browser. If its storage is cleared they are gone: "
        "keep the words on paper, or a backup."
    ),
    # joining
    "invited": "You are invited: {title}",
    "host-print": "Fingerprint of the host: {print}",
    "seat": "Seat",
    "name": "Your name at the table",
    "mail": "Your mail address (sealed: only the host can read it)",
    "word": "The word of your invitation, if it has one",
    "join": "Join",
    "paper": "Write this down",
    "paper-about": (
        "These words are the only other copy of your keys for this match. They give you your seat back if"
        " this device is lost. They are not shown again."
    ),
    "paper-done": "It is written down",
    "joining": "Your join is signed. As soon as the host's answer is here, the match goes on.",
    "no-seat": "All seats are taken.",
    "have-seat": "One of the seats is yours already",
    "have-seat-about": (
        "With the words of your paper you play it on this device, too. Take in every letter on both: a file "
        "that one has signed is not known to the other until it is recorded."
    ),
    # the match
    "back-to-matches": "Your matches",
    "menu": "More",
    "close": "Close",
    "choices": "What you can do",
    "say-more": "Say more: {label}",
    "tray": "Chosen so far",
    "take-back": "Take back: {label}",
    "look-at-file": "Look at the file",
    "news": "News",
    "look-for-news": "Look for news",
    "looking": "Asking the host …",
    "new-records": "New records: {n}",
    "no-news": "Nothing new.",
    "table": "The table",
    "touch": "Touch a card, a poster, a town or a box to see what can be done with it.",
    "talk": "Say something",
    "talk-all": "To everybody",
    "talk-one": "To {name} alone",
    "keep": "Keep",
    "orders": "Standing orders",
    "orders-type": "A rule in words: when … do … if …",
    "orders-vocabulary": "What can be said",
    "add": "Add",
    "story": "What happened",
    "earlier": "Earlier",
    "later": "Later",
    "first": "First",
    "last": "Last",
    "proofs": "Proofs",
    "audit": "Check everything",
    "audit-head": "Your copy ends with record {head}. Compare this fingerprint with your friends.",
    "rules": "The rules",
    "hint": "Hint",
    "review": "What cost most",
    "backup": "Save a backup",
    "backup-about": "The backup holds your keys. Whoever reads it plays in your name.",
    "forget": "Remove this match from this device",
    "forget-sure": "Without a backup or the words on paper you cannot play on. Remove it?",
    "remove": "Remove",
    "cancel": "Cancel",
    "lost-keys": (
        "The keys of this match are not on this device any more. Type the words of your paper, or take in"
        " your backup."
    ),
    "paper-words": "The words of your paper",
    # a file
    "your-file": "Your file",
    "sign": "Sign it",
    "sign-practice": "Play it",
    "sign-again": "Sign another file for the same decision",
    "send-old": "Send the one that is signed, unchanged",
    "not-yet": "Not yet",
    "signed": "Your file is signed, and checked as the host checks it. It has not left yet.",
    "refused": "The host would say: {said}",
    "send": "Send it to the host",
    "share": "Share it",
    "download": "Download it",
    "copy": "Copy it as text",
    "copied": "Copied. Paste it into a mail to the host.",
    "downloaded": "Saved as {name}. Send it to the host as an attachment.",
    "sending": "Sending …",
    "sent": "The host has it ({receipt}).",
    "recorded": "It is record {n}.",
    "host-refused": "The host refuses it: {why}",
    "waiting": "The host has it and has not ruled on it yet.",
    "as-text": "The file as text",
    # the host's door
    "door-new": "This link leads to another address of the host for this match: {url}. Use it from now on?",
    "door-yes": "Use it",
    "door-unknown": "The match of this link is not on this device. Take in your backup, or the invitation.",
    "door-trouble": "The host could not be reached: {why}",
    "door-odd": "The host's address must begin with https.",
    "door-word": "the link's word does not count any more; take the link of your newest letter",
    "storage": "It could not be kept in this browser, so it is not shown and not sent: {why}",
}
