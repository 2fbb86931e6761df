"""One try of a message: when the next one is due, and when there is none."""

from datetime import timedelta

import pytest

from grader.engine.courier import PLAN, Courier
from grader.engine.parts import Sent
from grader.store.records.operations import DeliveryState
from grader.store.repositories.operations import FAILING_AT_MOST
from grader.store.tables.operations import WebhookRow


@pytest.fixture
def message(database, tenant_id, doubles):
    doubles.messenger.replies = [Sent(delivered=False, status=500)]
    with database.writing() as unit:
        store = unit.of(tenant_id)
        store.webhooks.add("https://x.example", "whsec_a", ["e"])
        (published,) = store.deliveries.publish("e", {})
    return published


async def test_a_try_that_fails_is_followed_by_another(parts, tenant_id, message):
    assert await Courier(parts).deliver(tenant_id, message.id) == PLAN[0].total_seconds()


async def test_the_try_that_disables_an_address_is_the_last_and_is_logged(
    parts, database, tenant_id, message, caplog
):
    with database.writing() as unit:
        row = unit.session.get_one(WebhookRow, message.webhook_id)
        row.failing_since = unit.now - FAILING_AT_MOST - timedelta(seconds=1)
    assert await Courier(parts).deliver(tenant_id, message.id) is None
    assert f"webhook {message.webhook_id} of {tenant_id} is disabled" in caplog.text
    with database.reading() as unit:
        assert unit.of(tenant_id).deliveries.get(message.id).state is DeliveryState.GIVEN_UP
