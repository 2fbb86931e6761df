"""Figures that are the same for every learner."""

from fractions import Fraction

from tests.bank.calculations.cache_memory import token_bytes
from tests.bank.calculations.exact import GIGA, KIB, KILO, MEGA, fixes, of, rounded

TERA = 10**12


@fixes("flashattention-recurrence-io")
def flashattention_recurrence_io():
    tokens, dimension, element = 8192, 64, 2
    operand = tokens * dimension * element
    matrix = tokens * tokens * element
    scores_and_probabilities, written_and_read = 2, 2
    unfused = scores_and_probabilities * written_and_read * matrix + 4 * operand
    tiles = tokens // 128
    tiled = tiles * 2 * operand + 2 * operand
    return {"unfused-bytes": (unfused / MEGA,), "tiled-bytes": (tiled / MEGA,)}


@fixes("latent-attention-cache")
def latent_attention_cache():
    kept, full = 512 + 64, 2 * 128 * 128
    assert rounded(Fraction(full, kept)) == 57
    return {"size-figure": (kept,)}


@fixes("continuous-batching-gain")
def continuous_batching_gain():
    short = Fraction(3, 4)
    longest = 100 * short**16 + 900 * (1 - short**16)
    mean = 100 * short + 900 * (1 - short)
    assert rounded(longest) == 892
    assert mean == 300
    return {"gain-figure": (longest / mean,), "bend-figure": (989 / of("3.35"),)}


@fixes("static-against-continuous")
def static_against_continuous():
    lengths = [2, 8, 3, 5, 4, 3]
    grouped = max(lengths[:4]) + max(lengths[4:])
    slots, waiting, steps = [0] * 4, list(lengths), 0
    while waiting or any(slots):
        slots = [left or (waiting.pop(0) if waiting else 0) for left in slots]
        slots = [max(left - 1, 0) for left in slots]
        steps += 1
    shares = [Fraction(100 * sum(lengths), 4 * count) for count in (grouped, steps)]
    return {"fixed-twelve": (grouped,), "per-step-eight": (steps,), "shares": tuple(shares)}


