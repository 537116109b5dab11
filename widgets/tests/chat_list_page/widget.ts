// A page for tests with nothing but a chat's list of messages; `chatList` is the list.

import markdown from "../../ctxlab_widgets/_shared/markdown/markdown.css";
import { MarkdownView } from "../../ctxlab_widgets/_shared/markdown/markdown_view";
import { whenChanged, widget } from "../../ctxlab_widgets/_shared/mount";
import { MessageList } from "../../ctxlab_widgets/chat_panel/list";
import type { Choice } from "../../ctxlab_widgets/chat_panel/payload";
import css from "../../ctxlab_widgets/chat_panel/row_list.css";

export default widget("Messages", markdown + css, (at) => {
  const { model, root, signal } = at;
  const choices = (name: string) => () => (model.get(name) ?? []) as Choice[];
  const list = new MessageList({
    send: (command) => model.send(command),
    copy: (text) => model.send({ copied: text }),
    signal,
    live: model.get("live") !== false,
    models: choices("models"),
    languages: choices("languages"),
    messageActions: choices("actions"),
    textView: (host) => new MarkdownView(host),
  });
  root.append(list.element);
  const draw = () => list.set(JSON.parse(String(model.get("rows"))));
  whenChanged(at, ["rows"], draw);
  draw();
  Object.assign(globalThis, { chatList: list });
});
