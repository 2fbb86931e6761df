"""Questions on mixtures of experts."""

from fractions import Fraction
from math import ceil

from tests.bank.calculations.exact import GIGA, KILO, of, rounded, solves


@solves("expert-coverage")
def expert_coverage(batch):
    missed_by_one = Fraction(256 - 8, 256)
    read = sum(1 - missed_by_one**batch for _expert in range(256))
    return {
        "answer": read,
        "hot_exact": read,
        "hot": rounded(read),
        "share": rounded(100 * read / 256),
        "gain": rounded(8 / (read / batch), 1),
        "gain_exact": 8 / (read / batch),
    }


@solves("which-parameter-count")
def which_parameter_count(total_b, active_b):
    weights, read = total_b * GIGA, active_b * GIGA
    step = read / (of("3.35") * 10**12)
    return {
        "answer": step * KILO,
        "nodes": ceil(weights / (8 * 80 * GIGA)),
        "gflop": 2 * active_b,
        "floor_exact": step * KILO,
        "floor_ms": rounded(step * KILO, 1),
    }
