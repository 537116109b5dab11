// @vitest-environment happy-dom
// A message as it streams: the same as if it had come at once, with the elements that didn't change kept.

import { describe, expect, test } from "vitest";
import { linkTo, namesOwnFile } from "../ctxlab_widgets/_shared/markdown/addresses";
import { BlockReader } from "../ctxlab_widgets/_shared/markdown/block_reader";
import { MarkdownView } from "../ctxlab_widgets/_shared/markdown/markdown_view";
import type { ModelButton } from "../ctxlab_widgets/_shared/markdown/model_button";

function drawn(text: string, open = false): HTMLElement {
  const host = document.createElement("div");
  new MarkdownView(host).update(text, { open });
  return host;
}

const html = (text: string, open = false): string => drawn(text, open).innerHTML;
const words = (text: string, open = false): string => drawn(text, open).textContent ?? "";

const TEXTS: Record<string, string> = {
  prose:
    "# Night *shift*\r\n\r\nHe **does not** need `the page`.\n他说**好**。\n\n---\n\nSee [the log][1] and ![plate](agent-asset://box/7.png).\n\n[1]: https://example.org/log 'Log'\n",
  lists: "- one\n- two\n  1. a\n  2. b\n\n     more\n- [x] done\n- [ ] not *yet\n\nend\n\n* * *\n+ other\n",
  quotes: "> quoted **text\n> - [ ] in a list\n>\n> ```js\n> let x = '`';\n> ```\nlazy\n\nafter\n===\n\nlast\n-\n",
  tables: "| a | b |\n|:-:|--:|\n| 1 | `x` |\n| 2 | **y** |\n\ntext | no table\n-- not\n\na|b\n-|-\n3|4\n",
  code: "```py\ndef f():\n\n    return '$5'\n```\n\n    indented\n\n\n    more\n\n~~~\nopen *fence*\n\n- not a list\n",
  maths:
    "It costs $5 and $6, $x^2$ is not.\n\n$$\n\\frac{a}{b}\n$$\n\n\\[\nE=mc^2\n\\]\n\nAnd \\(a_1*b_1\\) or $$z$$.\n\n$$ open\n\nnever closed $ here\n",
  formulaOfMarks: "$$\n# a\n- b\n> c\n1. d\n# e\n- f\n> g\n# h\n- i\n# j\n$$\n\nend\n",
  html: '<div class="a">\n<b>x</b>\n</div>\n\n<button type="send" value="Go on">On</button> <br> <i>x</i>\n\n<!-- a\n\nb -->\n\n<style>\np{}\n</style>\nend <but',
  references:
    "[a] and [b]\n\np\n\np\n\np\n\np\n\np\n\np\n\np\n\np\n\n[a]: https://a.example\n\n[b]:\n  https://b.example\n\n[a]: https://late.example\n",
  marks:
    "**bold *both*** ~~gone~~ ***all\n\n2*3 = 6 and snake_case_name, ``code ` tick`` and `open\n\n\\*no\\* [half](https://exa",
};

describe("a text that streams", () => {
  test.each(Object.entries(TEXTS))("is at every point as if it were drawn anew: %s", (_, text) => {
    const host = document.createElement("div");
    const view = new MarkdownView(host);
    for (let end = 1; end <= text.length; end++) {
      view.update(text.slice(0, end), { open: true });
      expect(host.innerHTML).toBe(html(text.slice(0, end), true));
    }
    view.update(text);
    expect(host.innerHTML).toBe(html(text));
  });

  test.each(
    Object.entries(TEXTS),
  )("is the same when it comes in other parts, or is another text before: %s", (_, text) => {
    for (const step of [2, 7, 31]) {
      const host = document.createElement("div");
      const view = new MarkdownView(host);
      view.update("Something *else*\n\n- before\n");
      for (let end = 0; end < text.length; end += step) view.update(text.slice(0, end), { open: true });
      view.update(text);
      expect(host.innerHTML).toBe(html(text));
    }
  });

  test("keeps the elements of blocks that stay", () => {
    const host = document.createElement("div");
    const view = new MarkdownView(host);
    const paragraphs = Array.from({ length: 40 }, (_, i) => `Paragraph **${i}**.\n\n`);
    let text = "";
    const seen: ChildNode[] = [];
    for (const each of paragraphs) {
      text += each;
      view.update(text, { open: true });
      expect([...host.childNodes].slice(0, seen.length - 1)).toEqual(seen.slice(0, -1));
      for (const [i, element] of seen.slice(0, -1).entries()) expect(host.childNodes[i]).toBe(element);
      seen.splice(0, seen.length, ...host.childNodes);
    }
    expect(seen).toHaveLength(40);
  });

  test("that is edited in the middle keeps what is before and behind", () => {
    const host = document.createElement("div");
    const view = new MarkdownView(host);
    view.update("one\n\ntwo\n\nthree\n");
    const [first, , last] = host.childNodes;
    view.update("one\n\n- 2\n\ntwo and a half\n\nthree\n");
    expect(host.childNodes[0]).toBe(first);
    expect(host.childNodes[3]).toBe(last);
  });
});

