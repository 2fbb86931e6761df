"""The operation language, on a worker without walls."""

import numpy as np
import pytest

from sandbox.errors import RunEnded
from sandbox.limits import Limits
from sandbox.observation import Kind
from sandbox.ops import LAYOUTS, Buffer, Call, Del, Get, New, Read, Ref, Write
from sandbox.outcome import Outcome
from sandbox.wire import EncodeError, Opaque

SOURCE = b"""
import numpy as np

class OutOfBlocks(Exception):
    pass

class Narrow(OutOfBlocks, ValueError):
    pass

class Counter:
    shared = []
    def __init__(self, start=0):
        self.n = start
        self.items = [1, 2]
        self.table = {"a": 1}
        self.array = np.zeros(3, np.float32)
    @property
    def length(self):
        return self.n
    def add(self, by, *, times=1):
        self.n += by * times
        return self.n
    def get(self, name):
        return getattr(self, name)
    def give(self, value):
        return value
    def fail(self, kind):
        raise {"narrow": Narrow, "out": OutOfBlocks, "key": KeyError, "exit": SystemExit}[kind]("x")

def layout(array):
    return array.strides, array.flags.writeable, array.flags.c_contiguous

def double(array):
    array *= 2

def pair():
    return np.arange(3.0), {"k": [np.zeros(2)]}

def many(n):
    return list(range(n))

def big(n):
    return np.ones(n, np.uint8)

def nested(depth):
    value = 1
    for _ in range(depth):
        value = [value]
    return value
"""


@pytest.fixture
def run(trusted):
    with trusted.start(SOURCE, "counter", Limits()) as started:
        assert started.load().ok
        yield started


def values(result):
    return [
        observation.value if observation.kind is Kind.VALUE else observation.kind
        for observation in result.observations
    ]


def test_what_star_imports_bring_does_not_hide_what_is_defined(trusted):
    source = b"from numpy import *\nfrom math import *\nclass Own:\n    pass\ndef own(): pass\n"
    with trusted.start(source, "m", Limits()) as run:
        names = run.load().names
    assert names["Own"].kind == "class"
    assert names["own"].kind == "function"


def test_a_byte_order_mark_is_legal(trusted):
    with trusted.start(b"\xef\xbb\xbfdef own():\n    return 1\n", "m", Limits()) as run:
        assert run.load().ok
        assert run.call(Call("own")).value == 1


def test_loading_lists_what_is_defined(trusted):
    with trusted.start(SOURCE, "counter", Limits()) as run:
        names = run.load().names
    counter = names["Counter"]
    assert counter.kind == "class"
    assert [(p.name, p.has_default) for p in counter.parameters] == [("start", True)]
    assert counter.members["length"].kind == "property"
    assert [p.name for p in counter.members["add"].parameters] == ["self", "by", "times"]
    assert names["layout"].kind == "function"
    assert names["np"].kind == "module"
    assert names["Narrow"].ancestry[:4] == (
        "submission.Narrow",
        "submission.OutOfBlocks",
        "builtins.ValueError",
        "builtins.Exception",
    )


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        (b"def f(:", "SyntaxError"),
        (b"1/0", "ZeroDivisionError"),
        (b"raise SystemExit(0)", "SystemExit"),
        (b"import pytest_is_not_here", "ModuleNotFoundError"),
        (b"\xff", "UnicodeDecodeError"),
    ],
)
def test_a_failed_import_is_data(trusted, source, kind):
    with trusted.start(source, "broken", Limits()) as run:
        loaded = run.load()
    assert not loaded.ok
    assert loaded.raised.type_name == kind


def test_objects_properties_and_keywords(run):
    result = run.trace(
        [
            New("c", "Counter", (5,)),
            Call("add", (2,), {"times": 3}, on="c"),
            Get("length", on="c"),
            New("d", "Counter", kwargs={"start": -1}),
            Get("length", on="d"),
        ]
    )
    assert values(result) == [None, 11, 11, None, -1]
    assert result.reading.cpu_s > 0


def test_handles_outlive_a_trace_but_not_a_batch(run):
    run.trace([New("c", "Counter")])
    assert values(run.trace([Get("length", on="c")])) == [0]
    first, second = run.batch([[New("d", "Counter", (7,)), Get("n", on="d")], [Get("n", on="d")]])
    assert values(first) == [None, 7]
    assert values(second) == [Kind.REFUSED]


