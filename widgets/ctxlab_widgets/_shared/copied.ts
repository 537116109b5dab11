/** Puts a text into the clipboard; where the page may not, its code is selected instead. */
export async function copied(text: string, code: HTMLElement): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return "copied";
  } catch {
    getSelection()?.selectAllChildren(code);
    return "selected: copy it with the keyboard";
  }
}
