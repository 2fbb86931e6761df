"""The shipped model: coefficients and word frequencies as JSON, with version and content hash."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from grader.errors import FaultError
from grader.judges.offline.features import NAMES
from grader.judges.offline.rubric import Background

_FILE = "model.json"


@dataclass(frozen=True, eq=False)
class Model:
    """A logistic model over ``features.NAMES``.

    Attributes:
        version: Counted up with each retrained release.
        intercept: Log odds where all features are 0.
        coefficients: Name of a feature -> its coefficient.
        idf: Stem of a common word -> inverse document frequency.
        unseen_idf: The same for every other word.
        trained_on: What it was trained on, with licence and number of rows.
    """

    version: int
    intercept: float
    coefficients: Mapping[str, float]
    idf: Mapping[str, float]
    unseen_idf: float
    trained_on: Sequence[Mapping[str, Any]] = ()

    @cached_property
    def background(self) -> Background:
        """How common words are in general."""
        return Background(self.idf, self.unseen_idf)

    @cached_property
    def _ordered(self) -> tuple[float, ...]:
        return tuple(self.coefficients[name] for name in NAMES)

    def log_odds(self, values: Sequence[float]) -> float:
        """Log odds that the signal is met.

        Args:
            values: One figure per name of ``features.NAMES``.
        """
        return self.intercept + sum(c * v for c, v in zip(self._ordered, values, strict=True))

    def to_json(self) -> str:
        """Canonical JSON with the hash of the rest under ``sha256``."""
        body = self._body()
        return json.dumps(body | {"sha256": _digest(body)}, indent=1, sort_keys=True) + "\n"

    def _body(self) -> dict[str, Any]:
        return {
            "version": self.version,
            "intercept": self.intercept,
            "coefficients": dict(self.coefficients),
            "idf": dict(self.idf),
            "unseen_idf": self.unseen_idf,
            "trained_on": [dict(source) for source in self.trained_on],
        }

    @classmethod
    def from_json(cls, text: str) -> "Model":
        """Reads what ``to_json`` wrote.

        Raises:
            FaultError: The hash does not fit the content, or the features are not ours.
        """
        body = json.loads(text)
        stated = body.pop("sha256", "")
        if stated != _digest(body):
            raise FaultError(
                "the offline judge's model does not fit its hash",
                remedy="reinstall the package, or retrain with bench/train_offline.py",
            )
        if set(body["coefficients"]) != set(NAMES):
            raise FaultError("the offline judge's model is of another version of the package")
        return cls(**body)


def _digest(body: Mapping[str, Any]) -> str:
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


@cache
def shipped_model() -> Model:
    """The model inside the package."""
    return Model.from_json(files(__package__).joinpath(_FILE).read_text(encoding="utf-8"))