def test_a_returned_object_can_be_overwritten_and_read_again(run):
    trace = [New("c", "Counter")]
    for name in ("items", "table", "array"):
        trace.append(Call("get", (name,), on="c", into=name))
    trace += [
        Write("items", 99, at=0),
        Call("get", ("items",), on="c"),
        Write("items", [7]),
        Read("items"),
        Write("table", 5, at="b"),
        Call("get", ("table",), on="c"),
        Write("table", {"z": 0}),
        Read("table"),
        Write("array", 3.0, at=1),
        Write("array", np.float32(4), at=(2,)),
        Call("get", ("array",), on="c"),
        Write("array", np.ones(3)),
    ]
    seen = values(run.trace(trace))
    assert seen[5] == [99, 2]
    assert seen[7] == [7]
    assert seen[9] == {"a": 1, "b": 5}
    assert seen[11] == {"z": 0}
    assert np.array_equal(seen[14], np.array([0, 3, 4], np.float32))
    assert np.array_equal(values(run.trace([Call("get", ("array",), on="c")]))[0], np.ones(3))


def test_items_inside_results_can_be_reached(run):
    trace = [
        Call("pair", into="p"),
        Write(Ref("p", (0,)), 8.0, at=2),
        Write(Ref("p", (1, "k", 0)), -1.0),
        Read("p"),
        Read(Ref("p", (1, "missing"))),
        Read(Ref("p", (0, 1))),
    ]
    *_, pair, missing, into_array = values(run.trace(trace))
    assert np.array_equal(pair[0], [0, 1, 8])
    assert np.array_equal(pair[1]["k"][0], [-1, -1])
    assert (missing, into_array) == (Kind.REFUSED, Kind.REFUSED)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(), (0,), (5,), (3, 4), (2, 3, 4)])
def test_a_buffer_has_its_layout_and_its_values(run, layout, shape):
    array = np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)
    trace = [
        Call("layout", (Buffer(array, layout, readonly=True, into="a"),)),
        Read("a"),
        Write("a", 1.0),
        Call("layout", (Buffer(array, layout, into="b"),)),
        Call("double", (Ref("b"),)),
        Read("b"),
    ]
    (strides, writable, _), seen, refused, (_, writable_b, _), _, doubled = values(run.trace(trace))
    assert not writable
    assert writable_b
    assert refused is Kind.REFUSED
    assert np.array_equal(seen, array)
    assert np.array_equal(doubled, 2 * array)
    if shape == (3, 4):
        expected = {
            "contiguous": (16, 4),
            "strided": (32, 8),
            "reversed": (-16, 4),
            "transposed": (4, 12),
        }
        assert strides == expected[layout]


def test_large_and_small_arrays_are_the_submissions_own(run):
    for size in (4, 1 << 20):
        array = np.ones(size)
        result = run.trace([Call("double", (Buffer(array, into="a"),)), Read("a")])
        assert float(values(result)[1].sum()) == 2.0 * size
        assert float(array.sum()) == size


def test_exceptions_say_what_they_are(run):
    run.trace([New("c", "Counter")])
    result = run.trace([Call("fail", (kind,), on="c") for kind in ("narrow", "out", "key", "exit")])
    narrow, out, key, leave = (observation.raised for observation in result.observations)
    assert narrow.is_a("ValueError")
    assert narrow.is_a("submission.OutOfBlocks")
    assert out.is_a("Exception")
    assert not out.is_a("ValueError")
    assert not out.is_a("OutOfBlocks"), "a class of the file is not a built-in"
    assert key.is_a("KeyError")
    assert key.is_a("LookupError")
    assert leave.is_a("SystemExit")
    assert out.message == "x"
    assert out.frames[-1].function == "Counter.fail"
    assert b"raise {" in SOURCE.splitlines()[out.frames[-1].line - 1]


def test_what_lies_in_the_trace_is_refused_and_the_trace_goes_on(run):
    result = run.trace(
        [Read("nobody"), Del("nobody"), Call("double", (Ref("x"), np.ones(3))), Call("many", (3,))]
    )
    assert values(result) == [Kind.REFUSED, Kind.REFUSED, Kind.REFUSED, [0, 1, 2]]


def test_a_missing_name_is_the_submissions_error(run):
    (missing,) = run.trace([Call("absent")]).observations
    assert missing.raised.is_a("AttributeError")


def test_deleting_forgets(run):
    result = run.trace([New("c", "Counter"), Del("c"), Get("n", on="c")])
    assert values(result) == [None, None, Kind.REFUSED]


