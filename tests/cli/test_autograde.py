"""``grader autograde``: here, through a service, and where nothing can grade."""

import base64
import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from grader.api.schemas.submissions import SubmissionOut
from grader.cli.autograde import outcome_of
from grader.cli.autograde_output import (
    GRADESCOPE_SUBMISSION,
    ResultsFormat,
    default_out,
    replace_file,
)
from grader.cli.autograde_service import Service, ServiceFaultError, graded_by_service, service_of
from grader.cli.autograde_submission import submitted_in
from grader.client import ApiProblemError
from grader.errors import InputError
from grader.exercises.result import Reveal
from grader.settings import shipped_bank
from sandbox.outcome import Outcome
from tests.api.processes import running
from tests.exports.reports import result_of, validated

BLOCKS = shipped_bank() / "coding" / "block_manager"
RIGHT = (BLOCKS / "reference.py").read_bytes()
WRONG = (BLOCKS / "mutants" / "copy_to_other_holder.py").read_bytes()
KEY = "grd_live_a_key_that_stays_secret"


@pytest.fixture
def submission(tmp_path):
    folder = tmp_path / "submission"
    folder.mkdir()
    (folder / "block_manager.py").write_bytes(WRONG)
    return folder


@pytest.fixture
def nowhere(tmp_path):
    """An environment in which neither bubblewrap nor an engine can be found."""
    return {"PATH": str(tmp_path / "none"), "DOCKER_HOST": f"unix://{tmp_path}/none.sock"}


def results(path):
    return validated(json.loads(path.read_text()), "gradescope-results")


def scores(document):
    return [document.get("score"), *(test.get("score") for test in document.get("tests", ()))]


# Here


@pytest.mark.bwrap
def test_it_grades_here_where_a_sandbox_holds(run, submission, tmp_path):
    done = run("autograde", submission, "--backend", "bwrap", "--out", "deep/r.json")
    assert done.returncode == 0, done.stderr
    document = results(tmp_path / "deep" / "r.json")
    assert 0 < document["score"] < 100
    assert document["score"] == sum(test["score"] for test in document["tests"])
    assert document["extra_data"]["backend"] == "bwrap"
    failed = next(test for test in document["tests"] if test["status"] == "failed")
    assert "from block_manager import BlockManager" in failed["output"]


