"""Rules for every test. With PUNTO_NO_SKIPS=1 (a machine that must be able to run all) a skipped test fails."""

import os
import sys
from collections.abc import Generator

import pytest

COVERAGE_OF_CHILDREN = "COVERAGE_PROCESS_CONFIG"
"""What coverage tells the processes that a traced one starts."""

NO_SKIPS = os.environ.get("PUNTO_NO_SKIPS") == "1"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if NO_SKIPS and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, and PUNTO_NO_SKIPS=1 allows none: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if NO_SKIPS and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"{collector.nodeid} was skipped, and PUNTO_NO_SKIPS=1 allows none: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Tests marked `untraced` do not count for coverage, nor do programs they start: most of their time was tracing."""
    tracer = sys.gettrace() if item.get_closest_marker("untraced") else None
    if tracer is None:
        return (yield)
    inherited = os.environ.pop(COVERAGE_OF_CHILDREN, None)
    sys.settrace(None)
    try:
        return (yield)
    finally:
        sys.settrace(tracer)
        if inherited is not None:
            os.environ[COVERAGE_OF_CHILDREN] = inherited
