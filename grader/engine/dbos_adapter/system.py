"""DBOS as this service sets it up; every setting here is one whose default would bite."""

import logging
from typing import Any

import sqlalchemy
from dbos import DBOS, DBOSClient, DBOSConfig, DBOSPortableJSONSerializer
from sqlalchemy import Engine, event, make_url

from grader.engine.queues import QueueName, QueuePolicy
from grader.store.database import BUSY_TIMEOUT_S, Database, set_sqlite_pragmas

APPLICATION = "grader"
# The default is a hash of the source: after an upgrade, nothing in flight would be taken up.
# Raised only where old workflows can no longer be replayed by the new code.
APPLICATION_VERSION = "1"
# The default is pickle: whoever can write to the database could run code in the workers.
SERIALIZER = DBOSPortableJSONSerializer()

GRADE = "grade"
RUN_CODE = "run_code"
DELIVER = "deliver"

_POOL_SIZE = 10
_SQLITE_POOL_SIZE = 4


def configuration(database: Database, executor_id: str) -> DBOSConfig:
    """The configuration of a process that runs workflows."""
    config = DBOSConfig(
        name=APPLICATION,
        system_database_url=system_url(database),
        executor_id=executor_id,
        application_version=APPLICATION_VERSION,
        serializer=SERIALIZER,
        sys_db_pool_size=_POOL_SIZE,
        log_level="ERROR",
        run_migrations=False,
        enable_otlp=False,
    )
    if database.is_sqlite:
        config["system_database_engine"] = system_engine(database)
    return config


def system_url(database: Database) -> str:
    """The database's URL as DBOS wants it."""
    return make_url(database.url).render_as_string(hide_password=False)


def system_engine(database: Database) -> Engine:
    """An engine on the same SQLite file; DBOS's own would do without the write-ahead log."""
    engine = sqlalchemy.create_engine(
        database.url,
        connect_args={"timeout": BUSY_TIMEOUT_S},
        # Few, so that threads queue for a connection instead of sleeping for SQLite's lock.
        pool_size=_SQLITE_POOL_SIZE,
        max_overflow=0,
    )

    @event.listens_for(engine, "connect")
    def set_up(connection: Any, _record: Any) -> None:
        set_sqlite_pragmas(connection, database.sqlite_sync)
        connection.isolation_level = "IMMEDIATE"

    return engine


def migrate(database: Database) -> None:
    """Brings DBOS's own tables up; nothing happens where they are."""
    logging.getLogger("dbos").setLevel(logging.ERROR)
    DBOS.migrate(system_url(database))


def register_queues(client: DBOSClient, policies: tuple[QueuePolicy, ...]) -> None:
    """Writes the queues' limits to the database; a paused queue stays paused."""
    for policy in policies:
        known = client.retrieve_queue(policy.name.value)
        paused = known is not None and known.worker_concurrency == 0
        client.register_queue(
            policy.name.value,
            worker_concurrency=0 if paused else policy.per_worker,
            partition_concurrency=policy.per_tenant,
            polling_interval_sec=policy.poll_s,
        )


def policy_of(policies: tuple[QueuePolicy, ...], name: QueueName) -> QueuePolicy:
    """The limits of one queue."""
    return next(policy for policy in policies if policy.name is name)