@fixes("prefix-cache-blocks")
def prefix_cache_blocks():
    assert 1990 // 16 == 124
    return {"full-blocks-only": (1990 // 16 * 16,)}


@fixes("ttft-regression-from-counters")
def ttft_regression_from_counters():
    before, after = of("1.31") / of("1.50"), of("0.08") / of("1.51")
    return {"hit-rate-collapse": (100 * before, 100 * after)}


@fixes("hosting-memory-and-levers")
def hosting_memory_and_levers():
    return {"weights-bytes": (70 * 2,), "cache-per-token": (token_bytes(80),)}


@fixes("size-a-chat-deployment")
def size_a_chat_deployment():
    cache = Fraction(32 * 4096 * token_bytes(80), GIGA)
    return {"cache-size": (cache,), "instance-memory": (cache + 140,)}


@fixes("tokens-per-watt")
def tokens_per_watt():
    def cents(kilowatts, tokens_per_second):
        return kilowatts * of("1.4") * 15 / Fraction(tokens_per_second * 3600, MEGA)

    def whole_cents(kilowatts, tokens_per_second, price):
        hourly = Fraction(100 * price, 35_040)
        return cents(kilowatts, tokens_per_second) + hourly / Fraction(
            tokens_per_second * 3600, MEGA
        )

    return {
        "energy-cents": (cents(of("10.2"), 24_000), cents(of("6"), 18_000)),
        "whole-cost": (
            whole_cents(of("10.2"), 24_000, 300_000),
            whole_cents(of("6"), 18_000, 260_000),
        ),
    }


@fixes("levers-from-one-number")
def levers_from_one_number():
    return {"one-operation-per-byte": (Fraction(2, 2),)}


@fixes("why-decode-starves-the-cores")
def why_decode_starves_the_cores():
    return {"ridge-295": (989 / of("3.35"),)}


@fixes("draw-the-roofline")
def draw_the_roofline():
    return {"ridge-153": (312 / of("2.04"),)}


@fixes("flops-of-a-forward-pass")
def flops_of_a_forward_pass():
    return {"matrix-product-60": (Fraction(2 * 512 * 4096 * 14336, GIGA),)}


@fixes("fp16-against-bf16")
def fp16_against_bf16():
    # Ten fraction bits; the largest exponent of five bits with bias 15 that is no infinity is 15.
    return {"fp16-limit": ((2 - Fraction(1, 2**10)) * 2**15,)}


@fixes("memory-hierarchy")
def memory_hierarchy():
    # Sixteen lanes of 32 gigatransfers a second, one bit each; line coding takes 1.5 per cent more.
    link = Fraction(16 * 32 * GIGA, 8)
    assert rounded(of("3.35") * TERA / link) == 52, "about fifty times"
    return {"hbm-figures": (of("3.35"),), "host-link-cliff": (link / GIGA,)}


@fixes("sram-only-chip-against-gpu")
def sram_only_chip_against_gpu():
    return {"chip-count": (Fraction(70 * GIGA, 230 * MEGA),)}


@fixes("kv-capacity-ceiling")
def kv_capacity_ceiling():
    return {"kv-per-token": (Fraction(token_bytes(80), KIB),)}


@fixes("shrinking-the-cache")
def shrinking_the_cache():
    return {"one-sequence-gb": (Fraction(131_072 * token_bytes(80), GIGA),)}


@fixes("active-and-total-parameters")
def active_and_total_parameters():
    return {"arithmetic-follows-active": (2 * 22,), "memory-follows-total": (2 * 235,)}


@fixes("capacity-heavy-flop-light")
def capacity_heavy_flop_light():
    return {"memory-by-total": (of("46.7") * 2,)}


@fixes("image-as-prompt")
def image_as_prompt():
    return {"tiles-total": ((12 + 1) * 256,)}


@fixes("four-node-layout")
def four_node_layout():
    weights = 405 * 2
    assert 8 * 80 < weights < 2 * 8 * 80
    return {"does-not-fit-node": (weights,), "handover-bytes": (Fraction(16384 * 2, KIB),)}


@fixes("tp-allreduce-floor")
def tp_allreduce_floor():
    exchange = Fraction(80 * 2 * 10, KILO)

    def read(cards):
        return 140 * GIGA / (cards * of("3.35") * TERA) * KILO

    def step(cards):
        return read(cards) + exchange

    assert [rounded(read(n), 1) for n in (2, 4, 8)] == [of("20.9"), of("10.4"), of("5.2")]
    assert rounded(step(2) / step(4), 2) == of("1.87")
    assert 8 * 80 - 2 * 140 == 360
    return {
        "fixed-communication": (exchange,),
        "weight-time-halves": (read(8),),
        "shrinking-gain": (step(4) / step(8),),
        "tp8-for-kv-room": (8 * 80 - 140,),
        "answer": (step(8),),
    }


@fixes("eight-bit-by-hand")
def eight_bit_by_hand():
    scale = (of("4.1") + 1) / 255
    return {"affine-constants": (1 / scale, scale)}


@fixes("reading-gguf-names")
def reading_gguf_names():
    return {"four-and-a-half": (Fraction(256 * 4 + 8 * 12 + 2 * 16, 256),)}


@fixes("chunked-prefill-budget")
def chunked_prefill_budget():
    rate = 16_000 / of("0.8")
    slice_tokens = 2048 - 40
    assert -(-16_000 // slice_tokens) == 8
    return {"gap-set-by-budget": (slice_tokens / rate * KILO,)}


@fixes("prefill-decode-separation")
def prefill_decode_separation():
    return {"transfer-size": (Fraction(20_000 * token_bytes(80), GIGA),)}


@fixes("detect-track-recognise")
def detect_track_recognise():
    assert 5 * 25 * 8 == 1000, "a whole GPU"
    return {"naive-load": (5 * 25,), "once-per-track": (Fraction(5, 4),)}


@fixes("pixels-stay-on-the-gpu")
def pixels_stay_on_the_gpu():
    return {"frame-bytes": (Fraction(1920 * 1080 * 3, MEGA),)}


@fixes("radix-tree-against-block-hashes")
def radix_tree_against_block_hashes():
    block, system, question, reply = 16, 40, 20, 10
    second, third = system, system + question + reply
    return {
        "second-request-reuse": (second, second // block * block),
        "third-request-reuse": (third, third // block * block),
    }


@fixes("fp4-needs-blocks")
def fp4_needs_blocks():
    return {"bits-per-weight": (4 + Fraction(8, 32), 4 + Fraction(8, 16))}


@fixes("size-the-kv-transfer")
def size_the_kv_transfer():
    return {"bytes-per-token": (token_bytes(80),)}
