// Runs widgets without a kernel: one in a test, several behind tabs in a report.

import { held, widgetOf } from "./host_load";
import { HostModel } from "./host_model";
import { HostPages } from "./host_pages";

async function run(): Promise<void> {
  if (document.querySelector("[role=tablist]")) {
    const pages = new HostPages();
    await pages.begin();
    Object.assign(globalThis, { ctxlabHost: pages });
    return;
  }
  const one = held<{ code: string; state: Record<string, unknown> }>("ctxlab-held");
  const el = document.getElementById("ctxlab-widget");
  if (!one || !el) return;
  const widget = await widgetOf(one.code);
  const model = new HostModel(one.state);
  const stop = await widget.render({ model, el });
  Object.assign(globalThis, { ctxlabHost: { model, stop, widget } });
}

if (typeof document !== "undefined") void run();
