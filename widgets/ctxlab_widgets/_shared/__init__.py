"""Code that all widgets share: their values as JSON, and the page that runs one without a kernel."""
