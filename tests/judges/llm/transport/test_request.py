"""Content keys: everything that decides the reply, and nothing else."""

import json

from hypothesis import given
from hypothesis import strategies as st

from grader.judges.llm.transport import CompletionRequest, Endpoint, Message
from tests.judges.llm.transport.fakes import ENDPOINT, ask

BASE = ask(params={"temperature": 0})


def test_whatever_decides_the_reply_changes_the_key() -> None:
    others = [
        ask("other", params={"temperature": 0}),
        ask(params={"temperature": 1}),
        ask(params={"temperature": 0}, schema=None),
        ask(params={"temperature": 0}, sample=1),
        ask(params={"temperature": 0}, tenant="other"),
        ask(params={"temperature": 0}, max_output_tokens=7),
    ]
    keys = {r.key(ENDPOINT) for r in [BASE, *others]}
    keys.add(BASE.key(Endpoint(model="openai/other")))
    keys.add(BASE.key(Endpoint(model=ENDPOINT.model, api_base="http://127.0.0.1:1/v1")))
    assert len(keys) == len(others) + 3


def test_run_deadline_and_the_order_of_parameters_do_not() -> None:
    one = ask(params={"temperature": 0, "seed": 1}, run="a", deadline_s=1.0)
    two = ask(params={"seed": 1, "temperature": 0}, run="b", deadline_s=2.0)
    assert one.key(ENDPOINT) == two.key(ENDPOINT)


@given(st.lists(st.text(max_size=30), min_size=1, max_size=3))
def test_texts_cannot_run_into_each_other(texts: list[str]) -> None:
    joined = CompletionRequest((Message("user", "".join(texts)),))
    apart = CompletionRequest(tuple(Message("user", text) for text in texts))
    assert (joined.key(ENDPOINT) == apart.key(ENDPOINT)) is (len(texts) == 1)


@given(st.text(max_size=200))
def test_the_worst_case_counts_every_byte_of_the_prompt(text: str) -> None:
    request = CompletionRequest((Message("user", text),))
    assert request.worst_prompt_tokens > len(text.encode())
    assert request.likely_prompt_tokens <= request.worst_prompt_tokens


def test_the_content_is_canonical_json() -> None:
    assert json.loads(BASE.content)["messages"][1] == {"role": "user", "content": "hello"}
