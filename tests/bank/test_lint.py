"""Each rule finds its fault in a question that is otherwise clean."""

import pytest
import yaml

from grader.bank.lint import lint_folder

CLEAN = {
    "id": "paged-cache",
    "topic": "t",
    "prompt": "A server runs out of memory at half its expected load. What do you look at?",
    "signals": [
        {
            "id": "fragmentation",
            "statement": "Contiguous reservations waste most of the cache on unused tails.",
            "weight": 2,
            "kind": "positive",
            "accept": ["slack at the end", "reserved but never used", "internal fragmentation"],
            "terms": [["fragmentation", "wasted"]],
            "probe": "Where could the missing memory have gone?",
        },
        {
            "id": "blocks",
            "statement": "Fixed-size pages let a sequence grow without moving.",
            "weight": 2,
            "kind": "positive",
            "accept": ["fixed-size blocks", "pages on demand", "small blocks in a table"],
            "probe": "How would an operating system solve this?",
        },
    ],
    "samples": [
        {"id": "a", "quality": q, "text": "It depends on what the profile says.",
         "labels": {"fragmentation": "not_met", "blocks": "not_met"}}
        for q in ("strong", "middling", "wrong")
    ],
}  # fmt: skip
for index, sample in enumerate(CLEAN["samples"]):
    sample["id"] = f"a{index}"


def findings(tmp_path, change=lambda q: None, extra=None):
    fields = yaml.safe_load(yaml.safe_dump(CLEAN))
    change(fields)
    (tmp_path / "q.yaml").write_text(yaml.safe_dump(fields))
    if extra:
        (tmp_path / "r.yaml").write_text(extra)
    return lint_folder(tmp_path)


def test_the_clean_question_has_no_findings(tmp_path):
    assert findings(tmp_path) == []


def first(q):
    return q["signals"][0]


def changes():
    def rule(name, field):
        return lambda change: pytest.param(name, field, change, id=name + ":" + change.__name__)

    @rule("two-facts", "signals.0.statement")
    def semicolon(q):
        first(q)["statement"] = (
            "Contiguous reservations waste most cache memory; "
            "paging hands out small fixed blocks instead."
        )

    @rule("two-facts", "signals.0.statement")
    def two_sentences(q):
        first(q)["statement"] = "Reservations waste memory. Paging hands out fixed blocks."

    @rule("words-from-prompt", "signals.0.statement")
    def copied(q):
        first(q)["statement"] = "The server runs out of memory."

    @rule("overlap", "signals.1.statement")
    def same_statement(q):
        q["signals"][1]["statement"] = first(q)["statement"]

    @rule("few-accepts", "signals.0")
    def two_accepts(q):
        first(q)["accept"] = first(q)["accept"][:2]

    @rule("heavy-signal", "signals.0.weight")
    def heavy(q):
        first(q)["weight"] = 3

    @rule("probe-leaks", "signals.0.probe")
    def probe_with_term(q):
        first(q)["probe"] = "Is there fragmentation?"

    @rule("probe-leaks", "signals.1.probe")
    def probe_with_statement(q):
        q["signals"][1]["probe"] = "Would fixed-size pages help a sequence grow?"

    @rule("no-probe", "signals.0")
    def no_probe(q):
        del first(q)["probe"]

    @rule("sample-repeats-accept", "samples.0.text")
    def repeated(q):
        first(q)["accept"][0] = "most memory slots sit reserved idle forever"
        q["samples"][0]["text"] = "Here most of the memory slots sit reserved, idle forever."

    @rule("sample-labels", "samples.0.labels")
    def unlabelled(q):
        del q["samples"][0]["labels"]["blocks"]

    @rule("sample-missing", "samples")
    def no_wrong(q):
        del q["samples"][2]

    @rule("figures", "derived")
    def broken(q):
        q["derived"] = {"x": "y + 1"}

    @rule("coding-weights", "signals")
    def coding(q):
        q["kind"] = "coding"

    return [v for v in locals().values() if not callable(v)]


@pytest.mark.parametrize(("rule", "field", "change"), changes())
def test_a_fault_is_found_by_its_rule_alone(tmp_path, rule, field, change):
    found = findings(tmp_path, change)
    assert [(f.rule, f.field) for f in found] == [(rule, field)]
    assert found[0].place.startswith(str(tmp_path / "q.yaml") + ":")


def test_a_duplicate_id_and_a_broken_file_do_not_stop_the_rest(tmp_path):
    found = findings(tmp_path, lambda q: first(q).pop("probe"), yaml.safe_dump(CLEAN))
    (tmp_path / "s.yaml").write_text("id: x\n")
    rules = {f.rule for f in lint_folder(tmp_path)}
    assert {f.rule for f in found} == {"no-probe", "duplicate-id"}
    assert rules == {"no-probe", "duplicate-id", "format"}
