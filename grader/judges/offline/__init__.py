"""The offline judge: likeness to the rubric in code, with abstention."""

from grader.judges.offline.calibration import Calibration, fit_bias
from grader.judges.offline.judge import OfflineJudge

__all__ = ["Calibration", "OfflineJudge", "fit_bias"]
