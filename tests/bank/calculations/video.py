"""Questions on camera streams."""

from fractions import Fraction
from math import floor

from tests.bank.calculations.exact import GIGA, of, rounded, solves


@solves("decoder-caps-the-cameras")
def decoder_caps_the_cameras(cpu_fps, nvdec_fps, model_fps, camera_fps):
    def cameras(*stages):
        return floor(min(stages) / camera_fps)

    now, after = cameras(cpu_fps, model_fps), cameras(nvdec_fps, model_fps)
    assert cameras(cpu_fps, 2 * model_fps) == now, "a faster detector brings nothing today"
    assert cameras(nvdec_fps, 2 * model_fps) == after, "decoding still limits"
    return {
        "answer": after,
        "cams_now": now,
        "cams_hw": after,
        "cams_model": cameras(model_fps),
        "model_share": rounded(100 * cpu_fps / model_fps),
    }


@solves("pixels-stay-on-the-gpu")
def pixels_stay_on_the_gpu(cameras, fps):
    picture = 1920 * 1080 * 3
    assert rounded(Fraction(picture, 10**6), 2) == of("6.22")
    one_way = cameras * fps * picture / GIGA
    there_and_back = one_way + one_way
    return {
        "answer": there_and_back,
        "2 * crossing_exact": there_and_back,
        "crossing_exact": one_way,
        "crossing_gbs": rounded(one_way, 2),
        "round_gbs": rounded(there_and_back, 2),
    }
