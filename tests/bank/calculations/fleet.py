"""Questions on replicas, traffic and money."""

from fractions import Fraction
from math import ceil, floor

from tests.bank.calculations.cache_memory import token_bytes
from tests.bank.calculations.exact import GIGA, KILO, MEGA, of, rounded, solves


@solves("when-a-shared-beginning-pays")
def when_a_shared_beginning_pays(shared):
    total = shared + 800
    share = 100 * (1 - 800 / total)
    assert Fraction(800, 16_000) == of("0.05")
    return {
        "answer": share,
        "total": total,
        "before": rounded(total / 16_000, 2),
        "share": rounded(share),
    }


@solves("fleet-by-arithmetic")
def fleet_by_arithmetic(rps, prompt_tokens, reply_tokens):
    prefill = rps * prompt_tokens / 12_000
    decode = rps * reply_tokens / 2_000
    assert prefill > decode, "input is the larger share"
    replicas = ceil((prefill + decode) / of("0.7"))
    return {
        "answer": replicas,
        "replicas": replicas,
        "prompt_rate": rps * prompt_tokens,
        "reply_rate": rps * reply_tokens,
        "load": rounded(prefill + decode, 2),
        "dollars_hour": replicas * 10,
        "dollars_thousand": rounded(replicas * 10 / (rps * 3600) * KILO, 2),
        "prompt_share": rounded(100 * prefill / (prefill + decode)),
    }


@solves("tokens-not-requests")
def tokens_not_requests(rps):
    busy = rps * 2_000 / 20_000 + rps * 400 / 3_000
    present = rps * of("12.5")
    # A request holds its prompt from the start and, on average, half of its answer.
    held = present * (2_000 + Fraction(400, 2))
    by_time, by_cache = ceil(busy / of("0.7")), ceil(held / 60_000)
    assert by_cache > by_time, "memory decides"
    return {
        "answer": by_cache,
        "in_rate": rps * 2_000,
        "out_rate": rps * 400,
        "busy": busy,
        "busy_show": rounded(busy, 2),
        "by_time": by_time,
        "in_flight": present,
        "resident_k": held / KILO,
        "by_cache": by_cache,
        "naive": ceil(rps / 25),
    }


@solves("api-or-own-gpus")
def api_or_own_gpus(api, gpu_hour, rate):
    month = 8 * gpu_hour * 730 + 10_000
    even = month / api * MEGA
    capacity = rate * 3600 * 730
    return {
        "answer": even / GIGA,
        "fixed_month": month,
        "be_b": even / GIGA,
        "cap_b": capacity / GIGA,
        "share": 100 * even / capacity,
        "fifth_price": month / (capacity / 5 / MEGA),
        "full_price": month / (capacity / MEGA),
    }


@solves("same-tokens-fewer-gpus")
def same_tokens_fewer_gpus(gpus, price, tokens_b):
    millions = tokens_b * GIGA / MEGA
    before = gpus * price * 730
    # Useful work per GPU grows by the FP8 factor and by the rise of the average load.
    left = ceil(gpus / (of("1.6") * Fraction(40, 25)))
    after = ((left - 4) * price + 4 * price * (1 - of("0.6"))) * 730
    return {
        "answer": after / millions,
        "before_month": before,
        "before": before / millions,
        "left": left,
        "after_month": after,
        "after": after / millions,
        "saved": 100 * (before - after) / before,
    }


@solves("metrics-from-one-stream")
def metrics_from_one_stream(queue, stall):
    first = queue + 220
    sent = [first]
    for token in range(2, 102):
        sent.append(sent[-1] + (stall if token == 61 else 25))
    decode = sent[-1] - first
    mean = decode / (len(sent) - 1)
    assert first > 500, "the promise for the first token is missed"
    assert mean <= 40, "the promise per token is kept"
    assert queue > first / 2, "waiting is the larger part"
    return {
        "answer": mean,
        "ttft": first,
        "decode": decode,
        "tpot_exact": mean,
        "tpot": rounded(mean, 1),
        "total": sent[-1],
        "total_s": rounded(sent[-1] / KILO, 2),
        "wrong_tpot": rounded(sent[-1] / len(sent), 1),
    }


@solves("static-batch-waste")
def static_batch_waste(long_prompt, long_out):
    def unused_share(lengths):
        return 100 * sum(max(lengths) - length for length in lengths) / (4 * max(lengths))

    ends = long_out * 20 / KILO
    return {
        "answer": ends - Fraction(100 * 20, KILO),
        "pad_share": unused_share([100, 200, 300, long_prompt]),
        "idle_share": unused_share([50, 150, 400, long_out]),
        "group_s": ends,
        "wait_s": ends - Fraction(100 * 20, KILO),
    }


@solves("tokens-per-watt")
def tokens_per_watt(cap):
    count_a, count_b = floor(cap / of("10.2")), floor(cap / 6)
    out_a, out_b = count_a * 24, count_b * 18
    assert out_b > out_a, "B fills the hall better"
    return {
        "answer": out_b,
        "count_a": count_a,
        "count_b": count_b,
        "out_a": out_a,
        "out_b": out_b,
        "gain": rounded(Fraction(100 * (out_b - out_a), out_a)),
    }


@solves("size-a-chat-deployment")
def size_a_chat_deployment(peak, goodput):
    cache = Fraction(32 * 4096 * token_bytes(80), GIGA)
    memory = 140 + cache
    assert rounded(cache) == 43 and rounded(memory) == 183
    usable = 80 * of("0.9")
    # A tensor-parallel group has to divide the eight key/value heads evenly.
    group = next(size for size in (1, 2, 4, 8) if size * usable >= memory)
    assert group == 4
    design = peak + peak * of("0.3")
    instances = ceil(design / goodput)
    wrong = ceil(design / (2 * goodput))
    assert wrong < instances
    return {
        "answer": instances * group,
        "average": peak / 4,
        "saturated": 2 * goodput,
        "design": rounded(design, 1),
        "instances": instances,
        "gpus": instances * group,
        "wrong_instances": wrong,
    }


@solves("halve-the-million-tokens")
def halve_the_million_tokens(price, gpus, rate, load):
    bill = price * gpus
    millions = rate * 3600 / MEGA
    full = bill / millions
    real = bill / (millions * load / 100)
    return {
        "answer": real,
        "bill": bill,
        "hourly_full": millions,
        "cost_exact": full,
        "cost": rounded(full, 2),
        "real_exact": real,
        "real": rounded(real, 2),
        "half": rounded(real / 2, 2),
        "double_load": load * 2,
    }
