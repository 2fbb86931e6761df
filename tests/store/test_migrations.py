"""The schema goes up and down on both databases, and is what the code believes it to be."""

import threading

import pytest
from sqlalchemy import inspect, text

from grader.store import migrate
from grader.store.database import Database
from grader.store.errors import StoreUnavailableError
from grader.store.tables import metadata
from tests.store import makers


def tables(database):
    return set(inspect(database.engine).get_table_names()) - {"alembic_version"}


def test_an_upgrade_makes_exactly_the_tables_of_the_code(empty_url):
    database = Database(empty_url)
    migrate.upgrade(database)
    assert tables(database) == set(metadata.tables)
    assert migrate.differences(database) == []
    assert migrate.current_revision(database) == migrate.head_revision()


def test_a_downgrade_leaves_nothing_and_the_way_up_is_open_again(empty_url):
    database = Database(empty_url)
    migrate.upgrade(database)
    migrate.downgrade(database)
    assert tables(database) == set()
    migrate.upgrade(database)
    assert migrate.differences(database) == []


def test_tables_that_are_not_ours_are_left_alone(empty_url):
    database = Database(empty_url)
    with database.engine.connect() as connection, connection.begin():
        connection.execute(text("CREATE TABLE workflow_status (id INTEGER)"))
    migrate.upgrade(database)
    assert migrate.differences(database) == []
    migrate.downgrade(database)
    assert tables(database) == {"workflow_status"}


def test_processes_that_start_at_once_upgrade_once(empty_url):
    failures = []

    def start():
        database = Database(empty_url)
        try:
            migrate.upgrade(database)
        except Exception as error:
            failures.append(error)
        finally:
            database.close()

    threads = [threading.Thread(target=start) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert migrate.differences(Database(empty_url)) == []


def test_a_database_that_is_behind_is_refused_with_the_remedy(empty_url):
    with pytest.raises(StoreUnavailableError, match="grader admin migrate"):
        migrate.demand_current(Database(empty_url))


def test_every_table_of_a_tenant_names_its_tenant():
    free = {"tenants", "executors", "turns", "spend", "calls"}
    for name, table in metadata.tables.items():
        if name not in free:
            assert "tenant_id" in table.columns, name


def test_going_down_and_up_again_keeps_addresses_and_their_messages(database):
    tenant_id = makers.tenant(database)
    with database.writing() as unit:
        store = unit.of(tenant_id)
        store.webhooks.add("https://x.example", "whsec_a", ["e"])
        (message,) = store.deliveries.publish("e", {})
    migrate.downgrade(database, "0001")
    migrate.upgrade(database)
    with database.reading() as unit:
        store = unit.of(tenant_id)
        assert store.deliveries.get(message.id) == message
        assert store.webhooks.get(message.webhook_id).disabled_cause == ""
