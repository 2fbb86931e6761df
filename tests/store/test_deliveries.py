"""Messages to addresses: what a failing address becomes, and how it comes back."""

from datetime import UTC, datetime, timedelta

import pytest

from grader.store.database import Database
from grader.store.records.operations import DeliveryState, DisabledCause
from grader.store.repositories.operations import FAILING_AT_MOST
from tests.store import makers

START = datetime(2030, 1, 1, tzinfo=UTC)


class Address:
    """An address of one tenant whose tries a test notes at moments of its own."""

    def __init__(self, database):
        self.now = START
        self.database = Database(database.url, clock=lambda: self.now)
        self.tenant_id = makers.tenant(self.database)
        with self.database.writing() as unit:
            webhooks = unit.of(self.tenant_id).webhooks
            self.id = webhooks.add("https://x.example", "whsec_a", ["e"]).id

    def publish(self):
        with self.database.writing() as unit:
            return unit.of(self.tenant_id).deliveries.publish("e", {})

    def tried(self, after, *, delivered=False):
        """Notes a try that long after the start, with another one to follow."""
        self.now = START + after
        (message,) = self.publish()
        with self.database.writing() as unit:
            return unit.of(self.tenant_id).deliveries.note(
                message.id,
                delivered=delivered,
                status=200 if delivered else 500,
                next_at=None if delivered else self.now + timedelta(hours=1),
            )

    def kept(self):
        with self.database.reading() as unit:
            return unit.of(self.tenant_id).webhooks.get(self.id)

    def states(self):
        with self.database.reading() as unit:
            return {d.state for d in unit.of(self.tenant_id).deliveries.list().items}


@pytest.fixture
def address(database):
    made = Address(database)
    yield made
    made.database.close()


def test_an_address_that_fails_for_five_days_is_disabled_and_says_why(address):
    assert timedelta(days=5) == FAILING_AT_MOST
    assert address.tried(timedelta()).state is DeliveryState.WAITING
    address.tried(timedelta(days=4, hours=23))
    assert (address.kept().disabled_at, address.kept().disabled_cause) == (None, "")
    last = address.tried(FAILING_AT_MOST)
    assert (last.state, last.next_at) == (DeliveryState.GIVEN_UP, None)
    kept = address.kept()
    assert kept.disabled_at == START + FAILING_AT_MOST
    assert kept.disabled_cause is DisabledCause.FAILING
    assert kept.failing_since == START
    assert address.states() == {DeliveryState.GIVEN_UP}, "nobody would take up what waits"
    assert address.publish() == ()


def test_one_success_starts_the_time_anew(address):
    address.tried(timedelta())
    address.tried(timedelta(days=4), delivered=True)
    address.tried(timedelta(days=6))
    assert address.kept().disabled_at is None
    assert address.kept().failing_since == START + timedelta(days=6)


def test_an_address_that_is_enabled_again_has_all_its_time(address):
    address.tried(timedelta())
    address.tried(FAILING_AT_MOST)
    with address.database.writing() as unit:
        enabled = unit.of(address.tenant_id).webhooks.set_enabled(address.id, enabled=True)
    assert (enabled.disabled_at, enabled.failing_since, enabled.disabled_cause) == (None, None, "")
    address.tried(timedelta(days=20))
    assert address.kept().disabled_at is None


def test_disabling_by_hand_is_told_apart(address):
    with address.database.writing() as unit:
        webhooks = unit.of(address.tenant_id).webhooks
        assert webhooks.set_enabled(address.id, enabled=False).disabled_cause == "asked"
