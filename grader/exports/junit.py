"""JUnit XML, as GitLab, Jenkins and most other services read it.

The elements and attributes are those of the Apache Ant task's schema ("JUnit test result schema for
the Apache Ant JUnit and JUnitReport tasks", https://github.com/windyroad/JUnit-Schema). What is
not graded is an ``error``, never a ``failure``: it is no finding about the submission, and a
skipped case would read as a pass.
"""

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from grader.exports.report import MOST_POINTS, Part, Report, Standing

_CLASS = "grader"


def junit_xml(report: Report) -> str:
    """The report as one suite, a case for each part."""
    parts = report.parts or (_whole(report),)
    root = Element("testsuites")
    suite = SubElement(root, "testsuite", {"name": report.title, **_counts(parts, report.seconds)})
    properties = SubElement(suite, "properties")
    for name, value in {**report.facts, "result": report.headline}.items():
        SubElement(properties, "property", name=name, value=value)
    for part in parts:
        _add_case(suite, report.title, part)
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def _whole(report: Report) -> Part:
    """The submission as one part, where the parts are not told."""
    if not report.graded:
        return Part(name="grading", standing=Standing.NOT_GRADED, text=report.headline)
    full = report.score == MOST_POINTS
    standing = Standing.PASSED if full else Standing.FAILED
    return Part(name="score", standing=standing, text=report.headline)


def _counts(parts: tuple[Part, ...], seconds: float) -> dict[str, str]:
    failed = sum(p.standing in (Standing.FAILED, Standing.PARTIAL) for p in parts)
    errors = sum(p.standing is Standing.NOT_GRADED for p in parts)
    return {
        "tests": str(len(parts)),
        "failures": str(failed),
        "errors": str(errors),
        "skipped": "0",
        "time": f"{seconds:.3f}",
    }


def _add_case(suite: Element, title: str, part: Part) -> None:
    case = SubElement(
        suite,
        "testcase",
        classname=f"{_CLASS}.{title}",
        name=part.name,
        time=f"{part.seconds:.3f}",
    )
    if part.standing is Standing.PASSED:
        return
    kind = "error" if part.standing is Standing.NOT_GRADED else "failure"
    message = part.text.partition("\n")[0] or part.standing.value
    found = SubElement(case, kind, message=message, type=part.standing.value.replace(" ", "_"))
    found.text = part.text or None
