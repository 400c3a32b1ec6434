"""What holds for every test that pytest runs: no network, no clock as judge, nothing left out in CI.

It does not cover programs that a test starts (a child process has its own sockets), and it holds no
helpers for single tests: those stand in the test file that uses them.

Network: a socket to another machine is refused always, one on this machine's loopback unless the test
asks for it with `@pytest.mark.loopback`, or its module with `pytestmark = pytest.mark.loopback`. A
module that uses only the standard library says `USES_LOOPBACK = True` instead.

CI: with `CI=true` a skipped test is a failed test, because there everything is installed. The reasons
that stay are those no installation can change: they begin with one of `LAWFUL_REASONS`.
"""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest

LAWFUL_REASONS = ("only on ", "not as root")
SETTINGS_OF_A_PERSON = ("AGENT_", "OLLAMA_", "OPENAI_", "MISTAKE_RATE", "NODE_BINARY")


class Network:
    """The one switch of the guard: may the running test use loopback sockets?"""

    loopback_allowed = False


def is_loopback(host: str) -> bool:
    """`localhost`, 127.0.0.0/8 or ::1. Any other name would need a look-up outside this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False


def judge(address: object) -> None:
    """Fail the test if it may not reach `address`; a Unix socket's address is a file's name and passes."""
    if not isinstance(address, tuple) or not isinstance(address[0], str):
        return
    host = address[0]
    if not is_loopback(host):
        pytest.fail(f"This test tried to reach {host!r}. Tests never leave the machine: use 127.0.0.1.")
    if not Network.loopback_allowed:
        pytest.fail(f"This test opened a socket on {host!r}. Mark it with @pytest.mark.loopback if it must.")


def guarded(original: Callable[..., Any]) -> Callable[..., Any]:
    """A socket method whose last argument is an address, judged before it is called."""

    def method(self: socket.socket, *args: Any) -> Any:
        judge(args[-1])
        return original(self, *args)

    return method


def guarded_lookup(original: Callable[..., Any]) -> Callable[..., Any]:
    """A look-up of a host's name, which would ask a server elsewhere for any name but this machine's."""

    def look_up(host: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(host, str) and host and not is_loopback(host):
            pytest.fail(f"This test looked up {host!r}. Tests never leave the machine: use 127.0.0.1.")
        return original(host, *args, **kwargs)

    return look_up


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "loopback: the test may open sockets on this machine's loopback")
    for name in ("connect", "connect_ex", "bind", "sendto"):
        setattr(socket.socket, name, guarded(getattr(socket.socket, name)))
    for name in ("getaddrinfo", "gethostbyname"):
        setattr(socket, name, guarded_lookup(getattr(socket, name)))
    for name in [name for name in os.environ if name.startswith(SETTINGS_OF_A_PERSON)]:
        del os.environ[name]
    no_deadline()


def no_deadline() -> None:
    """No property test is judged by the clock: a busy machine is no fault of the code."""
    try:
        from hypothesis import settings
    except ImportError:
        return
    settings.register_profile("draughts-agents", deadline=None)
    settings.load_profile("draughts-agents")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    module = getattr(item, "module", None)
    asked = item.get_closest_marker("loopback") is not None or getattr(module, "USES_LOOPBACK", False)
    Network.loopback_allowed = bool(asked)
    yield
    Network.loopback_allowed = False


def refuse_skip(report: Any) -> None:
    """With CI=true: turn the report of a skipped test, or of a file skipped whole, into a failure."""
    if os.environ.get("CI") != "true" or not report.skipped or hasattr(report, "wasxfail"):
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    reason = reason.removeprefix("Skipped: ")
    if not reason.startswith(LAWFUL_REASONS):
        report.outcome = "failed"
        report.longrepr = f"Skipped in CI, where nothing may be left out: {reason}"


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    outcome = yield
    refuse_skip(outcome.get_result())  # type: ignore[attr-defined]


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    outcome = yield
    refuse_skip(outcome.get_result())  # type: ignore[attr-defined]
