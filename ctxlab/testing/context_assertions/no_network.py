"""A guard that lets a test reach this machine only."""

from __future__ import annotations

import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager
from ipaddress import ip_address
from typing import Any

LOCAL_NAMES = frozenset({"localhost", "localhost.localdomain", "ip6-localhost", ""})
GUARDED = ("connect", "connect_ex", "sendto", "sendmsg")
LOOKUPS = ("getaddrinfo", "gethostbyname", "gethostbyname_ex", "gethostbyaddr")
BY_ADDRESS = "getnameinfo"
OWN_NAME = "getfqdn"


class NetworkRefused(BaseException):
    """A test tried to reach another machine; no handler of the code under test takes it for a failed connection."""


@contextmanager
def network_refused() -> Generator[None]:
    """While it lasts, sockets of Python reach this machine only; anything else raises NetworkRefused."""
    methods = {name: getattr(socket.socket, name) for name in GUARDED if hasattr(socket.socket, name)}
    own = {name for name in methods if name in vars(socket.socket)}
    lookups = {name: getattr(socket, name) for name in (*LOOKUPS, BY_ADDRESS, OWN_NAME)}
    for name, method in methods.items():
        setattr(socket.socket, name, _guarded(method))
    for name in LOOKUPS:
        setattr(socket, name, _guarded_lookup(lookups[name]))
    setattr(socket, BY_ADDRESS, _guarded_by_address(lookups[BY_ADDRESS]))
    setattr(socket, OWN_NAME, _own_name)
    try:
        yield
    finally:
        for name, lookup in lookups.items():
            setattr(socket, name, lookup)
        for name, method in methods.items():
            if name in own:
                setattr(socket.socket, name, method)
            else:  # it is inherited
                delattr(socket.socket, name)


def _guarded(function: Callable[..., Any]) -> Callable[..., Any]:
    def run(own: socket.socket, *args: Any, **keywords: Any) -> Any:
        address = next((each for each in reversed(args) if isinstance(each, tuple)), None)
        if own.family in (socket.AF_INET, socket.AF_INET6) and address:
            _refuse(address[0])
        return function(own, *args, **keywords)

    return run


def _guarded_lookup(function: Callable[..., Any]) -> Callable[..., Any]:
    def run(host: Any, *args: Any, **keywords: Any) -> Any:
        _refuse(host)
        return function(host, *args, **keywords)

    return run


def _guarded_by_address(function: Callable[..., Any]) -> Callable[..., Any]:
    def run(address: Any, flags: int) -> Any:
        if not flags & socket.NI_NUMERICHOST:  # with it no name is looked up
            _refuse(address[0])
        return function(address, flags)

    return run


def _own_name(name: str = "") -> str:
    """The name as it is, without one this machine's, as `socket.getfqdn` gives it where no name server answers."""
    own = socket.gethostname()
    if name != own:
        _refuse(name)
    return own if name in ("", "0.0.0.0", "::") else name  # the address of every network


def _refuse(host: object) -> None:
    if not is_local(host):
        raise NetworkRefused(f"this test may reach this machine only, and tried {host!r} (fixture ctxlab_no_network)")


def is_local(host: object) -> bool:
    """Whether a host is this machine; None is the one that a server listens at.

    >>> is_local("127.0.0.1"), is_local("::1"), is_local("example.org"), is_local("10.0.0.1")
    (True, True, False, False)
    """
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else host
    if name is None or (isinstance(name, str) and name.casefold().rstrip(".") in LOCAL_NAMES):
        return True
    try:
        address = ip_address(str(name).partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified
