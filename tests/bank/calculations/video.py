"""Questions on camera streams."""

from math import floor

from tests.bank.calculations.exact import rounded, solves


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
