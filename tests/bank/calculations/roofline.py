"""Questions on bytes against arithmetic: decode floors, ridge points, utilisation."""

from fractions import Fraction
from math import floor

from tests.bank.calculations.cache_memory import token_bytes
from tests.bank.calculations.exact import GIGA, KILO, MEGA, of, rounded, solves

TERA = 10**12
H100_FLOPS = 989 * TERA
H100_BYTES = of("3.35") * TERA


@solves("one-read-many-tokens")
def one_read_many_tokens(batch):
    cache = Fraction(128 * 1024 * 4096)
    assert cache == token_bytes(32) * 4096
    weights = 16 * GIGA

    def step(sequences):
        return (weights + sequences * cache) / H100_BYTES

    rate = batch / step(batch)
    return {
        "answer": rate,
        "rate_exact": rate,
        "rate": rounded(rate),
        "single_rate": rounded(1 / step(1)),
        "step_ms": step(batch) * KILO,
        "step_show": rounded(step(batch) * KILO, 1),
        "gain": rounded(rate * step(1), 1),
        "cache_show": rounded(batch * cache / GIGA, 1),
        "limit": rounded(H100_BYTES / cache),
    }


@solves("decode-floor-ms")
def decode_floor_ms(params_b, bandwidth):
    weights = params_b * GIGA * 2
    seconds = weights / (bandwidth * TERA)
    measured = rounded(seconds * KILO * of("1.4"), 1)
    return {
        "answer": seconds * KILO,
        "weight_gb": weights / GIGA,
        "floor_exact": seconds * KILO,
        "floor_ms": rounded(seconds * KILO, 2),
        "rate": rounded(1 / seconds),
        "measured_ms": measured,
        "share": rounded(100 * seconds * KILO / measured),
    }


@solves("levers-from-one-number")
def levers_from_one_number(params_b, bandwidth):
    def read_ms(bytes_per_weight):
        return params_b * GIGA * bytes_per_weight / (bandwidth * TERA) * KILO

    ridge = H100_FLOPS / (bandwidth * TERA)
    return {
        "answer": read_ms(1),
        "bf16_exact": read_ms(2),
        "bf16_ms": rounded(read_ms(2), 2),
        "eight_exact": read_ms(1),
        "eight_ms": rounded(read_ms(1), 2),
        "ridge": rounded(ridge),
        "989 / bandwidth": ridge,
        "three_ms": rounded(read_ms(2) / 3, 2),
    }


@solves("why-decode-starves-the-cores")
def why_decode_starves_the_cores(params_b):
    operations = params_b * GIGA * 2
    read = params_b * GIGA * 2
    return {
        "answer": H100_FLOPS / H100_BYTES,
        "gflop": operations / GIGA,
        "weight_gb": read / GIGA,
        "memory_ms": rounded(read / H100_BYTES * KILO, 2),
        "compute_us": rounded(operations / H100_FLOPS * MEGA),
        "ridge": rounded(H100_FLOPS / H100_BYTES),
    }


@solves("flops-of-a-forward-pass")
def flops_of_a_forward_pass(params_b, prompt_tokens):
    token = 2 * params_b * GIGA
    prompt = token * prompt_tokens
    seconds = prompt / (H100_FLOPS / 2)
    return {
        "answer": seconds * KILO,
        "per_token": token / GIGA,
        "total": rounded(prompt / TERA, 1),
        "total_raw": prompt / TERA,
        "ms": rounded(seconds * KILO),
        "ms_raw": seconds * KILO,
        "six": 6 * params_b,
    }


@solves("intensity-against-ridge")
def intensity_against_ridge(rows, bandwidth):
    side = 8192
    operations = 2 * rows * side * side
    moved = 2 * (side * side + rows * side + rows * side)
    intensity = Fraction(operations) / moved
    ridge = H100_FLOPS / (bandwidth * TERA)
    assert intensity < ridge, "the layer is memory-bound as it stands"
    reach = intensity * bandwidth * TERA
    seconds = moved / (bandwidth * TERA)

    def turned(count):
        return Fraction(count * side * side, side * side + 2 * count * side) >= ridge

    first = next(count for count in range(1, side) if turned(count))
    # The boundary itself is no whole number; the question rounds it to the nearer side.
    boundary = ridge * side / (side - 2 * ridge)
    assert first - 1 < boundary <= first
    return {
        "answer": intensity,
        "gflop": rounded(operations / GIGA, 1),
        "gflop_raw": operations / GIGA,
        "mb": rounded(moved / MEGA),
        "mb_raw": moved / MEGA,
        "intensity": rounded(intensity, 1),
        "intensity_raw": intensity,
        "ridge": rounded(ridge),
        "ridge_raw": ridge,
        "reach": rounded(reach / TERA),
        "percent": rounded(100 * reach / H100_FLOPS),
        "micros": rounded(seconds * MEGA),
        "micros_raw": seconds * MEGA,
        "flip": rounded(boundary),
    }


@solves("gpu-busy-not-efficient")
def gpu_busy_not_efficient(params_b, batch, step_ms, kv_gb):
    seconds = step_ms / KILO
    read = (params_b * 2 + kv_gb) * GIGA
    operations = 2 * params_b * GIGA * batch
    used = read / seconds / H100_BYTES
    assert used < 1, "no step beats the data sheet"
    return {
        "answer": rounded(100 * used, 1),
        "bytes_gb": read / GIGA,
        "achieved_tbs": rounded(read / seconds / TERA, 2),
        "achieved_tflops": rounded(operations / seconds / TERA, 1),
        "mbu_pct": rounded(100 * used, 1),
        "mfu_pct": rounded(100 * operations / seconds / H100_FLOPS, 2),
        "weights_only_pct": rounded(100 * params_b * 2 * GIGA / seconds / H100_BYTES, 1),
        "floor_ms": rounded(read / H100_BYTES * KILO, 1),
    }


