// What a page of one file holds: values as JSON in elements, and bundles as text.

import type { Model } from "./mount";

export interface HostedWidget {
  render(at: { model: Model; el: HTMLElement }): (() => void) | Promise<() => void>;
}

/** The JSON in an element of the page; null where there is no such element. */
export function held<T>(id: string): T | null {
  const element = document.getElementById(id);
  return element && (JSON.parse(element.textContent ?? "") as T);
}

/** The widget of a bundle: the default export of a module. */
export async function widgetOf(code: string): Promise<HostedWidget> {
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const { default: widget } = await import(url);
  URL.revokeObjectURL(url);
  return widget;
}
