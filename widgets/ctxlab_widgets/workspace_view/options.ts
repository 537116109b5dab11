import { h, harmless } from "../_shared/dom";

/** The choices of a select, each with its words; the one that holds stays where it is still there. */
export function options(
  select: HTMLSelectElement,
  values: readonly string[],
  held: string,
  words: (value: string) => string = (value) => value,
): void {
  const known = [...select.options].map((each) => each.value);
  if (known.join("\n") !== values.join("\n") || known.length !== values.length)
    select.replaceChildren(...values.map((value) => h("option", { value }, harmless(words(value)))));
  if (values.includes(held)) select.value = held;
}
