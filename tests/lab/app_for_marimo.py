"""Two widgets in marimo, and a button that tells what Python holds of them."""

# ruff: noqa: B018, N803 - a cell is a function of the names it uses, and its last line is shown

import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo

    import ctxlab
    from ctxlab_widgets import StepDebugger, TokenBudget

    said = [("user", "Where is it?"), ("assistant", "By the pier."), ("user", "Thanks.")]
    session = ctxlab.read_data([{"role": role, "content": text} for role, text in said]).pick()
    trace = ctxlab.build(session, budget_tokens=1000)
    return StepDebugger, TokenBudget, mo, trace


@app.cell
def _(StepDebugger, mo, trace):
    steps = mo.ui.anywidget(StepDebugger(trace))
    steps
    return (steps,)


@app.cell
def _(TokenBudget, mo, trace):
    budget = mo.ui.anywidget(TokenBudget(trace))
    budget
    return (budget,)


@app.cell
def _(mo):
    tell = mo.ui.button(label="Tell", value=0, on_click=lambda times: times + 1)
    tell
    return (tell,)


@app.cell
def _(budget, mo, steps, tell):
    limits = budget.widget.trace.table("token-limiter").iloc[0]
    mo.plain_text(f"told {tell.value}: position {steps.widget.position}, budget {limits['budget']}")
    return


if __name__ == "__main__":
    app.run()
