// A field commits with Enter and when it is left. JupyterLab gives no `change` after Enter, so that is not waited for.

import { taken } from "./keyboard";

export interface FieldHost {
  /** Takes over what was typed; called once for each value. */
  commit(typed: string): void;
  /** The value that the field shows where nothing was typed. */
  value(): string;
  signal: AbortSignal;
}

export function commits(field: HTMLInputElement | HTMLTextAreaElement, { commit, value, signal }: FieldHost): void {
  const send = () => {
    if (field.value !== value()) commit(field.value);
  };
  field.addEventListener(
    "keydown",
    (event) => {
      const { key, isComposing, shiftKey } = event as KeyboardEvent;
      if (isComposing) return;
      if (key === "Enter" && !(shiftKey && field instanceof HTMLTextAreaElement)) {
        taken(event);
        send();
      } else if (key === "Escape" && field.value !== value()) {
        taken(event);
        field.value = value();
      }
    },
    { signal },
  );
  field.addEventListener("change", send, { signal });
}
