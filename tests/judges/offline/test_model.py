"""The shipped model and how it is made."""

import json

import pytest

from bench.offline_data import Case
from bench.train_offline import Source, train
from grader.errors import FaultError
from grader.judges.offline.features import NAMES
from grader.judges.offline.model import Model, shipped_model
from tests.judges.offline.rubrics import paging_question


def tiny_sources():
    question = paging_question()
    texts = {
        "Equal blocks leave waste only in the last one of a sequence.": 1.0,
        "Fixed-size pages, hence nearly no fragmentation of the cache.": 1.0,
        "It swaps idle sequences to disk to make room.": 0.0,
        "Larger batches make every single token faster.": 0.0,
        "Memory is cut into blocks, sort of.": 0.5,
    }
    cases = [Case(question, "no-waste", text, label, f"q{i}") for i, (text, label) in
             enumerate(texts.items())]  # fmt: skip
    return [Source("tiny", "none", cases)]


def test_the_shipped_model_fits_its_hash_and_our_features():
    model = shipped_model()
    assert set(model.coefficients) == set(NAMES)
    assert Model.from_json(model.to_json()).to_json() == model.to_json()


def test_the_shipped_model_says_what_it_was_trained_on_and_nothing_share_alike_is_in_it():
    licences = {source["licence"] for source in shipped_model().trained_on}
    assert licences == {"MIT", "Apache-2.0"}


def test_a_changed_model_is_refused():
    body = json.loads(shipped_model().to_json())
    body["intercept"] += 1.0
    with pytest.raises(FaultError, match="does not fit its hash"):
        Model.from_json(json.dumps(body))


def test_a_model_of_other_features_is_refused():
    stranger = Model(1, 0.0, {"shoe size": 1.0}, {}, 1.0).to_json()
    with pytest.raises(FaultError, match="another version"):
        Model.from_json(stranger)


def test_training_twice_gives_the_same_bytes_whatever_the_order_of_cases():
    sources = tiny_sources()
    backwards = [Source(s.name, s.licence, list(reversed(s.cases))) for s in sources]
    model, again = train(sources), train(backwards)
    assert train(sources).to_json() == model.to_json()
    assert again.coefficients == model.coefficients
    assert again.idf == model.idf


def test_partial_labels_are_not_trained_on():
    assert train(tiny_sources()).trained_on[0]["rows"] == 4


def test_likeness_speaks_for_a_signal_and_near_misses_against():
    weights = shipped_model().coefficients
    assert weights["agree_whole"] > 0
    assert weights["terms"] > 0
    assert weights["reject"] < 0
    assert weights["reject_words"] < 0
