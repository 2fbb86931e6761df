import pytest

from grader.exercises.seeds import derived_key, suite_seed

SECRET = b"0123456789abcdef"


def test_the_same_submission_always_has_the_same_seed():
    assert suite_seed(SECRET, "v1", b"t") == suite_seed(SECRET, "v1", b"t")


def test_secret_version_and_tokens_each_change_the_seed():
    seeds = {
        suite_seed(SECRET, "v1", b"t").root,
        suite_seed(SECRET + b"!", "v1", b"t").root,
        suite_seed(SECRET, "v2", b"t").root,
        suite_seed(SECRET, "v1", b"u").root,
    }
    assert len(seeds) == 4


def test_purposes_have_independent_seeds():
    seed = suite_seed(SECRET, "v1", b"t")
    children = {seed.child("scoring", "BM1", "0"), seed.child("second", "BM1", "0")}
    children |= {seed.child("scoring", "BM1", "1"), seed.child("scoring", "BM10")}
    assert len(children) == 4


def test_the_commitment_is_neither_the_root_nor_a_child():
    seed = suite_seed(SECRET, "v1", b"t")
    assert seed.root.hex() not in seed.commitment
    assert seed.commitment == suite_seed(SECRET, "v1", b"t").commitment


def test_a_short_secret_is_refused():
    with pytest.raises(ValueError, match="16 bytes"):
        derived_key(b"short", "seed")
