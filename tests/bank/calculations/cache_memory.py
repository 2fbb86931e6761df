"""Questions on the size of the key/value cache and what fits beside it."""

from fractions import Fraction
from math import ceil, floor

from tests.bank.calculations.exact import GIGA, KIB, KILO, of, rounded, solves


def token_bytes(layers, kv_heads=8, dimension=128, element=2):
    """Keys and values of one token, in bytes."""
    return 2 * layers * kv_heads * dimension * element


@solves("kv-size-from-a-config")
def kv_size_from_a_config(tokens, users):
    sequence = token_bytes(32) * tokens
    total = sequence * users
    all_heads = token_bytes(32, kv_heads=32) * tokens
    return {
        "answer": total / GIGA,
        "total_gb": total / GIGA,
        "total_show": rounded(total / GIGA, 1),
        "seq_gb": sequence / GIGA,
        "seq_show": rounded(sequence / GIGA, 2),
        "fp8_show": rounded(token_bytes(32, element=1) * tokens * users / GIGA, 1),
        "fit": 56 * GIGA // sequence,
        "wrong_show": rounded(all_heads / GIGA, 2),
    }


@solves("cache-mechanics-and-concurrency")
def cache_mechanics_and_concurrency(layers, free_gb, context):
    token = token_bytes(layers)
    conversation = token * context
    return {
        "answer": free_gb * GIGA // conversation,
        "count": free_gb * GIGA // conversation,
        "token_bytes": token,
        "token_kib": Fraction(token, KIB),
        "chat_gb": rounded(conversation / GIGA, 2),
    }


@solves("kv-capacity-ceiling")
def kv_capacity_ceiling(tp, context):
    assert tp <= 8, "with more ranks than key/value heads the cache would be copied"
    weights = of("70.6") * GIGA * 2 / tp
    room = of("0.9") * 80 * GIGA - weights - 4 * GIGA
    token = token_bytes(80) / tp
    count = floor(room / (token * context))
    return {
        "answer": count,
        "count": count,
        "weights_gb": weights / GIGA,
        "weights_show": rounded(weights / GIGA, 1),
        "room_gb": room / GIGA,
        "room_show": rounded(room / GIGA, 1),
        "card_kib": token / KIB,
        "tokens_k": rounded(floor(room / token) / Fraction(KILO)),
    }


@solves("long-prompt-topples-server")
def long_prompt_topples_server(prompt_tokens, pool_gb):
    document = token_bytes(32) * prompt_tokens / GIGA
    chats = Fraction(token_bytes(32) * 60 * 2000, GIGA)
    assert chats <= pool_gb < chats + document, "only the newcomer overfills the pool"
    assert document < pool_gb, "the document alone would fit"
    return {
        "answer": document,
        "need_gb": document,
        "need_show": rounded(document, 2),
        "chats_show": rounded(chats, 1),
        "short_gb": document + chats - pool_gb,
        "short_show": rounded(document + chats - pool_gb, 1),
        "half_show": rounded(token_bytes(32, element=1) * prompt_tokens / GIGA, 2),
        "worth": prompt_tokens / 2000,
    }


@solves("cache-outweighs-weights")
def cache_outweighs_weights(users, context_k):
    cache = users * context_k * 1024 * token_bytes(32) / GIGA
    assert 16 + cache <= 141, "weights and cache fit the card"
    step = (16 + cache) / of("4.8")
    return {
        "answer": step,
        "context": context_k * 1024,
        "kv_exact": cache,
        "kv_gb": rounded(cache, 1),
        "ratio": rounded(cache / 16, 1),
        "step_exact": step,
        "step_ms": rounded(step, 1),
        "share": rounded(100 * cache / (16 + cache)),
        "int4_ms": rounded((16 / Fraction(4) + cache) / of("4.8"), 1),
    }


@solves("serving-long-thinkers")
def serving_long_thinkers(thinking):
    request = token_bytes(80) * (1000 + thinking)
    minutes = thinking * 25 / 1000 / 60
    return {
        "answer": 400 * GIGA // request,
        "count": 400 * GIGA // request,
        "full_gb": request / GIGA,
        "full_show": rounded(request / GIGA, 1),
        "minutes_raw": minutes,
        "minutes_show": rounded(minutes, 1),
    }


@solves("hosting-memory-and-levers")
def hosting_memory_and_levers(users, context):
    cache = users * context * token_bytes(80) / GIGA
    total = 70 * 2 + cache
    halved = (70 * GIGA + users * context * token_bytes(80, element=1)) / GIGA
    assert 2 < ceil(total / 80) <= 4, "a group of four cards"
    assert halved <= 2 * 80 * of("0.9"), "two cards hold the eight-bit variant"
    return {
        "answer": total,
        "kv_gb": rounded(cache, 1),
        "total_gb": 140 + rounded(cache, 1),
        "total_exact": total,
        "eight_gb": rounded(halved, 1),
    }


@solves("image-as-prompt")
def image_as_prompt(width, height):
    columns, rows = width / 28, height / 28
    assert columns.denominator == rows.denominator == 1, "whole patches"
    halved = (width / 2 / 28) * (height / 2 / 28)
    return {
        "answer": columns * rows,
        "tokens": columns * rows,
        "quarter": halved,
        "half_tokens": columns * rows / 2,
        "times_text": columns * rows / 40,
    }


@solves("capacity-after-thinking")
def capacity_after_thinking(out_new):
    assert 60 / of("0.025") == 2400, "sixty in flight"
    assert rounded(Fraction(1500 * token_bytes(80), GIGA), 2) == of("0.49")
    rate, hold = 2400 / out_new, out_new * of("0.025")
    assert rate * hold == 60
    at_end = (1000 + out_new) * token_bytes(80) / GIGA
    fit = floor(60 / at_end)
    assert fit < 60, "fewer than in flight"
    on_average = (1000 + out_new / 2) * token_bytes(80) / GIGA
    assert 60 * on_average <= 60, "the token rate holds, as half of the output is there on average"
    return {
        "answer": rate,
        "rate_exact": rate,
        "rate": rounded(rate, 2),
        "factor": (Fraction(2400) / 500) / rate,
        "hold": hold,
        "think_s": rounded((out_new - 300) * of("0.025")),
        "kv_exact": at_end,
        "kv_gb": rounded(at_end, 2),
        "fit": fit,
    }