def test_quiet_calls_keep_their_exceptions(run):
    loud = run.trace([Call("many", (3,), quiet=True), Call("many", ("x",), quiet=True)])
    assert values(loud) == [None, Kind.RAISED]


def test_a_long_trace_is_cut_into_exchanges_and_put_together(run):
    seen = values(run.trace([New("c", "Counter"), *[Call("add", (1,), on="c")] * 12_000]))
    assert seen[1:] == list(range(1, 12_001))


def test_a_long_reply_comes_in_several_frames(run):
    seen = values(run.trace([Call("many", (20_000,))] * 30))
    assert all(value == list(range(20_000)) for value in seen)


def test_a_value_beyond_a_frame_is_opaque(run):
    before, value, after = values(
        run.trace([Call("many", (2,)), Call("many", (400_000,)), Call("many", (2,))])
    )
    assert (before, after) == ([0, 1], [0, 1])
    assert value == Opaque("?", "observation over the limit")


def test_an_array_beyond_the_runs_limit_is_opaque(trusted):
    with trusted.start(SOURCE, "counter", Limits(result_bytes=1000)) as run:
        run.load()
        small, large = values(run.trace([Call("big", (500,)), Call("big", (5000,))]))
    assert small.nbytes == 500
    assert large == Opaque("numpy.ndarray", "payload over the limit")


def test_deep_results_are_cut(run):
    (value,) = values(run.trace([Call("nested", (100,))]))
    for _ in range(32):
        (value,) = value
    assert value.note == "deeper than 32"


def test_lock_step_gives_readings(run):
    observation = run.call(Call("big", (8 << 20,)))
    assert observation.value.nbytes == 8 << 20
    assert observation.reading.growth >= 8 << 20
    assert observation.reading.peak > observation.reading.rss_fork
    assert observation.reading.cpu_s > 0


def test_memory_of_arguments_is_not_growth(run):
    run.call(Call("double", (np.ones(4),)))
    argument = np.ones(4 << 20)
    reading = run.call(Call("double", (argument,))).reading
    assert reading.growth < argument.nbytes // 4


def test_what_cannot_cross_is_the_callers_error(run):
    with pytest.raises(EncodeError):
        run.trace([Call("give", ({1, 2},))])


def test_the_report_has_what_was_printed(trusted):
    source = b"import sys\nprint('out')\nprint('err', file=sys.stderr)\n"
    with trusted.start(source, "talk", Limits()) as run:
        run.load()
    assert (run.report.stdout, run.report.stderr) == ("out\n", "err\n")
    assert run.report.outcome is None
    assert run.report.cpu_s > 0


def test_output_is_cut_where_it_is_long(trusted):
    with trusted.start(b"print('x' * 5000)", "talk", Limits(output_bytes=100)) as run:
        run.load()
    assert run.report.stdout == "x" * 100
    assert run.report.output_cut


def test_an_ended_run_stays_ended(trusted):
    source = b"import os\ndef leave():\n    os._exit(0)\n"
    with trusted.start(source, "leave", Limits()) as run:
        run.load()
        for _ in range(2):
            with pytest.raises(RunEnded) as caught:
                run.call(Call("leave"))
            assert caught.value.outcome is Outcome.KILLED
    assert run.report.outcome is Outcome.KILLED
    assert "exit status 0" in run.report.detail


def test_no_handler_of_exceptions_swallows_the_end(trusted):
    assert not issubclass(RunEnded, Exception)


def test_a_box_takes_one_submission_only(trusted):
    trusted.start(SOURCE, "counter", Limits()).close()
    with pytest.raises(ValueError, match="one submission"):
        trusted.start(b"other = 1", "counter", Limits())


def test_each_run_is_a_fresh_process(trusted):
    source = b"seen = []\ndef f():\n    seen.append(1)\n    return len(seen)\n"
    for _ in range(3):
        with trusted.start(source, "fresh", Limits()) as run:
            run.load()
            assert run.call(Call("f")).value == 1


def test_sets_of_strings_have_one_order_in_every_worker(trusted):
    from sandbox.testing import trusted_box

    source = b"def f():\n    return list({'a', 'b', 'c', 'd', 'e', 'f'})\n"
    orders = []
    for _ in range(2):
        with trusted_box() as box, box.start(source, "order", Limits()) as run:
            run.load()
            orders.append(run.call(Call("f")).value)
    assert orders[0] == orders[1]
