"""The forms that the service's database has had, one file each, in order: Alembic's version scripts.

Nothing has been released yet, so the first form is what ``pbem.host.database.tables`` says. When there is a second one,
the first gets its tables written out, and is never changed again; the new number goes into
``pbem.host.database.driver``, and a database of it is kept for the tests (``python -m tests.service.kept_form``). There
is no way back: restore a backup.
"""
