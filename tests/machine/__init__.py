"""A state machine against the host: people with real keys send anything in any order; after every step the match lives.

``match`` holds one match read three ways: the running host, a host started again from bytes before every ruling, and a
stranger who is given bytes only. ``moves`` are what people and time do to it, ``files`` the hostile files they write,
``exits`` what must be possible from every position, tried on forks. ``walk`` lets hypothesis choose. Run by
``python -m tests.machine --runs 10000 --jobs 2``.

``by_mail`` is the same match at a service: ``python -m tests.machine --service --runs 100``.
"""
