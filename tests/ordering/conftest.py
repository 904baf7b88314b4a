"""The emails of these tests carry dots for pictures."""

from tests.plain import plain_pictures as plain_pictures
