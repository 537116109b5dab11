"""A widget: one bar, whose parts are the characters of each role in what is sent."""

import sys

import anywidget
import traitlets

from ctxlab import Trace

COLOURS = {"system": "#7a5cc2", "user": "#1f77c4", "assistant": "#237a4b", "tool": "#9c5714"}


class RoleBar(anywidget.AnyWidget):
    """How much of a run's messages is by whom; hover a part for its number."""

    _esm = """
    function render({ model, el }) {
      const bar = document.createElement("div");
      bar.setAttribute("role", "img");
      bar.style.cssText = "display: flex; gap: 2px; font: 13px/28px sans-serif; color: #fff";
      const draw = () => {
        const parts = model.get("parts");
        bar.setAttribute("aria-label", parts.map((part) => `${part.role} ${part.characters}`).join(", "));
        bar.replaceChildren(...parts.map((part) => {
          const piece = document.createElement("span");
          piece.textContent = part.role;  // text is data: never innerHTML
          piece.title = `${part.role}: ${part.characters} characters`;
          piece.style.cssText = `flex: ${part.characters} 0 0; min-width: 2px; padding: 0 4px; overflow: hidden`;
          piece.style.background = part.colour;
          return piece;
        }));
      };
      draw();
      model.on("change:parts", draw);
      el.append(bar);
      return () => model.off("change:parts", draw);
    }
    export default { render };
    """

    parts = traitlets.List().tag(sync=True)
    """`{"role", "characters", "colour"}` in the order in which roles come first."""

    def __init__(self, trace: Trace) -> None:
        sizes: dict[str, int] = {}
        for draft in trace.result.drafts:
            sizes[draft.role] = sizes.get(draft.role, 0) + len(draft.text)
        parts = [{"role": role, "characters": n, "colour": COLOURS.get(role, "#666")} for role, n in sizes.items()]
        super().__init__(parts=parts)


def in_a_notebook(trace: Trace) -> RoleBar | None:
    """The view of a run that a cell ends with; None outside of a notebook, so that nothing is drawn there."""
    return RoleBar(trace) if "ipykernel" in sys.modules else None
