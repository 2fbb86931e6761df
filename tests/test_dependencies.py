"""What the lock may hold: hashed, licensed for reuse, explained, and free of bad releases."""

import importlib.metadata
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LOCK = (ROOT / "requirements.lock").read_text()
PINS = re.findall(r"^([A-Za-z0-9._-]+)==([^ ;\\]+)", LOCK, flags=re.MULTILINE)
COPYLEFT = re.compile(r"\bA?GPL", re.IGNORECASE)


def licence_of(name):
    metadata = importlib.metadata.metadata(name)
    classifiers = metadata.get_all("Classifier") or []
    return " ".join(
        [metadata.get("License-Expression") or "", (metadata.get("License") or "")[:200]]
        + [c for c in classifiers if c.startswith("License")]
    )


def installed():
    names = {d.name.lower().replace("_", "-") for d in importlib.metadata.distributions()}
    return sorted({n for n, _ in PINS if n.lower().replace("_", "-") in names})


def test_every_pin_has_hashes_and_no_address_of_an_index():
    for block in re.split(r"\n(?=\S)", LOCK.strip()):
        assert "--hash=sha256:" in block, block
    assert "://" not in LOCK
    assert "--index-url" not in LOCK


@pytest.mark.parametrize("name", installed())
def test_no_dependency_is_gpl_or_agpl(name):
    # The Lesser licence may be linked against.
    assert not COPYLEFT.search(licence_of(name).replace("LGPL", "").replace("Lesser", ""))


def test_every_direct_dependency_is_explained():
    text = (ROOT / "docs" / "dependencies.md").read_text()
    pyproject = (ROOT / "pyproject.toml").read_text()
    direct = re.findall(r'^\s*"?([A-Za-z][A-Za-z0-9._-]*)[><=!~].*"', pyproject, re.MULTILINE)
    direct += re.findall(r'"([A-Za-z][A-Za-z0-9._-]*)[><=!~]', pyproject)
    missing = sorted({d for d in direct if f"`{d}`" not in text} - {"requires-python"})
    assert not missing


def test_the_compromised_releases_of_litellm_are_excluded():
    assert "litellm>=1.84,!=1.82.7,!=1.82.8" in (ROOT / "pyproject.toml").read_text()
    assert dict(PINS)["litellm"] not in ("1.82.7", "1.82.8")