test("the blocks of any mixture of signs, as it grows, are those of the whole text", () => {
  const signs = [
    ..."\n|\n\n|- |> |# |```|$$|\\[|\\]|**|`|[a]|[a]: /x\n|<div>\n|<!--|-->|text|1. |    |===|---|\n\nword\n\n".split(
      "|",
    ),
    "| a | b |\n|-|-|\n",
    "|",
  ];
  let seed = 7;
  const next = (): string => {
    seed = (seed * 1103515245 + 12345) & 0x7fffffff;
    return signs[(seed >> 8) % signs.length];
  };
  const said = (reader: BlockReader, text: string) =>
    JSON.stringify(reader.blocks(text, true).map(({ key, tokens }) => [key, tokens.map((each) => each.content)]));
  for (let run = 0; run < 40; run++) {
    const reader = new BlockReader();
    let text = "";
    for (let i = 0; i < 60; i++) {
      text += next();
      expect(said(reader, text), JSON.stringify(text)).toBe(said(new BlockReader(), text));
    }
  }
});

describe("what is not closed yet", () => {
  test.each([
    ["**bold", "<p><strong>bold</strong></p>"],
    ["**bold*", "<p><strong>bold</strong></p>"],
    ["a *b **c", "<p>a <em>b <strong>c</strong></em></p>"],
    ["~~gone", "<p><s>gone</s></p>"],
    ["a `code", "<p>a <code>code</code></p>"],
    ["say [this](https://exam", "<p>say this</p>"],
    ["para\n-", "<p>para</p>"],
    ["2*3", "<p>2*3</p>"],
    ["go <button type=send>Yes", "<p>go </p>"],
  ])("%s is drawn as it will be", (text, expected) => {
    expect(html(text, true)).toBe(expected);
  });

  test("a table is one from the first dash under its head on", () => {
    expect(drawn("| a | b |\n|-", true).querySelectorAll("th")).toHaveLength(2);
    expect(drawn("| a | b |\n|-").querySelector("th")).toBeNull();
  });

  test("code has no button before it is finished", () => {
    expect(drawn("```\nx", true).querySelector("button")).toBeNull();
    expect(drawn("```\nx").querySelector("button")?.textContent).toBe("Copy");
  });
});

describe("formulas", () => {
  const formulas = (text: string) => [...drawn(text).querySelectorAll(".md-maths")].map((each) => each.textContent);

  test.each([
    ["$x$, \\(y\\), $$z$$ and \\[w\\]", ["x", "y", "z", "w"]],
    ["$$\na\nb\n$$", ["a\nb"]],
    ["- in a list $a_1 b_1$", ["a_1 b_1"]],
    ["$5 and $6", []],
    ["US$5 or $7-$8, $5.00", []],
    ["$5 apples$ and", []],
    ["每个$5，共$x个", []],
    ["`$x$` and\n\n```\n$y$\n```", []],
    ["\\$x\\$", []],
    ["$ x $ and $y", []],
  ])("in %s", (text, found) => {
    expect(formulas(text)).toEqual(found);
  });

  test("are their source where nothing can draw them", () => {
    expect(words("so $x^2$.")).toBe("so x^2.");
  });
});

describe("addresses", () => {
  test.each(["https://a.example/x", "http://a.example", "mailto:a@b.example"])("%s is a link", (address) => {
    const link = drawn(`[words](${address})`).querySelector("a");
    expect(link?.getAttribute("rel")).toContain("noopener");
    expect(link?.title).toContain("a");
  });

  test.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "vbscript:x",
    "blob:https://x/y",
    "//host/x",
    "relative.md",
  ])("%s is text", (address) => {
    expect(drawn(`[words](<${address}>) <${address}>`).querySelector("a")).toBeNull();
    expect(words(`[words](<${address}>)`)).toContain("words (");
  });

  test("with controls in them lead nowhere", () => {
    expect(linkTo("java\nscript:alert(1)")).toBeNull();
    expect(linkTo("\u0001javascript:alert(1)")).toBeNull();
    expect(linkTo("https://")).toBeNull();
  });

  test("of pictures are asked for only where they name a file of one's own", () => {
    expect(["agent-asset://a/b.png", "asset:7", "stickers/wave.png"].every(namesOwnFile)).toBe(true);
    expect(
      ["https://x/y.png", "//x/y.png", "\\\\x\\y", " HTTPS://x", "data:image/png;base64,", "file:///x", ""].some(
        namesOwnFile,
      ),
    ).toBe(false);
    expect(drawn("![a plate](https://x.example/y.png)").querySelector("img")).toBeNull();
    expect(words("![a plate](https://x.example/y.png)")).toBe("a platehttps://x.example/y.png");
  });
});