@pytest.mark.bwrap
def test_github_gets_a_file_a_summary_and_an_output(run, submission, tmp_path):
    files = {name: str(tmp_path / name) for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
    (tmp_path / "GITHUB_OUTPUT").write_text("before=1\n")
    given = ("--exercise", "block_manager", "--format", "github", "--reveal", "names")
    done = run("autograde", submission, *given, "--backend", "bwrap", **files)
    assert done.returncode == 0, done.stderr
    written = validated(
        json.loads((tmp_path / "grader-results.json").read_text()), "classroom-results"
    )
    before, output = (tmp_path / "GITHUB_OUTPUT").read_text().splitlines()
    assert before == "before=1"
    assert json.loads(base64.b64decode(output.removeprefix("result="))) == written
    summary = (tmp_path / "GITHUB_STEP_SUMMARY").read_text()
    assert "❌ failed" in summary
    assert "import BlockManager" not in summary


# Nowhere


@pytest.mark.parametrize(
    ("results_format", "file", "says"),
    [
        ("gradescope", "grader-results.json", "Not graded: there is no sandbox here"),
        ("github", "grader-results.json", '"status": "error"'),
        ("junit", "grader-results.xml", "Not graded: there is no sandbox here"),
        ("csv", "grader-results.csv", "not graded"),
    ],
)
def test_without_sandbox_and_service_it_is_not_graded_and_never_a_zero(
    run, submission, tmp_path, nowhere, results_format, file, says
):
    done = run("autograde", submission, "--format", results_format, **nowhere)
    assert done.returncode == 3
    assert "GRADER_URL" in done.stderr.decode()
    text = (tmp_path / file).read_text()
    assert says in text
    assert '"score"' not in text
    if results_format == "csv":
        assert text.splitlines()[1].split(",")[2:6] == ["not graded", "", "", ""]


def test_an_older_result_does_not_outlive_a_failed_run(run, submission, tmp_path, nowhere):
    (tmp_path / "grader-results.json").write_text('{"score": 100}')
    run("autograde", submission, **nowhere)
    assert scores(results(tmp_path / "grader-results.json")) == [None]


def test_half_of_a_service_is_bad_input_and_not_told_to_learners(
    run, submission, tmp_path, nowhere
):
    done = run("autograde", submission, GRADER_URL="http://127.0.0.1:9", **nowhere)
    assert done.returncode == 2
    assert "GRADER_KEY is not set" in done.stderr.decode()
    assert "127.0.0.1" not in (tmp_path / "grader-results.json").read_text()


def test_a_wrong_option_leaves_a_results_file_too(run, submission, tmp_path):
    done = run("autograde", submission, "--backend", "none")
    assert done.returncode == 2
    assert "no backend 'none'" in done.stderr.decode()
    assert scores(results(tmp_path / "grader-results.json")) == [None]


def outcome_where(monkeypatch, submission, check, reveal=Reveal.COUNTEREXAMPLES):
    """What is told where the sandbox here does what ``check`` does."""
    monkeypatch.setattr("grader.exercises.checking.check_submission", check)
    monkeypatch.setenv("GRADER_SECRET", "a secret of the tests")
    return outcome_of(submission, None, None, reveal, 1.0)


@pytest.mark.parametrize("reveal", Reveal)
def test_a_sandbox_that_breaks_while_it_grades_is_no_grade(monkeypatch, submission, reveal):
    def broken(*_arguments, reveal, **_named):
        return result_of((Outcome.PASSED, Outcome.INFRA_ERROR)).revealed(reveal)

    report, status = outcome_where(monkeypatch, submission, broken, reveal)
    assert (report.graded, report.low, report.high, status) == (False, 70, 100, 3)


def test_an_error_that_nobody_thought_of_is_no_grade(monkeypatch, submission, capsys):
    def broken(*_arguments, **_named):
        raise RuntimeError("the disk of host-17 is full")

    report, status = outcome_where(monkeypatch, submission, broken)
    assert (report.graded, report.low, status) == (False, None, 3)
    assert "host-17" in capsys.readouterr().err
    assert "host-17" not in report.headline


# Finding the submission


def test_a_folder_without_a_submission_tells_its_learner_what_to_hand_in(run, tmp_path):
    (tmp_path / "empty").mkdir()
    done = run("autograde", "empty", "--exercise", "kv_cache")
    assert done.returncode == 2
    document = results(tmp_path / "grader-results.json")
    assert "hand in one Python file, named kv_cache.py" in document["output"]
    assert scores(document) == [None]


def test_the_exercise_is_told_by_the_file_or_by_the_option(submission):
    assert submitted_in(submission, None).exercise == "block_manager"
    chosen = submitted_in(submission, "kv_cache")
    assert (chosen.exercise, chosen.source) == ("kv_cache", WRONG)
    elsewhere = submitted_in(submission, "an_exercise_of_the_service")
    assert (elsewhere.exercise, elsewhere.folder) == ("an_exercise_of_the_service", None)


def test_of_several_files_the_one_that_bears_the_name_counts(submission):
    (submission / "kv_cache.py").write_text("x = 1\n")
    with pytest.raises(InputError, match=r"block_manager\.py, kv_cache\.py"):
        submitted_in(submission, None)
    assert submitted_in(submission, "kv_cache").source == b"x = 1\n"


def test_links_and_hidden_files_are_no_submission(submission, tmp_path):
    (submission / "block_manager.py").rename(tmp_path / "secret.py")
    (submission / "block_manager.py").symlink_to(tmp_path / "secret.py")
    (submission / ".block_manager.py").write_text("x = 1\n")
    (submission / "__pycache__").mkdir()
    (submission / "__pycache__" / "block_manager.py").write_text("x = 1\n")
    with pytest.raises(InputError, match="no Python file"):
        submitted_in(submission, "block_manager")


def test_a_learners_folder_is_never_taken_for_the_exercise(submission, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("block_manager", "of_the_service"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "question.yaml").write_text("id: forged\n")
    assert submitted_in(submission, "block_manager").folder == BLOCKS
    assert submitted_in(submission, "of_the_service").folder is None


# Through a service


def answer(**changes):
    """What the service says of a submission that is done."""
    example = SubmissionOut.model_config["json_schema_extra"]["examples"][0]
    code = result_of((Outcome.PASSED, Outcome.FAILED)).model_dump(mode="json")
    grade = {
        **example["grade"], "score": 70, "low": 70, "high": 70, "provisional": False,
        "verdicts": [], "code": code,
    }  # fmt: skip
    return {**example, "kind": "code", "text": None, "grade": {**grade, **changes}}


@contextmanager
def service(status, body):
    """A service on loopback that answers every request alike; gives its address and requests."""
    seen = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            size = int(self.headers.get("Content-Length", 0))
            seen.append((self.path, dict(self.headers), self.rfile.read(size)))
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST

        def log_message(self, *_arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def asked(url, *, reveal=Reveal.COUNTEREXAMPLES, wait_s=5.0):
    return graded_by_service(
        Service(url, KEY), "block_manager", b"class BlockManager: ...\n",
        reveal=reveal, wait_s=wait_s,
    )  # fmt: skip


def test_a_submission_goes_to_the_service_and_its_grade_comes_back(
    run, submission, tmp_path, nowhere
):
    with service(200, answer()) as (url, seen):
        done = run("autograde", submission, GRADER_URL=url, GRADER_KEY=KEY, **nowhere)
    assert done.returncode == 0, done.stderr
    path, headers, body = seen[0]
    assert path.startswith("/v1/submissions?wait=")
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert json.loads(body) == {"exercise_id": "block_manager", "code": WRONG.decode()}
    assert scores(results(tmp_path / "grader-results.json")) == [70, 70, 0]
    everything = (tmp_path / "grader-results.json").read_bytes() + done.stderr + done.stdout
    assert KEY.encode() not in everything


def test_a_deployment_that_shows_the_score_alone_gives_the_score_alone():
    with service(200, answer(code=None)) as (url, _):
        report = asked(url)
    assert (report.score, report.parts) == (70, ())


def test_no_more_is_shown_than_was_asked_for():
    with service(200, answer()) as (url, _):
        report = asked(url, reveal=Reveal.NAMES)
    assert [part.name for part in report.parts] == ["BM1", "BM2"]
    assert "assert" not in report.parts[1].text


def test_a_fault_of_the_services_sandbox_is_no_grade():
    code = result_of((Outcome.PASSED, Outcome.INFRA_ERROR)).model_dump(mode="json")
    with service(200, answer(code=code, high=100, provisional=True)) as (url, _):
        report = asked(url)
    assert (report.graded, report.low, report.high) == (False, 70, 100)
    with service(200, answer(code=None, high=100, provisional=True)) as (url, _):
        assert not asked(url).graded


FAULTS = {
    "failed": {**answer(), "status": "failed", "cause": "sandbox_unavailable", "grade": None},
    "cancelled": {**answer(), "status": "cancelled", "grade": None},
    "held back": {**answer(), "grade": None, "grade_from": "2026-12-24T18:00:00Z"},
    "not finished": {**answer(), "status": "running", "grade": None},
    "not one that this version reads": answer(code={"exercise": "block_manager"}),
}


@pytest.mark.parametrize("words", FAULTS)
def test_a_service_that_gives_no_grade_is_a_fault(words):
    with service(200, FAULTS[words]) as (url, _), pytest.raises(ServiceFaultError, match=words):
        asked(url, wait_s=0.5)


def test_a_refusal_of_the_service_is_told_to_the_instructor_alone(
    run, submission, tmp_path, nowhere
):
    problem = {
        "type": "about:blank", "title": "unauthenticated", "status": 401,
        "code": "unauthenticated", "detail": "the key has expired", "remedy": "make another",
    }  # fmt: skip
    with service(401, problem) as (url, _):
        with pytest.raises(ApiProblemError):
            asked(url)
        done = run("autograde", submission, GRADER_URL=url, GRADER_KEY=KEY, **nowhere)
    assert done.returncode == 3
    assert "the key has expired" in done.stderr.decode()
    document = results(tmp_path / "grader-results.json")
    assert document["output"].startswith("Not graded: the grader failed")
    assert "key" not in document["output"]
    assert scores(document) == [None]


def test_a_service_that_cannot_be_reached_is_a_fault(monkeypatch):
    monkeypatch.setattr("grader.client.time.sleep", lambda _s: None)
    with service(200, {}) as (url, _):
        pass
    with pytest.raises(ServiceFaultError, match="cannot be reached"):
        asked(url)


def test_an_environment_names_a_whole_service_or_none():
    assert service_of({}) is None
    named = service_of({"GRADER_URL": " http://h ", "GRADER_KEY": KEY})
    assert named == Service("http://h", KEY)
    assert KEY not in repr(named)
    with pytest.raises(InputError, match="GRADER_URL is not set"):
        service_of({"GRADER_KEY": KEY})


@pytest.mark.bwrap
def test_the_real_service_grades_what_this_machine_cannot(run, submission, tmp_path, nowhere):
    data = tmp_path / "data"
    with running(tmp_path, "serve", "--data", str(data), "--port", "0", "--no-ui") as served:
        served.key = (data / "admin.key").read_text().strip()
        least = {"name": "gradescope", "scopes": ["submissions:read", "submissions:write"]}
        key = served.call("/v1/keys", least)[2]["key"]
        to_service = {**nowhere, "GRADER_URL": served.url, "GRADER_KEY": key}
        wrong = run("autograde", submission, "--out", "wrong.json", **to_service)
        (submission / "block_manager.py").write_bytes(RIGHT)
        right = run("autograde", submission, "--out", "right.json", **to_service)
    assert (wrong.returncode, right.returncode) == (0, 0), wrong.stderr + right.stderr
    assert f"asking {served.url}" in wrong.stderr.decode()
    assert results(tmp_path / "right.json")["score"] == 100
    document = results(tmp_path / "wrong.json")
    assert 0 < document["score"] < 100
    assert document["score"] == sum(test["score"] for test in document["tests"])


# The file


def test_gradescopes_own_places_are_the_defaults():
    places = {f: str(default_out(f, GRADESCOPE_SUBMISSION)) for f in ResultsFormat}
    assert places == {
        "gradescope": "/autograder/results/results.json",
        "github": "grader-results.json",
        "junit": "grader-results.xml",
        "csv": "grader-results.csv",
    }


def test_a_file_is_replaced_whole(tmp_path, monkeypatch):
    target = tmp_path / "r.json"
    target.write_text("old")

    def broken(*_arguments):
        raise OSError("disk full")

    monkeypatch.setattr("pathlib.Path.replace", broken)
    with pytest.raises(OSError, match="disk full"):
        replace_file(target, "new")
    assert target.read_text() == "old"
    monkeypatch.undo()
    replace_file(target, "new")
    assert target.read_text() == "new"
