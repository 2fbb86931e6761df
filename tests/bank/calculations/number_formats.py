"""Questions on bits per weight, scales and rounding to a grid."""

from fractions import Fraction
from math import isqrt

from tests.bank.calculations.exact import GIGA, MEGA, of, rounded, solves

# All positive normal values of E4M3: four exponent bits with bias 7, three mantissa bits, and the
# all-ones pattern taken by not-a-number.
half = Fraction(1, 2)
E4M3 = sorted(
    Fraction(2) ** exponent * (8 + mantissa) / 8
    for exponent in range(-6, 9)
    for mantissa in range(8)
    if (exponent, mantissa) != (8, 7)
)


@solves("bits-by-sensitivity")
def bits_by_sensitivity(params_b, keep_pct):
    average = (keep_pct * 8 + (100 - keep_pct) * 4) / 100
    return {
        "answer": average,
        "avg_bits": average,
        "size_gb": params_b * GIGA * average / 8 / GIGA,
        "full_gb": params_b * GIGA * 16 / 8 / GIGA,
    }


@solves("eight-bit-by-hand")
def eight_bit_by_hand(absmax, r):
    step = absmax / 127
    code = min(range(-127, 128), key=lambda c: abs(c * step - r))
    assert (of("4.1") + 1) / 255 == of("0.02")
    assert 1 / of("0.02") == 50
    return {
        "answer": code * step,
        "step": step,
        "code": code,
        "recovered": code * step,
        "half_step": step / 2,
    }


@solves("one-value-two-grids")
def one_value_two_grids(peak, r):
    int8 = peak / 127
    assert abs(r) < int8 / 2, "INT8 rounds the entry to zero"
    assert max(E4M3) == 448
    scale = peak / 448
    code = min(E4M3, key=lambda value: abs(value - r / scale))
    nearest = E4M3.index(code)
    below = E4M3[nearest] - E4M3[nearest - 1]
    return {
        "answer": code * scale,
        "int8_exact": int8,
        "int8_step": rounded(int8, 3),
        "fp8_scale": scale,
        "scaled": r / scale,
        "spacing": below,
        "code": code,
        "recovered": code * scale,
        "error_pct": rounded(100 * (code * scale - r) / r, 2),
        "top_gap": (E4M3[-1] - E4M3[-2]) * scale,
    }


@solves("reading-gguf-names")
def reading_gguf_names(params_b):
    super_block = 256 * 4 + 8 * (6 + 6) + 2 * 16
    assert Fraction(super_block, 256) == of("4.5")
    return {
        "answer": params_b * of("4.89") / 8,
        "file_gb": params_b * of("4.89") / 8,
        "naive_gb": params_b * 4 / 8,
    }


@solves("where-scales-live")
def where_scales_live(group):
    weights = 4096 * 4096
    codes, scales = 4 * weights, 16 * weights / group
    return {
        "answer": (codes + scales) / weights,
        "bits": (codes + scales) / weights,
        "overhead": scales / weights,
        "matrix_mb": rounded((codes + scales) / 8 / MEGA, 2),
    }


@solves("rotating-outliers-away")
def rotating_outliers_away(outlier, dim):
    root = isqrt(int(dim))
    assert root * root == dim, "a Hadamard matrix of this size has rational entries"
    held = outlier / root
    before, after = outlier / 7, (4 + held) / 7
    assert before / 2 > 4, "unrotated, even the largest noise is rounded to zero"
    assert after < 2, "rotated, channels of size one get codes"
    return {
        "answer": held,
        "root": root,
        "spread": rounded(held, 2),
        "spread_exact": held,
        "step_before": rounded(before, 1),
        "step_before_exact": before,
        "step_after": rounded(after, 2),
        "step_after_exact": after,
        "ratio": rounded(before / after),
    }


@solves("fp4-needs-blocks")
def fp4_needs_blocks(peak, params_b):
    # E2M1 has bias 1: exponents 0 to 2 with one fraction bit, and a subnormal half.
    values = sorted({Fraction(2) ** e * (2 + m) / 2 for e in range(3) for m in range(2)} | {half})
    assert values == [half, 1, 1 + half, 2, 3, 4, 6]
    scale = peak / values[-1]
    zero_below = scale * values[0] / 2
    assert zero_below > of("0.02"), "ordinary weights are lost"
    mx_bits, nv_bits = 4 + Fraction(8, 32), 4 + Fraction(8, 16)
    return {
        "answer": params_b * nv_bits / 8,
        "scale": rounded(scale, 2),
        "zero_below": zero_below,
        "mx_exact": params_b * mx_bits / 8,
        "mx_gb": rounded(params_b * mx_bits / 8, 1),
        "nv_exact": params_b * nv_bits / 8,
        "nv_gb": rounded(params_b * nv_bits / 8, 1),
    }
