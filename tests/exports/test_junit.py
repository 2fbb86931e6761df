"""JUnit XML."""

from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

from grader.exports.junit import junit_xml
from grader.exports.report import Report, Standing
from tests.exports.reports import GRADED, NOTHING, OPEN, any_report

# Element: attributes it must have, attributes it may have, elements it may hold.
SHAPE = {
    "testsuites": (set(), {"name", "tests", "failures", "errors", "time"}, {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors"},
        {"skipped", "time", "timestamp", "hostname", "id", "package"},
        {"properties", "testcase", "system-out", "system-err"},
    ),
    "properties": (set(), set(), {"property"}),
    "property": ({"name", "value"}, set(), set()),
    "testcase": (
        {"name", "classname"},
        {"time"},
        {"skipped", "error", "failure", "system-out", "system-err"},
    ),
    "failure": (set(), {"message", "type"}, set()),
    "error": (set(), {"message", "type"}, set()),
}


def demand_shape(element):
    must, may, children = SHAPE[element.tag]
    assert must <= set(element.attrib) <= must | may, element.tag
    assert {child.tag for child in element} <= children, element.tag
    for name in {"time", "tests", "failures", "errors", "skipped"} & set(element.attrib):
        assert float(element.attrib[name]) >= 0
    for child in element:
        demand_shape(child)


def read(report):
    root = ElementTree.fromstring(junit_xml(report).encode())
    assert root.tag == "testsuites"
    demand_shape(root)
    (suite,) = root
    cases = suite.findall("testcase")
    assert int(suite.get("tests")) == len(cases)
    for attribute, tag in (("failures", "failure"), ("errors", "error")):
        assert int(suite.get(attribute)) == len(suite.findall(f"testcase/{tag}"))
    return suite, cases


def test_each_part_is_a_case_and_a_failure_tells_why():
    suite, (first, second) = read(GRADED)
    assert (suite.get("name"), suite.get("time")) == ("Block manager", "1.500")
    assert (first.get("name"), list(first)) == ("BM1", [])
    (failure,) = second
    assert (failure.tag, failure.get("message")) == ("failure", "a case fails")
    assert failure.text == "a case fails\nassert m.free() == 3"
    values = {p.get("name"): p.get("value") for p in suite.iter("property")}
    assert values == {
        "exercise": "block_manager", "submission": "sha256:ab", "result": "70 of 100 points",
    }  # fmt: skip


@pytest.mark.parametrize("report", [OPEN, NOTHING])
def test_what_is_not_graded_is_an_error_and_no_failure(report):
    suite, _ = read(report)
    assert (suite.get("failures"), suite.get("errors"), suite.get("skipped")) == ("0", "1", "0")
    assert suite.find("testcase/error").get("type") == "not_graded"


@pytest.mark.parametrize(("points", "failures"), [(100, "0"), (99, "1")])
def test_without_parts_the_score_is_the_one_case(points, failures):
    suite, (case,) = read(Report(title="t", low=points, high=points))
    assert (case.get("name"), suite.get("failures")) == ("score", failures)


@settings(deadline=None)
@given(any_report())
def test_any_text_gives_xml_that_a_parser_reads_back(report):
    suite, cases = read(report)
    assert len(cases) == max(1, len(report.parts))
    for case, part in zip(cases, report.parts, strict=False):
        found = [child.text or "" for child in case]
        assert found == ([] if part.standing is Standing.PASSED else [part.text])
        assert case.get("name") == part.name
    assert suite.get("name") == report.title
