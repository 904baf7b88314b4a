"""Every sentence of the page that is its own; what a match says comes from ``player.play`` and the game's templates.

They are written into the built page, one file for each language, so that it speaks before Python has started.
``{n}`` and the like are filled in by the page.
"""

from __future__ import annotations

from typing import Final

PAGE_WORDS: Final[dict[str, str]] = {
    "title": "pbem: two games of the West, by email",
    # starting
    "starting": (
        "Loading the game. The first time this takes a while; after that it works without a network."
    ),
    "fetching": "Loading the game: {done} of {of} MB",
    "meanwhile": (
        "Wyatt Earp: collect sets of outlaw cards. Three of a kind put an outlaw on the table; from eight "
        "capture points on, whoever holds points gets a share of the reward. The most money wins.\n\nWay Out "
        "West: hire cowboys, move cattle, own towns and win gunfights. The most points at the end win."
    ),
    "last-table": "As of {at}. Loading …",
    "not-started": (
        "The web app could not be loaded completely. Check the network (a hotel's login page?) and try again."
    ),
    "not-started-offline": (
        "There is no network, and this device does not have the whole web app yet. Try again when you are online."
    ),
    "not-fetched": (
        "A file of this web app did not arrive as it was released. Check the network (a hotel's login page?)"
        " and try again."
    ),
    "no-room": (
        "There is not enough storage left for this web app. Free about 40 MB on this device, then try"
        " again. Nothing was lost."
    ),
    "no-certificate": (
        "The browser does not trust this address's certificate, so the web app cannot keep itself on this"
        " device. Ask whoever serves it for an https address with a valid certificate."
    ),
    "not-secure": (
        "This address begins with http://, and there a browser gives a web app neither keys nor a place to keep"
        " them. Ask whoever serves it for an https address. On the very computer that serves it, http://localhost"
        " works, too."
    ),
    "starting-again": "Starting …",
    "no-service": (
        "This browser lets no web app work offline (a private window?). pbem keeps keys only where it can"
        " check every file of itself, so it does not start here."
    ),
    "no-headers": (
        "Whoever serves this web app does not send the protections that it needs. It does not start, and"
        " you should not use it."
    ),
    "elsewhere": (
        "pbem is open in another tab. Only one may write at a time. Close the other one and this one goes on."
    ),
    "new-version": (
        "There is a new version of this web app, {version}. Its fingerprint is {print}. Compare it with what"
        " was released, if you can."
    ),
    "use-version": "Use the new version",
    # the first screen
    "matches": "Your matches",
    "no-matches": "There is no match on this device yet.",
    "by": "by {time}",
    "time-left": "{time} left",
    "list-fresh": "The list is up to date.",
    "group": "Your group's table",
    "group-none": "No finished match on this device yet.",
    "group-name": "Player",
    "group-matches-count": "Matches",
    "group-won": "Won",
    "group-figure": "Total",
    "group-best": "Best shot",
    "group-waited": "Waited for",
    "quiet": "Keep results out of subjects, notices and this list",
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
    "bring": "Open an email or a file",
    "bring-about": (
        "An invitation, an email of your host or its link, a match file, or a backup: choose the saved file or "
        "paste the text."
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
    "about": "About this web app",
    "about-version": "Version {version}. Fingerprint {print}.",
    "about-who": (
        "Whoever serves this web app could alter it and take the keys of every match you play in it. So your"
        " host must never be the one who serves it. Compare the fingerprint with that of the release, or run"
        " pbem web check."
    ),
    "about-no-address": (
        "This release has no web app of its own on the net. Serve it yourself, with pbem web serve, or use"
        " one whose fingerprint you have compared."
    ),
    "about-address": "The web app of this release is at {address}",
    "about-keys": (
        "Each match has keys of its own, kept in this browser. If its storage is cleared they are gone: keep "
        "the words on paper, or a backup."
    ),
    # joining
    "invited": "You are invited: {title}",
    "host-print": "Fingerprint of the host: {print}",
    "seat": "Seat",
    "name": "Your name at the table",
    "mail": "Your email address (sealed: only the host can read it)",
    "word": "The code of your invitation, if it has one",
    "join": "Join",
    "paper": "Write this down",
    "paper-about": (
        "These words are the only other copy of your keys for this match. They give you your seat back if this "
        "device is lost. They are not shown again."
    ),
    "paper-gone": "The recovery words were shown before and are not kept here any more. Save a backup instead.",
    "paper-done": "It is written down",
    "joining": "Your join is signed. As soon as the host's answer is here, the match goes on.",
    "no-seat": "All seats are taken.",
    "have-seat": "One of the seats is yours already",
    "have-seat-about": (
        "With your recovery words you can play it on this device, too. Open every email on "
        "both: one device knows what the other has signed only when it is recorded."
    ),
    "at-table": "At the table: {names}",
    "take-over": (
        "This seat was taken in another browser, as {name}. You can take it over here; the other browser's "
        "keys end then."
    ),
    "take-over-yes": "Take the seat over",
    "link-done": (
        "This link has done its work: the seat has played. On a new device, your recovery words bring it back."
    ),
    "link-dead": (
        "This link does not open anything any more: the host has withdrawn it, or its seat has played. Ask the "
        "host for a new one, or use your recovery words."
    ),
    "keep-keys": (
        "You have played your first turn. If this device is lost, so is your seat: write down its recovery "
        "words, or save a backup."
    ),
    "backup-in": "Take in a backup?",
    "backup-in-about": (
        "This file brings a whole match with its keys onto this device. Take it in only if it is your own "
        "backup."
    ),
    "backup-yes": "Take it in",
    "nothing-pasted": (
        "Nothing was pasted. Paste the link, the email's text block, or choose the attached file."
    ),
    "only-words": (
        "This text has no match in it. Take the file that is attached to the email, or the invitation's link."
    ),
    # another host's web app
    "others": "A match with another host is in that host's web app, not in this list.",
    "others-title": "Another host's web app",
    "others-link": (
        "This match is in another host's web app, with keys of its own. The address stays in your list here."
    ),
    "others-open": "Open it there",
    "others-remove": "Remove {address} from the list",
    # the match
    "back-to-matches": "Your matches",
    "menu": "More",
    "close": "Close",
    "choices": "What you can do",
    "players": "Players",
    "is-asked": "is to act",
    "is-you": "you",
    "cards": "{n} cards",
    "hand": "Your hand",
    "own": "What you have",
    "fresh-card": "{name}, new",
    "actions": "What would be sent",
    "touch-marked": "Touch what is marked. Hold a card to read about it.",
    "touch-next": "Touch the next part that is marked.",
    "not-now": "Nothing can be done with this now.",
    "let-go": "Choose something else",
    "only-add": "Add it without sending",
    "less": "One less",
    "more-of-it": "One more",
    "nothing-chosen": "Nothing is chosen yet.",
    "shot-hit": "Hit",
    "shot-missed": "Missed",
    "skip": "Skip to your turn",
    "go-on": "Go on",
    "play-again": "Play again with the same people",
    "share-end": "Share the result",
    "copied-text": "Copied.",
    "whole-table": "The table in words",
    "say-more": "Say more: {label}",
    "tray": "Chosen so far",
    "take-back": "Take back: {label}",
    "look-for-news": "Look for news",
    "looking": "Asking the host …",
    "new-records": "New events: {n}",
    "new-proposal": "A player proposes something. Choose your answer.",
    "no-news": "Nothing new.",
    "table": "The table",
    "talk": "Say something",
    "talk-all": "To everybody",
    "talk-one": "To {name} alone",
    "talk-travels": "Your words go with your next turn, or at once if you send them now.",
    "nudge": "Nudge {name}: one email, at most one a day",
    "react": "React to this",
    "react-travels": "Your reaction goes with your next turn.",
    "react-now": "Send it now",
    "keep": "Keep",
    "orders": "Standing orders",
    "matters": "Pause, be away, end",
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
    "audit-head": "Your copy ends with record {head}. Compare this hash with your friends.",
    "rules": "The rules",
    "find-rule": "Search the rules",
    "rules-found": "Rules found: {n}",
    "rules-none": "No rule contains “{text}”.",
    "hint": "Hint",
    "review": "What cost most",
    "backup": "Save a backup",
    "backup-about": "The backup holds your keys. Whoever reads it plays in your name.",
    "forget": "Remove this match from this device",
    "forget-sure": "Without a backup or the words on paper you cannot play on. Remove it?",
    "remove": "Remove",
    "cancel": "Cancel",
    "lost-keys": (
        "The keys of this match are not on this device any more. Type your recovery words, or "
        "open your backup."
    ),
    # where the page runs
    "in-messenger": (
        "This is a messenger's built-in browser. What it keeps can vanish, and your seat with it. Open this "
        "link in your phone's own browser instead."
    ),
    "on-apple": (
        "On iPhone and iPad, Safari deletes what a web app keeps after seven days without a visit. Add this"
        " one to your home screen first (Share, then Add to Home Screen), and open it from there."
    ),
    "in-private": (
        "This looks like a private window. When it is closed, the keys of your seat are gone. Open the link in "
        "a normal window before you join."
    ),
    "nearly-full": (
        "This device has almost no storage left. Free some before you play, or your next turn cannot be kept."
    ),
    "clock-wrong": (
        "This device's clock is wrong by more than ten minutes. Set it before you play: turns carry the time."
    ),
    "copy-link": "Copy the link",
    "copied-link": "Copied. Paste it into your browser's address bar.",
    "install-about": "Put pbem on your home screen: it opens faster and the browser keeps your seats.",
    "install": "Add to the home screen",
    "not-now-button": "Not now",
    # being called
    "push": "Tell me when it is my turn",
    "push-about": (
        "This device shows a notice when it is your turn. At most one for each turn, one more a day if a friend "
        "nudges you, and none at night unless time is short."
    ),
    "push-named": "Name the match in the notice",
    "push-who": (
        "The host sends it through your browser's push service, which sees when you are called but not why."
    ),
    "push-which": "For which match?",
    "push-start": "Turn on",
    "push-stop": "Turn off",
    "push-on": "On. You will be told when it is your turn.",
    "push-off-done": "Off. This host does not call this device any more.",
    "push-apple": (
        "On iPhone and iPad this works only from the home screen: Share, then Add to Home Screen, then open "
        "pbem from there."
    ),
    "push-none": "This browser cannot show notices for web apps.",
    "push-denied": (
        "Notices are blocked for this web app. Allow them in the browser's settings for this site, then try again."
    ),
    "push-no-host": "This host does not send notices. It sends emails.",
    "push-failed": "The browser's push service did not answer. Try again later; emails come anyway.",
    "channel": "Chat channel",
    "channel-about": (
        "Your turns in this match are announced in a channel of yours (Discord, Slack, Matrix, Telegram, ntfy), besides"
        " emails. It is told the match and whose turn it is, nothing hidden."
    ),
    "channel-address": "The channel's address, like ntfys://topic or discord://…",
    "channel-who": "The host keeps the address sealed; it is shown nowhere again.",
    "channel-set": "Announce there",
    "channel-off": "Announce nothing more",
    "channel-on": "Announced in: {kinds}.",
    "channel-none": "No channel of yours is told.",
    "channel-refused": (
        "This is not the address of a channel that is reached over TLS. Like this: ntfys://topic, discord://…, "
        "matrixs://…"
    ),
    "channel-no-host": "This host announces nothing in channels.",
    "paper-words": "Your recovery words",
    # a file
    "your-turn-file": "Your turn",
    "sign-again": "Send another decision instead",
    "send-old": "Send the one that is signed",
    "signed": "Your turn is signed and kept on this device. Now it must reach the host.",
    "refused": "The host would say: {said}",
    "send": "Send it to the host",
    "share": "Share it",
    "download": "Download it",
    "copy": "Copy it as text",
    "copied": "Copied. Paste it into an email to the host.",
    "copied-to": "Copied. Paste it into an email to {mail}.",
    "not-copied": "The browser did not let it be copied. Unfold the text below and copy it by hand.",
    "shared": "Handed over. It counts when the host has answered.",
    "done": "Done",
    "mail-it": "Write the email",
    "downloaded": "Saved as {name}. Send it to the host as an attachment.",
    "downloaded-to": "Saved as {name}. Send it to {mail} as an attachment.",
    "sending": "Sending …",
    "kept-working": "Checking and keeping …",
    "kept": "Kept on this phone {at}; not sent yet.",
    "kept-here": "Your turn is signed and kept on this device. Nothing is lost.",
    "sent": "Sent {at}. The host has it.",
    "accepted": "Accepted {at}.",
    "refused-short": "Refused {at}.",
    "waiting": "Sent {at}. The host has not ruled on it yet.",
    "host-refused": "The host refuses it: {why}",
    "as-text": "The file as text",
    # the host's API
    "door-new": "This link leads to another address of the host for this match: {url}. Use it from now on?",
    "door-yes": "Use it",
    "bring-seat": "Bring your seat here",
    "bring-seat-about": (
        "Your seat in this match is not on this device yet. Your recovery words bring it, or a backup file from your "
        "other device. If you have not played yet, open the link in your invitation instead."
    ),
    "door-keys": (
        "The host does not know these keys for this seat. Are they the words of this match? If somebody else has "
        "the seat now, ask the host."
    ),
    "door-new-word": (
        "This link has another access code for this match than this device knows. Use it from now on?"
    ),
    "door-slow": "The host did not answer within half a minute.",
    "door-away": "The host could not be reached.",
    "door-offline": "This device is offline.",
    "door-login": (
        "Something else answered in the host's place, perhaps the login page of this network. Log in there, "
        "then try again."
    ),
    "door-long": "The answer is longer than any match.",
    "door-no-match": "There is no such match at this address.",
    "door-busy": "The host has had too many requests. Wait a minute.",
    "door-ill": "The host's server has a problem.",
    "door-no": "The host's server did not take this.",
    # a seat goes along to another device
    "pair": "Move this seat to another device",
    "pair-about": (
        "On your other device, open the web app you play with and choose “Bring a seat from another"
        " device”. Type this code there:"
    ),
    "pair-once": "The code works once, for ten minutes. Tell it to nobody: whoever types it can ask for your seat.",
    "pair-host": "If the other device asks for the host's address: {url}",
    "pair-asks": (
        "The device “{name}” asks for this seat. Is it yours, and do you have it in your hands? It will get your "
        "keys and can play in your name."
    ),
    "pair-yes": "Yes, send my seat",
    "pair-no": "No",
    "pair-sending": "Sending …",
    "pair-done": "The seat is on “{name}” now. Play it there, and remove it here.",
    "pair-refused": "You said no. Nothing was sent, and the code is used up.",
    "pair-unsure": (
        "The seat was sent to “{name}”, but that device has not answered. Look there before you remove anything here."
    ),
    "pair-over": (
        "This code is over: ten minutes have passed, it was used, or the other device stopped. Start again with a new "
        "code."
    ),
    "pair-no-host": "This match's host does not offer codes. Use your recovery words or a backup instead.",
    "pair-take": "Bring a seat from another device",
    "pair-take-about": (
        "On the device that has the seat, open the match, then More, then “Move this seat to another device”. Type the "
        "code that it shows."
    ),
    "pair-code": "Code",
    "pair-name": "What to call this device",
    "pair-door": "The host's address, as the other device shows it",
    "pair-waits": "Now answer the question on the other device.",
    "pair-here": "Your seat is on this device now.",
    # when something went wrong
    "broken": "That did not work here. What you had chosen is kept. Reload the web app and go on.",
    "storage": (
        "This browser could not keep it, so it is not shown and not sent. Free some storage on this device."
    ),
    "help-retry": "Try again",
    "help-reload": "Reload",
    "help-look": "Look again",
    "help-paper": "Use your recovery words",
    "help-update": "Load the new version",
    "help-backup": "Save a backup",
    "help-another": "Send it another way",
    "help-details": "Details",
    "copied-details": "Copied. Send it to whoever helps you.",
    "door-odd": "This link is broken: the host's address must begin with https.",
    "door-word": (
        "The host does not know this device's keys for your seat any more. If you have not changed them yourself, ask "
        "the host who has the seat."
    ),
}
