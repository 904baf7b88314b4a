"""What every package stands on: errors, values, sentences, languages, schemas, and the operating system.

Below the engine protocol (``pbem.game``) lie ``values``, ``lazy``, ``errors``, ``resources``, ``sentences`` and
``system``; ``language`` and ``shapes`` (what a value may look like) lie above it.
"""
