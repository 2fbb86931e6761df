"""The real process: from nothing to a grade, through a kill, and back."""

import contextlib
import json
import signal
import stat
import subprocess
import sys

import pytest
from standardwebhooks import Webhook as Verifier

from bench.mock_llm import MockProcess
from tests.api.processes import START_S, running
from tests.api.receiver import Receiver

ANSWER = "Softmax weights must sum to one, so the mass is dumped on the first tokens."
GIVEN = {"question_id": "attention-sinks", "text": ANSWER}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("serve")


def arguments(folder):
    return ("serve", "--data", str(folder / "data"), "--port", "0", "--no-ui")


@contextlib.contextmanager
def served(folder, **environment):
    with running(folder, *arguments(folder), environment=environment) as process:
        process.key = (folder / "data" / "admin.key").read_text().strip()
        yield process


def test_from_nothing_to_a_grade_and_through_a_kill(folder):
    key_file = folder / "data" / "admin.key"
    repeated = {"Idempotency-Key": "before-the-kill"}
    other = {**GIVEN, "text": "Another answer."}
    with served(folder) as first:
        assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
        assert any(key_file.read_text().strip() in line for line in first.said)
        assert first.call("/readyz")[2]["ready"] is True
        status, _, graded = first.call("/v1/submissions?wait=60", GIVEN)
        assert (status, graded["status"]) == (200, "done")
        waiting = first.call("/v1/submissions", other, **repeated)[2]
        first.end(signal.SIGKILL)
    with served(folder) as second:
        assert not any("admin key" in line for line in second.said)
        seen = second.call(f"/v1/submissions/{graded['id']}")[2]
        assert seen["grade"] == graded["grade"]
        done = second.call(f"/v1/submissions/{waiting['id']}?wait=60")[2]
        assert done["status"] == "done"
        assert second.call("/v1/submissions", other, **repeated)[2]["id"] == waiting["id"]
        assert second.end(signal.SIGTERM) == 0
    log = second.log_path.read_text()
    for secret in (ANSWER, other["text"], key_file.read_text().strip()):
        assert secret not in log
    for line in log.splitlines():
        json.loads(line)


def test_a_second_process_on_the_same_folder_is_refused(folder):
    with served(folder):
        other = subprocess.run(
            [sys.executable, "-m", "grader.cli", *arguments(folder)],
            capture_output=True,
            text=True,
            timeout=START_S,
            check=False,
        )
    assert other.returncode == 3
    assert "another process serves" in other.stderr


def test_a_model_judges_where_one_is_set_and_test_keys_never_reach_it(tmp_path):
    with MockProcess(verdict="tests.cli.scripted:verdict") as model:
        setting = {
            "GRADER_JUDGE": "llm",
            "GRADER_LLM_MODELS": "openai/scripted",
            "GRADER_LLM_API_BASE": model.base_url,
            "GRADER_LLM_PRICE_IN": "1",
            "GRADER_LLM_PRICE_OUT": "2",
            "OPENAI_API_KEY": "none",
        }
        with served(tmp_path, **setting) as process:
            graded = process.call("/v1/submissions?wait=60", GIVEN)[2]
            assert {v["judge"] for v in graded["grade"]["verdicts"]} == {"llm-1:openai/scripted"}
            asked = model.stats()["requests"]
            made = process.call("/v1/keys", {"name": "t", "scopes": ["admin"], "test": True})[2]
            process.key = made["key"]
            trial = process.call("/v1/submissions?wait=60", {**GIVEN, "text": "A trial."})[2]
            assert trial["status"] == "done"
            assert all("llm" not in v["judge"] for v in trial["grade"]["verdicts"])
            assert model.stats()["requests"] == asked


def test_a_webhook_is_told_of_a_grade_and_can_trust_it(tmp_path):
    setting = {
        "GRADER_WEBHOOKS_ALLOW_NETWORKS": "127.0.0.0/8",
        "GRADER_WEBHOOKS_ALLOW_HTTP": "1",
    }
    with Receiver() as receiver, served(tmp_path, **setting) as process:
        given = {
            "url": f"http://127.0.0.1:{receiver.port}/in",
            "events": ["submission.graded"],
        }
        made = process.call("/v1/webhooks", given)[2]
        graded = process.call("/v1/submissions?wait=60", GIVEN)[2]
        assert receiver.arrived.wait(START_S)
    headers, body = receiver.received[0]
    message = Verifier(made["secret"]).verify(body, {k.lower(): v for k, v in headers.items()})
    assert message["data"]["submission_id"] == graded["id"]
    assert message["data"]["score"] == graded["grade"]["score"]
    assert ANSWER.encode() not in body
