// Formulas: their source at once, and drawn as soon as the code that can is here.

import { h, harmless } from "../dom";
import { mathNodes } from "./mathml";

export interface MathsCode {
  /** MathML of a formula; throws where it is none. */
  mathML(tex: string, display: boolean): string;
}

const LONGEST = 4_000;
const KEPT = 300;

/** One for all messages of a chat: the code comes once, and a formula that stays is computed once. */
export class FormulaDrawer {
  private code: MathsCode | null = null;
  private coming: Promise<void> | null = null;
  private failed = "";
  private readonly made = new Map<string, string | Error>();

  constructor(private readonly load: () => Promise<MathsCode>) {}

  /** `open`: it is still being written, and stays as its source. */
  draw(tex: string, display: boolean, open: boolean): HTMLElement {
    const shown = h("span", { class: display ? "md-maths display" : "md-maths" }, h("code", {}, harmless(tex)));
    if (open && !this.code) return shown;
    if (tex.length > LONGEST) shown.title = `A formula of more than ${LONGEST} characters isn't drawn`;
    else if (this.code) this.put(shown, tex, display);
    else void this.come().then(() => this.put(shown, tex, display));
    return shown;
  }

  private come(): Promise<void> {
    this.coming ??= this.load().then(
      (code) => {
        this.code = code;
      },
      (problem: unknown) => {
        this.failed = `Formulas can't be drawn here: ${problem instanceof Error ? problem.message : problem}`;
      },
    );
    return this.coming;
  }

  private put(shown: HTMLElement, tex: string, display: boolean): void {
    const made = this.code ? this.mathML(this.code, tex, display) : new Error(this.failed);
    const nodes = typeof made === "string" ? mathNodes(made) : null;
    if (!nodes) {
      shown.title = harmless(made instanceof Error ? made.message.slice(0, 300) : "This formula can't be drawn");
      return;
    }
    nodes.setAttribute("aria-label", harmless(tex));
    shown.replaceChildren(nodes);
  }

  private mathML(code: MathsCode, tex: string, display: boolean): string | Error {
    const key = `${display}${tex}`;
    const known = this.made.get(key);
    if (known !== undefined) return known;
    let made: string | Error;
    try {
      made = code.mathML(tex, display);
    } catch (problem) {
      made = problem instanceof Error ? problem : new Error(String(problem));
    }
    if (this.made.size >= KEPT) this.made.delete(this.made.keys().next().value!);
    this.made.set(key, made);
    return made;
  }
}