@solves("w4a16-crossover")
def w4a16_crossover(bandwidth):
    # Per weight and sequence: two operations, half a byte read for the whole batch.
    flops, rate = H100_FLOPS, bandwidth * TERA
    knee = Fraction(1, 2) / rate / (2 / Fraction(flops))
    end = 2 / rate / (2 / Fraction(flops))
    batch = 128
    assert knee < batch < end
    gain = (2 / rate) / (2 * batch / Fraction(flops))
    return {
        "answer": knee,
        "knee": knee,
        "knee_show": rounded(knee),
        "ridge": end,
        "end_show": rounded(end),
        "gain": rounded(gain, 1),
        "gain_exact": gain,
    }


@solves("fusing-an-elementwise-chain")
def fusing_an_elementwise_chain(tokens):
    tensor = tokens * 8192 * 2
    assert tensor > 50 * MEGA, "larger than the L2 cache"
    add_bias, gelu, scale, residual = 2, 2, 2, 3
    unfused, fused = (add_bias + gelu + scale + residual) * tensor, 3 * tensor
    return {
        "answer": fused / H100_BYTES * MEGA,
        "tensor_mb": rounded(tensor / MEGA, 1),
        "unfused_mb": rounded(unfused / MEGA),
        "fused_mb": rounded(fused / MEGA),
        "unfused_us": rounded(unfused / H100_BYTES * MEGA),
        "fused_us": rounded(fused / H100_BYTES * MEGA),
    }


@solves("gemv-bytes-in-flight")
def gemv_bytes_in_flight(latency):
    # Little's law: what is under way equals the rate times the time it is under way.
    chip = H100_BYTES * latency / GIGA
    each = chip / 132
    return {
        "answer": each / KILO,
        "total_mb": rounded(chip / MEGA, 2),
        "per_sm / 1000": each / KILO,
        "per_sm_kb": rounded(each / KILO, 1),
        "loads_wide": rounded(each / 16),
        "scalar_share": rounded(100 * 2048 * 2 / each),
    }


@solves("nvlink-against-pcie")
def nvlink_against_pcie(tokens):
    message = tokens * 8192 * 2
    sent = 80 * 2 * message * 2 * Fraction(7, 8)
    nvlink, pcie = sent / (900 * GIGA / 2), sent / (64 * GIGA)
    compute = 2 * 70 * GIGA * tokens / Fraction(8 * H100_FLOPS)
    return {
        "answer": pcie * KILO,
        "message_mb": rounded(message / MEGA),
        "sent_gb": sent / GIGA,
        "sent_show": rounded(sent / GIGA, 1),
        "nvlink_ms": nvlink * KILO,
        "nvlink_show": rounded(nvlink * KILO),
        "pcie_ms": pcie * KILO,
        "pcie_show": rounded(pcie * KILO),
        "compute_ms": compute * KILO,
        "compute_show": rounded(compute * KILO),
    }


@solves("speculative-decoding-algebra")
def speculative_decoding_algebra(alpha, gamma, draft_cost):
    # The k-th proposal counts when all before it were accepted; the target adds one token.
    tokens = sum(alpha**k for k in range(int(gamma) + 1))
    positions = gamma + 1
    speedup = rounded(tokens / (1 + gamma * draft_cost), 2)
    return {
        "answer": speedup,
        "round_tokens": rounded(tokens, 2),
        "speedup": speedup,
        "positions": positions,
        "limit_batch": floor(H100_FLOPS / H100_BYTES / positions),
    }


@solves("size-the-kv-transfer")
def size_the_kv_transfer(prompt_k):
    tokens = prompt_k * 1000
    cache = tokens * token_bytes(80)
    rdma, ethernet = cache * 8 / (400 * GIGA), cache * 8 / (10 * GIGA)
    prefill = 2 * 70 * GIGA * tokens / (4000 * TERA)
    assert rdma < prefill < ethernet, "only the fast network hides the transfer"
    return {
        "answer": rdma * KILO,
        "kv_exact": cache / GIGA,
        "kv_gb": rounded(cache / GIGA, 2),
        "rdma_exact": rdma * KILO,
        "rdma_ms": rounded(rdma * KILO, 1),
        "ether_exact": ethernet * KILO,
        "ether_ms": rounded(ethernet * KILO),
        "prefill_exact": prefill * KILO,
        "prefill_ms": rounded(prefill * KILO),
    }


@solves("tp-decode-over-pcie")
def tp_decode_over_pcie(batch, rate):
    message = batch * 5120 * 2
    wire = message * of("1.5") / (rate * GIGA)
    each = of("40e-6") + wire
    exchange = 64 * 2 * each
    weights = Fraction(32 * GIGA * 2, 4 * 864 * GIGA)
    step = exchange + weights
    return {
        "answer": exchange * KILO,
        "message_show": rounded(message / KILO),
        "wire_show": rounded(wire * MEGA),
        "each_show": rounded(each * MEGA),
        "total_ms": exchange * KILO,
        "total_show": rounded(exchange * KILO, 1),
        "share_show": rounded(100 * exchange / step),
        "step_show": rounded(step * KILO, 1),
    }
