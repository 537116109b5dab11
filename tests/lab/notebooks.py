"""Notebooks that are run in JupyterLab in a browser: one for each widget of the steps, and the page with all of them.

The others run without a browser, by tests/test_notebooks.py; what their widgets are like is tried in tests/browser.
"""

IN_LAB = frozenset(
    {
        "06_step_debugger",
        "07_token_budgets",
        "08_injection_positions",
        "09_branches",
        "10_compare_truncation",
        "11_attachments",
        "12_requests",
        "index",
    }
)
