"""Values kept by identity."""

from hypothesis import given
from hypothesis import strategies as st

from grader.bank.identity_cache import IdentityCache


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2)), max_size=60), st.integers(1, 8))
def test_a_kept_value_is_always_the_one_of_that_very_object_and_key(requests, size):
    cache = IdentityCache(size)
    objects = [[n] for n in range(6)]
    for number, key in requests:
        value = cache.get(objects[number], key, lambda n=number, k=key: (n, k))
        assert value == (number, key)


def test_a_value_is_computed_once_and_equal_objects_are_told_apart():
    cache, computed = IdentityCache(), []
    first, second = [1], [1]
    for item in (first, first, second):
        cache.get(item, None, lambda: computed.append(1))
    assert len(computed) == 2


def test_the_least_recently_used_goes_first():
    cache, computed = IdentityCache(2), []
    a, b, c = [1], [2], [3]
    for item in (a, b, a, c, a, b):
        cache.get(item, None, lambda i=item: computed.append(i[0]))
    assert computed == [1, 2, 3, 2]
