"""People, keys, rosters, rubric versions, quotas and idempotency keys."""

import base64
import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.errors import InputError
from grader.store.database import Database
from grader.store.errors import ConflictError
from grader.store.keys import KeyFormatError, make_key, read_key
from grader.store.records.tenancy import Role
from grader.store.records.work import AttemptState
from tests.store import makers

PEPPER = b"p" * 32


@pytest.fixture
def store(database):
    with database.writing() as unit:
        yield unit.of(unit.deployment.add_tenant("Acme").id)


def test_a_key_opens_with_its_secret_and_the_deployments_only():
    key = make_key(PEPPER)
    shown = read_key(key.text)
    assert (shown.id, shown.test) == (key.id, False)
    assert shown.opens(key.secret_hash, PEPPER)
    assert not shown.opens(key.secret_hash, b"q" * 32)
    assert not read_key(make_key(PEPPER).text).opens(key.secret_hash, PEPPER)
    assert key.text.split("_")[3] not in key.secret_hash
    assert read_key(make_key(PEPPER, test=True).text).test


@given(st.integers(0, 70), st.characters(codec="ascii", exclude_characters="\n"))
def test_a_mistyped_key_is_told_without_the_database(place, typed):
    text = make_key(PEPPER).text
    wrong = text[:place] + typed + text[place + 1 :]
    if wrong != text:
        with pytest.raises(KeyFormatError):
            read_key(wrong)


def test_a_rotated_key_works_until_the_overlap_is_over(store):
    old = store.api_keys.add(make_key(PEPPER), name="ci", scopes=["b", "a"])
    new = store.api_keys.rotate(old.id, make_key(PEPPER), timedelta(hours=1))
    assert (new.name, new.scopes) == ("ci", ("a", "b"))
    old = store.api_keys.get(old.id)
    assert old.successor_id == new.id
    assert old.is_live(old.created_at + timedelta(minutes=59))
    assert not old.is_live(old.created_at + timedelta(minutes=61))
    store.api_keys.revoke(new.id)
    with pytest.raises(ConflictError, match="no longer live"):
        store.api_keys.rotate(new.id, make_key(PEPPER), timedelta(0))


def test_addresses_and_external_ids_are_taken_once(store):
    one = store.users.add("A", roles=[Role.LEARNER, Role.AUTHOR], email="a@x.y", external_id="1")
    assert store.users.find(email="a@x.y") == one
    assert one.roles == {Role.LEARNER, Role.AUTHOR}
    for taken in ({"email": "a@x.y"}, {"external_id": "1"}):
        with pytest.raises(ConflictError, match="taken"):
            store.users.add("B", roles=[], **taken)
    cohort = store.cohorts.add("Spring")
    other = store.users.add("B", roles=[])
    store.cohorts.put_member(cohort.id, one.id, "s1")
    with pytest.raises(ConflictError, match="roster"):
        store.cohorts.put_member(cohort.id, other.id, "s1")
    store.cohorts.put_member(cohort.id, one.id, "s2")
    assert [m.external_id for m in store.cohorts.members(cohort.id).items] == ["s2"]


def test_a_rubric_is_written_over_the_version_that_was_read(store):
    first = store.rubrics.write(makers.question(weight=2), expected=None)
    second = store.rubrics.write(makers.question(weight=3), expected=first.file_version)
    for stale in (first.file_version, None):
        with pytest.raises(ConflictError, match="read it again"):
            store.rubrics.write(makers.question(weight=4), expected=stale)
    assert store.rubrics.head("paging") == second
    assert store.rubrics.question(first.file_version) == makers.question(weight=2)
    assert len(store.rubrics.versions("paging").items) == 2


