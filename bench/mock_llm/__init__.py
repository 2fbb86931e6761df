"""A scripted OpenAI-compatible server on loopback, for tests and measurements.

It answers ``POST /v1/chat/completions`` with what a *verdict function* returns, spoils replies by
plan, keeps a log of every request, models latency, a concurrency limit and a prompt cache, and is
light on CPU (one ``asyncio.Protocol``, no web framework), so that it can share a machine with what
is measured.

In the process of a test::

    async with MockServer(Script(rules=(Rule(Fault.SERVER_ERROR, numbers=(1,)),))) as server:
        ...  # server.base_url, server.log

As a process of its own (``python -m bench.mock_llm --help``)::

    with MockProcess(script) as server:
        ...  # server.base_url, server.log(), server.stats(), server.load(script)
"""

from bench.mock_llm.process import MockProcess
from bench.mock_llm.script import Fault, Rule, Script, Seen
from bench.mock_llm.server import MockServer

__all__ = ["Fault", "MockProcess", "MockServer", "Rule", "Script", "Seen"]