describe("a button that a model wrote", () => {
  function pressed(text: string): { said: string; got: ModelButton[] } {
    const host = document.createElement("div");
    const got: ModelButton[] = [];
    new MarkdownView(host, { onButton: (button) => got.push(button) }).update(text);
    host.querySelector<HTMLElement>(".md-button button")?.click();
    return { said: host.textContent ?? "", got };
  }

  test.each([
    ['A <button type="send" value="I turn the page.">Turn the page</button>', "send", "sends"],
    [
      "<div>\n<button type=input value='I turn the page.'>Turn the page</button>\n</div>",
      "input",
      "writes into your message",
    ],
    ['<button type="copy" value="I turn the page." onclick="alert(1)">Turn the page</button>', "copy", "copies"],
  ])("%s says what it will do, and does it", (text, kind, will) => {
    const { said, got } = pressed(text);
    expect(said).toContain(`the model\u2019s button: ${will} \u201cI turn the page.\u201d`);
    expect(got).toEqual([{ kind, label: "Turn the page", text: "I turn the page." }]);
  });

  test.each([
    '<button type="submit" value="x">Go</button>',
    "<button>Go</button>",
    '<button type="send"></button>',
  ])("%s is text, because it says nothing that can be done", (text) => {
    expect(drawn(text).querySelector(".md-button")).toBeNull();
    expect(words(text)).toContain("<button");
  });

  test("shows what would turn its words around", () => {
    expect(pressed('<button type="send" value="a\u202eb">x</button>').said).toContain("a\\u202eb");
  });
});

describe("hostile and huge texts", () => {
  test("are shown whole, and as text", () => {
    const text = "<script>alert(1)</script>\n\n<img src=x onerror=alert(1)> <svg onload=alert(1)>";
    const host = drawn(text);
    expect(host.querySelector("script, img, svg[onload]")).toBeNull();
    expect(host.textContent).toContain("<img src=x onerror=alert(1)>");
  });

  test("quotes a thousand deep lose no word", () => {
    const host = drawn(`${"> ".repeat(1000)}deep`);
    expect(host.textContent).toContain("deep");
    expect(host.querySelectorAll("blockquote").length).toBeLessThan(60);
  });

  test("emphasis a thousand deep loses no word", () => {
    const host = drawn(`${"*a ".repeat(1000)}deep${" b*".repeat(1000)}`);
    expect(host.textContent).toContain("deep");
    expect(host.querySelectorAll("em").length).toBeLessThan(60);
  });

  test("a line of a million characters is drawn a part at a time", () => {
    const host = drawn("x".repeat(1_000_000));
    expect(host.textContent!.length).toBeLessThan(60_000);
    host.querySelector<HTMLElement>(".md-more")?.click();
    expect(host.textContent!.length).toBeGreaterThan(100_000);
  });

  test("a table of ten thousand cells is drawn a part at a time, and whole on demand", () => {
    const host = drawn(`|a|b|c|d|\n|-|-|-|-|\n${"|1|2|3|4|\n".repeat(2500)}`);
    expect(host.querySelectorAll("td").length).toBeLessThan(2_100);
    for (let more = host.querySelector<HTMLElement>(".md-more"); more; more = host.querySelector(".md-more"))
      more.click();
    expect(host.querySelectorAll("td")).toHaveLength(10_000);
  });

  test.each([
    ["brackets", "[".repeat(50_000)],
    ["dollars", "$a ".repeat(20_000)],
    ["ticks", Array.from({ length: 300 }, (_, i) => "`".repeat(i + 1)).join(" ")],
    ["stars", "*a_".repeat(20_000)],
    ["tags", "<a ".repeat(20_000)],
    ["buttons", "<button type=send>".repeat(2_000)],
  ])("many %s are drawn, open or not", (_, text) => {
    expect(words(text).length).toBeGreaterThan(1000);
    drawn(text, true);
  });
});
