"""What imports load, and that none of them opens a connection."""

import json
import subprocess
import sys

WATCHED = """
import json, sys
seen = []
sys.addaudithook(lambda event, args: seen.append(event) if event in
    ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname") else None)
{code}
print(json.dumps({{"network": seen, "heavy": sorted(
    name for name in ("litellm", "instructor", "openai", "aiohttp") if name in sys.modules)}}))
"""


def watched(code: str) -> dict[str, list[str]]:
    done = subprocess.run(
        [sys.executable, "-c", WATCHED.format(code=code)],
        capture_output=True,
        text=True,
        check=True,
    )
    result: dict[str, list[str]] = json.loads(done.stdout.splitlines()[-1])
    return result


def test_the_package_and_the_transport_load_no_heavy_package() -> None:
    code = "import grader, grader.judges.llm.transport, grader.judges.ledger_sqlite"
    assert watched(code) == {"network": [], "heavy": []}


def test_loading_litellm_opens_no_connection() -> None:
    found = watched(
        "from grader.judges.llm.transport.litellm_wire import LitellmWire; LitellmWire().prepare()"
    )
    assert "litellm" in found["heavy"]
    assert found["network"] == []
