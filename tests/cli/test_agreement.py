"""``grader agreement``."""

import json

import pytest


@pytest.fixture
def agreement(run, tmp_path):
    def _agreement(labels, predictions, *options):
        for name, rows in (("l.jsonl", labels), ("p.jsonl", predictions)):
            (tmp_path / name).write_text("".join(json.dumps(r) + "\n" for r in rows))
        return run("agreement", "--labels", "l.jsonl", "--predictions", "p.jsonl", *options)

    return _agreement


def rows(field, outcomes, question="q"):
    return [
        {"question_id": question, "answer_id": f"a{i}", "signal_id": "s", field: o}
        for i, o in enumerate(outcomes)
    ]


def test_figures_of_a_case_worked_by_hand(agreement):
    labels = rows("label", ["met", "met", "not_met", "not_met", "partial"])
    verdicts = rows("verdict", ["met", "not_met", "not_met", "not_met", "cannot_assess"])
    for row in verdicts:
        row["confidence"] = 0.75
    done = agreement(labels, verdicts, "--json")
    assert done.returncode == 0, done.stderr
    overall = json.loads(done.stdout)["overall"]
    assert overall["rows"] == 5
    assert overall["coverage"]["value"] == pytest.approx(4 / 5)
    assert overall["accuracy"]["value"] == pytest.approx(3 / 4)
    # F1 of met: 2/3, of not_met: 4/5.
    assert overall["macro_f1"]["value"] == pytest.approx((2 / 3 + 4 / 5) / 2)
    assert overall["kappa"]["value"] == pytest.approx((3 / 4 - 1 / 2) / (1 - 1 / 2))
    assert overall["calibration_error"]["value"] == pytest.approx(0)
    assert overall["met_rate_bias"]["value"] == pytest.approx(1 / 4 - 2 / 4)


def test_a_missing_prediction_is_undecided_and_an_unlabelled_one_is_left_out(agreement):
    labels = rows("label", ["met", "met"])
    verdicts = rows("verdict", ["met"]) + rows("verdict", ["met", "met"], question="other")
    overall = json.loads(agreement(labels, verdicts, "--json").stdout)["overall"]
    assert overall["rows"] == 2
    assert overall["coverage"]["value"] == 0.5
    assert overall["accuracy"]["value"] == 1


def test_partial_labels_can_count_as_met(agreement):
    labels, verdicts = rows("label", ["partial", "met"]), rows("verdict", ["met", "met"])
    for option, accuracy in (("keep", 0.5), ("met", 1.0)):
        done = agreement(labels, verdicts, "--partial-as", option, "--json")
        assert json.loads(done.stdout)["overall"]["accuracy"]["value"] == accuracy


def test_predictions_of_another_judge_are_labels_too(agreement):
    verdicts = rows("verdict", ["met", "not_met"])
    done = agreement(verdicts, verdicts)
    assert done.returncode == 0
    assert "q/s" in done.stdout.decode()
    assert "kappa" in done.stdout.decode()


@pytest.mark.parametrize(
    ("labels", "verdicts", "words"),
    [
        ([], [], "holds no label"),
        ([{"question_id": "q"}], [], "--labels: line 1: answer_id"),
        (rows("label", ["met"]), rows("verdict", ["perhaps"]), "--predictions: line 1: verdict"),
        (rows("label", ["met"]) * 2, [], "--labels: line 2: q/a0/s stands twice"),
    ],
)
def test_bad_files_name_option_line_and_field(agreement, labels, verdicts, words):
    done = agreement(labels, verdicts)
    assert done.returncode == 2
    assert words in done.stderr.decode()
