"""HTML in messages, as the shorter Markdown."""

from ctxlab.engines.html.markdown import as_markdown, html_as_markdown, looks_like_html

__all__ = ["as_markdown", "html_as_markdown", "looks_like_html"]
