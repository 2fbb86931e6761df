"""Webhooks: where they may go, how they are signed, and sending again."""

import asyncio
import ipaddress
import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks import Webhook as Verifier
from standardwebhooks import WebhookVerificationError

from grader.api.options import ApiOptions
from grader.api.webhooks.guard import RefusedAddressError, checked_url, destination, may_call
from grader.api.webhooks.messenger import WebhookMessenger
from grader.store.records.operations import Delivery, DeliveryState, Webhook
from tests.api.receiver import Receiver

NOW = datetime(2026, 11, 30, 18, tzinfo=UTC)
SECRET = "whsec_" + "c2VjcmV0IG9mIHRoaXJ0eS10d28gYnl0ZXMgLi4uLi4="
OLD = "whsec_" + "YW4gb2xkZXIgc2VjcmV0IG9mIHRoaXJ0eSBieXRlcyAu"
LOOPBACK = ipaddress.ip_network("127.0.0.0/8")


def hook(url, secrets=(SECRET,)):
    return Webhook("whk_1", "ten_1", url, secrets, ("submission.graded",), NOW, None, None)


DELIVERY = Delivery(
    id="msg_1",
    tenant_id="ten_1",
    webhook_id="whk_1",
    job_id="sub_1",
    event="submission.graded",
    body={"submission_id": "sub_1", "score": 41.7},
    state=DeliveryState.WAITING,
    tries=0,
    next_at=NOW,
    last_status=None,
    last_error="",
    created_at=NOW,
    delivered_at=None,
)


def send(url, *, networks=(LOOPBACK,), addresses=("127.0.0.1",), secrets=(SECRET,)):
    messenger = WebhookMessenger(
        ApiOptions(webhook_networks=networks, webhook_http=True),
        resolver=lambda _host, _port: list(addresses),
    )
    return asyncio.run(messenger.send(hook(url, secrets), DELIVERY))


class TestMessages:
    """What arrives."""

    def test_a_message_is_verified_by_the_standards_own_library(self):
        with Receiver() as receiver:
            sent = send(f"http://hooks.example:{receiver.port}/in?a=1")
        headers, body = receiver.received[0]
        assert (sent.delivered, sent.status) == (True, 204)
        assert headers["Host"] == f"hooks.example:{receiver.port}"
        message = Verifier(SECRET).verify(body, {k.lower(): v for k, v in headers.items()})
        assert message["type"] == "submission.graded"
        assert message["data"] == {"submission_id": "sub_1", "score": 41.7}

    def test_a_changed_message_is_not_verified(self):
        with Receiver() as receiver:
            send(f"http://hooks.example:{receiver.port}/")
        headers, body = receiver.received[0]
        with pytest.raises(WebhookVerificationError):
            Verifier(SECRET).verify(
                body.replace(b"41.7", b"99.9"), {k.lower(): v for k, v in headers.items()}
            )

    def test_while_secrets_are_rotated_both_verify(self):
        with Receiver() as receiver:
            send(f"http://hooks.example:{receiver.port}/", secrets=(SECRET, OLD))
        headers, body = receiver.received[0]
        for secret in (SECRET, OLD):
            Verifier(secret).verify(body, {k.lower(): v for k, v in headers.items()})

    def test_a_message_holds_no_word_of_the_answer_and_no_verdict(self):
        body = json.dumps(dict(DELIVERY.body))
        assert set(json.loads(body)) == {"submission_id", "score"}

    def test_a_refusal_is_told_with_its_status(self):
        with Receiver(status=500) as receiver:
            sent = send(f"http://hooks.example:{receiver.port}/")
        assert (sent.delivered, sent.status) == (False, 500)

    def test_a_redirect_is_not_followed(self):
        with Receiver() as inner, Receiver(302, f"http://127.0.0.1:{inner.port}/") as outer:
            sent = send(f"http://hooks.example:{outer.port}/")
        assert (sent.delivered, sent.status, inner.received) == (False, 302, [])

    def test_a_server_that_is_not_there_is_no_fault_of_ours(self):
        with Receiver() as receiver:
            port = receiver.port
        assert send(f"http://hooks.example:{port}/").delivered is False


class TestGuard:
    """Where messages may go."""

    @pytest.mark.parametrize(
        "address",
        [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "224.0.0.1",
            "255.255.255.255",
            "::1",
            "::",
            "fe80::1",
            "fc00::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::a00:1",
            "2002:7f00:1::",
        ],
    )
    def test_addresses_that_are_not_public_are_refused(self, address):
        assert not may_call(ipaddress.ip_address(address))

    @pytest.mark.parametrize("address", ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"])
    def test_public_addresses_are_called(self, address):
        assert may_call(ipaddress.ip_address(address))

    @given(st.ip_addresses())
    def test_a_listed_network_and_public_ones_are_all_that_is_called(self, address):
        listed = ipaddress.ip_network("10.0.0.0/8")
        if may_call(address, [listed]) and not may_call(address):
            mapped = getattr(address, "ipv4_mapped", None) or getattr(address, "sixtofour", None)
            low = ipaddress.ip_address(int(address) & 0xFFFFFFFF) if address.version == 6 else None
            assert any(a in listed for a in (address, mapped, low) if a is not None)

    def test_one_private_address_among_public_ones_refuses_the_name(self):
        with pytest.raises(RefusedAddressError):
            destination("https://hooks.example/", resolver=lambda *_: ["93.184.215.14", "10.0.0.1"])

    def test_a_name_that_changes_its_mind_gains_nothing(self):
        answers = iter([["127.0.0.1"], ["10.0.0.1"], ["169.254.169.254"]])
        with Receiver() as receiver:
            messenger = WebhookMessenger(
                ApiOptions(webhook_networks=(LOOPBACK,), webhook_http=True),
                resolver=lambda *_: next(answers),
            )
            url = f"http://hooks.example:{receiver.port}/"
            first = asyncio.run(messenger.send(hook(url), DELIVERY))
            assert next(answers) == ["10.0.0.1"], "the name was resolved more than once"
            second = asyncio.run(messenger.send(hook(url), DELIVERY))
        assert (first.delivered, second.delivered) == (True, False)
        assert second.status is None
        assert len(receiver.received) == 1

    @pytest.mark.parametrize(
        "url",
        [
            "http://hooks.example/",
            "ftp://hooks.example/",
            "https://user:pw@hooks.example/",
            "https://hooks.example:99999/",
            "https://[::1/",
            "https:///path",
            "https://hooks.example/#part",
        ],
    )
    def test_only_plain_https_urls_are_kept(self, url):
        with pytest.raises(RefusedAddressError):
            checked_url(url)


class TestRoutes:
    """Keeping addresses."""

    def test_the_secret_is_shown_once(self, tenant):
        client = tenant.client()
        given = {"url": "https://hooks.example/in", "events": ["submission.graded"]}
        made = client.post("/v1/webhooks", json=given).json()
        assert made["secret"].startswith("whsec_")
        assert "secret" not in client.get(f"/v1/webhooks/{made['id']}").json()
        rotated = client.post(f"/v1/webhooks/{made['id']}:rotate").json()
        assert rotated["secret"] != made["secret"]

    def test_an_address_without_tls_is_refused(self, tenant):
        given = {"url": "http://hooks.example/in", "events": ["submission.graded"]}
        reply = tenant.client().post("/v1/webhooks", json=given)
        assert reply.json()["errors"][0]["pointer"] == "#/url"

    def test_a_message_is_sent_again_under_an_id_of_its_own(self, furnished):
        client = furnished.client()
        old = furnished.ids["delivery_id"]
        new = client.post(f"/v1/deliveries/{old}:redeliver").json()
        path = f"/v1/webhooks/{furnished.ids['webhook_id']}/deliveries"
        listed = {item["id"]: item["body"] for item in client.get(path).json()["items"]}
        assert new["id"] != old
        assert listed[new["id"]] == listed[old]


def test_a_message_too_old_to_be_trusted_is_told_by_its_time():
    messenger = WebhookMessenger(
        ApiOptions(webhook_networks=(LOOPBACK,), webhook_http=True),
        resolver=lambda *_: ["127.0.0.1"],
        now=lambda: datetime.now(UTC) - timedelta(hours=1),
    )
    with Receiver() as receiver:
        asyncio.run(messenger.send(hook(f"http://hooks.example:{receiver.port}/"), DELIVERY))
    headers, body = receiver.received[0]
    with pytest.raises(WebhookVerificationError):
        Verifier(SECRET).verify(body, {k.lower(): v for k, v in headers.items()})