def test_a_draft_is_not_overwritten_from_another_window(store):
    attempt = store.attempts.open("paging")
    assert store.attempts.save_draft(attempt.id, "a", revision=0).revision == 1
    with pytest.raises(ConflictError, match="another window"):
        store.attempts.save_draft(attempt.id, "b", revision=0)
    assert store.attempts.close(attempt.id).state is AttemptState.SUBMITTED
    with pytest.raises(ConflictError, match="submitted"):
        store.attempts.save_draft(attempt.id, "c")


def test_a_quota_grants_what_is_there_and_says_how_long_to_wait(store):
    store.quotas.define("submissions", capacity=2, per_second=0.001)
    granted = [store.quotas.take("submissions") for _ in range(3)]
    assert [(g.granted, g.remaining) for g in granted] == [(True, 1), (True, 0), (False, 0)]
    assert 900 < granted[-1].wait_s <= 1000
    store.quotas.give_back("submissions")
    assert store.quotas.take("submissions").granted
    assert store.quotas.take("undefined", 10_000).granted


def test_the_same_key_is_one_request(store):
    assert store.idempotency.begin("r", "k", "h") is None
    going_on = store.idempotency.begin("r", "k", "h")
    assert (going_on.status, going_on.body_hash) == (None, "h")
    store.idempotency.finish("r", "k", 202, {"id": "sub_1"})
    assert store.idempotency.begin("r", "k", "other").response == {"id": "sub_1"}
    assert store.idempotency.begin("other", "k", "h") is None
    store.idempotency.forget("r", "k")
    assert store.idempotency.begin("r", "k", "h") is None


def test_a_key_is_free_again_when_its_time_is_over(database):
    tenant_id = makers.tenant(database)
    with database.writing() as unit:
        unit.of(tenant_id).idempotency.begin("r", "k", "h", timedelta(seconds=-1))
    with database.writing() as unit:
        assert unit.of(tenant_id).idempotency.begin("r", "k", "h2") is None


def test_pages_hold_everything_once_and_do_not_shift(store):
    ids = [makers.submission(store).id for _ in range(5)]
    seen, cursor = [], None
    while True:
        page = store.submissions.list(cursor=cursor, limit=2)
        seen += [s.id for s in page.items]
        if not seen[2:]:
            makers.submission(store)
        cursor = page.next_cursor
        if cursor is None:
            break
    assert seen == sorted(ids, reverse=True)
    for wrong in ({"cursor": "x"}, {"limit": 0}, {"limit": 201}):
        with pytest.raises(InputError):
            store.submissions.list(**wrong)


@pytest.mark.parametrize("url", ["mysql://h/d", "no url"])
def test_another_kind_of_database_is_refused(url):
    with pytest.raises(InputError, match="GRADER_DATABASE_URL"):
        Database(url)


def test_a_moment_without_a_zone_is_refused(store):
    with pytest.raises(Exception, match="no time zone"):
        store.assignments.add(store.cohorts.add("c").id, "t", [], due_at=datetime(2030, 1, 1))


def test_moments_come_back_in_utc(store):
    due = datetime(2030, 1, 1, 12, tzinfo=UTC)
    assignment = store.assignments.add(store.cohorts.add("c").id, "t", ["q"], due_at=due)
    assert store.assignments.get(assignment.id).due_at == due
    assert store.assignments.get(assignment.id).due_at.tzinfo is UTC


@pytest.mark.parametrize(
    "place",
    [
        ["2030-01-01T00:00:00+00:00", "sub_\0"],
        ["2030-01-01T00:00:00+00:00", "sub_\ud800"],
        ["2030-01-01T00:00:00+00:00", 7],
        ["2030-01-01T00:00:00", "sub_1"],
        ["0001-01-01T00:00:00+14:00", "sub_1"],
        {"2030-01-01": 1},
    ],
    ids=["NUL", "lone surrogate", "number", "naive moment", "before all time", "no list"],
)
def test_a_forged_cursor_is_refused_before_it_reaches_the_database(store, place):
    forged = base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")
    with pytest.raises(InputError, match="cursor is none of ours"):
        store.submissions.list(cursor=forged)
