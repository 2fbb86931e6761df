"""Rubrics that the tests of the offline judge share."""

from grader.domain.question import Question


def paging_question():
    return Question.model_validate(
        {
            "id": "paging",
            "topic": "kv-cache",
            "prompt": "How does paged attention manage the memory of the KV cache?",
            "glossary": [{"term": "KV cache", "heard_as": ["k v cash"]}],
            "signals": [
                {
                    "id": "no-waste",
                    "statement": "Fixed-size blocks nearly remove fragmentation of the KV cache.",
                    "weight": 3,
                    "kind": "positive",
                    "accept": [
                        "Equal pages leave waste only in the final block of a sequence",
                        "No large contiguous reservation is needed, so little memory is wasted",
                        "Internal waste is bounded by one block per request",
                    ],
                    "reject": ["Paging swaps idle sequences to disk to make room"],
                    "terms": [["block", "page"], ["fragmentation", "waste", "wasted"]],
                },
                {
                    "id": "block-size",
                    "statement": "A block usually holds 16 tokens.",
                    "weight": 1,
                    "kind": "positive",
                    "accept": ["Sixteen tokens fit into one block"],
                    "numbers": [{"value": 16, "unit": "tokens"}],
                },
                {
                    "id": "approximate",
                    "statement": "Paging makes attention approximate.",
                    "weight": 2,
                    "kind": "negative",
                    "accept": [
                        "Paged attention only approximates the exact attention output",
                        "Results are an approximation because of the blocks",
                    ],
                },
            ],
        }
    )
