"""``grader bank``."""

import json


def test_lint_lists_findings_and_counts_them(run, rubric):
    done = run("bank", "lint", rubric.parent)
    text = done.stdout.decode()
    assert done.returncode == 2
    assert "decode-floor.yaml:1: samples: no strong and no middling and no wrong sample" in text
    assert text.splitlines()[-1].startswith("1 question files, ")


def test_the_shipped_bank_is_clean(run):
    done = run("bank", "lint")
    assert done.returncode == 0, done.stdout.decode()
    assert done.stdout.decode().endswith(", 0 findings\n")


def test_a_missing_folder_is_bad_input(run):
    done = run("bank", "lint", "nowhere")
    assert done.returncode == 2
    assert "no folder 'nowhere'" in done.stderr.decode()


def test_list_filters_and_show_prints_the_rubric(run, rubric):
    listed = run("bank", "list", "--bank", rubric.parent, "--topic", "decode", "--json")
    assert [json.loads(line)["id"] for line in listed.stdout.splitlines()] == ["decode-floor"]
    none = run("bank", "list", "--bank", rubric.parent, "--topic", "other", "--json")
    assert none.stdout == b""
    shown = run("bank", "show", "decode-floor", "--bank", rubric.parent).stdout.decode()
    assert "+3  Every step reads all weights from memory once.  [reads-weights]" in shown
    assert "rubric version sha256:" in shown


def test_stats_count_what_is_there(run, rubric):
    text = run("bank", "stats", "--bank", rubric.parent).stdout.decode()
    assert text.startswith("1 questions, 2 signals, 0 samples\n")


def test_a_bank_goes_out_and_comes_back_as_csv_and_markdown(run, rubric, tmp_path):
    for target in ("bank.csv", "notes"):
        out = run("bank", "export", target, "--bank", rubric.parent)
        assert out.returncode == 0, out.stderr
        back = run("bank", "import", target, f"from-{target}")
        assert back.returncode == 0, back.stderr
        listed = run("bank", "list", "--bank", f"from-{target}", "--json")
        assert json.loads(listed.stdout)["id"] == "decode-floor"
    again = run("bank", "export", "bank.csv", "--bank", rubric.parent)
    assert again.returncode == 2
    assert b"already has content" in again.stderr


def test_a_new_question_can_be_listed_and_linted(run):
    assert run("bank", "new", "mine", "--topic", "t", "--folder", "b").returncode == 0
    assert run("bank", "new", "mine", "--topic", "t", "--folder", "b").returncode == 2
    text = run("bank", "lint", "b").stdout.decode()
    assert "few-accepts" in text
    assert "[format]" not in text


def test_coverage_prints_every_item_of_the_curriculum(run):
    lines = run("bank", "coverage").stdout.decode().splitlines()
    assert len(lines) == 140
    assert lines[-1].endswith(" of 139 items covered")
