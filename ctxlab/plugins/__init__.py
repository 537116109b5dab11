"""Plugins of other packages, found by entry point, and a hash of their code."""

from ctxlab.plugins.announced import Plugin, announced, raised
from ctxlab.plugins.package_code import code_of_package, has_changed, package_of_module

__all__ = ["Plugin", "announced", "code_of_package", "has_changed", "package_of_module", "raised"]
