"""The service's database: its tables and forms, transactions on SQLite and PostgreSQL, backups, heads beside it.

In: rows, forms, transactions, copies. Out: what the rows mean, and when they are written (``pbem.host.service``).
Called by: cli, host, host.service.
"""
