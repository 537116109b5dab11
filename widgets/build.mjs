// One small bundle a widget, written beside its source: all of them, or those that are named.
// `--check` says which committed ones are stale and writes nothing.
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";
import { notices } from "./notices.mjs";

const LIMIT_BYTES = 100_000;
const LARGER_BYTES = {
  /** The tree is a canvas, an outline and an editor in one. */
  "branch_tree/static/widget.js": 112_000,
  /** A conversation: its list, input and the parser of Markdown. */
  "chat_panel/static/widget.js": 200_000,
  /** Sent when the first formula or diagram is drawn. */
  "_shared/static/maths.js": 300_000,
  "_shared/static/mermaid.js": 4_000_000,
  /** Pages for tests, with the parser of Markdown in them. */
  "../../tests/gallery/static/markdown_page.js": 200_000,
  "../../tests/gallery/static/chat_list_page.js": 250_000,
};
const TARGET = ["chrome111", "firefox113", "safari16.4"];
const home = dirname(fileURLToPath(import.meta.url));
const base = `${home}/ctxlab_widgets`;
const root = dirname(home);
const named = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const folders = (await readdir(base)).filter((name) => existsSync(`${base}/${name}/widget.ts`));
const ENTRIES = Object.fromEntries([
  ["_shared/static/host", "_shared/host.ts"],
  ["_shared/static/maths", "_shared/markdown/maths_bundle.ts"],
  ["_shared/static/mermaid", "_shared/markdown/mermaid_bundle.ts"],
  ["../../tests/gallery/static/markdown_page", "../tests/markdown_page/widget.ts"],
  ["../../tests/gallery/static/chat_list_page", "../tests/chat_list_page/widget.ts"],
  ...folders
    .filter((name) => !named.length || named.includes(name))
    .map((name) => [`${name}/static/widget`, `${name}/widget.ts`]),
]);

// A stylesheet is imported as text. The tokens speak of the page's root; in a notebook they belong to the widget's.
// Several widgets share a page: the rules of one hold in its own root only, those of a component in the roots of the
// views that import it. A root says itself which theme it has:
// the copy of the dark theme for pages that leave it to the system is left out.
const OF_THE_SYSTEM = /@media \(prefers-color-scheme: dark\) \{[^{}]*\{[^{}]*\}\s*\}/g;
const OWN_ROOT = "\u00a7";
// What many rules have is said once in looks.css; `composes: row clipped` in a rule stands for those declarations.
const LOOKS = new Map(
  [...(await readFile(`${base}/_shared/looks.css`, "utf8")).matchAll(/^\.([\w-]+) \{([^}]*)\}/gm)].map(
    ([, name, body]) => [name, body.trim()],
  ),
);
const composed = (sheet, path) =>
  sheet.replaceAll(/\bcomposes: ([\w -]+);/g, (_, names) =>
    names
      .split(" ")
      .map((name) => {
        if (LOOKS.has(name)) return LOOKS.get(name);
        throw new Error(
          `${path} composes ${name}, which is no look of _shared/looks.css: ${[...LOOKS.keys()].join(", ")}`,
        );
      })
      .join(" "),
  );
const styles = {
  name: "styles",
  setup(at) {
    at.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const source = composed(await readFile(path, "utf8"), path)
        .replaceAll(OF_THE_SYSTEM, "")
        .replaceAll(":root", ".ctxlab");
      const { code } = await transform(source, { loader: "css", minify: true, target: TARGET });
      if (path.includes("/_shared/") && !path.includes("/components/")) return { contents: code, loader: "text" };
      // A sign, for which the view's root is written once the sheets are together (mount.ts).
      return { contents: code.replaceAll(/\.ctxlab\b/g, OWN_ROOT), loader: "text" };
    });
  },
};

// A layout of 1.5 MB that diagrams use only where they ask for it.
const NO_ELK = "export default class { constructor() { throw new Error('the layout elk is left out') } }";
const withoutElk = {
  name: "without-elk",
  setup(at) {
    at.onLoad({ filter: /\/elkjs\/lib\/elk[^/]*\.js$/ }, () => ({ contents: NO_ELK, loader: "js" }));
  },
};
// What the parser of Markdown brings for pages without a browser: signs by name are read by the browser itself, classes
// of signs are its own, and addresses are taken as they stand, so that nobody finds or rewrites any.
const OF_THE_BROWSER = {
  entities: `export const decodeHTMLStrict = (sign) => {
    if (!/^&[#\\w]+;$/.test(sign)) return sign;
    const made = new DOMParser().parseFromString("x" + sign, "text/html").documentElement.textContent.slice(1);
    return made.endsWith(";") && sign !== "&semi;" ? sign : made;
  };`,
  "linkify-it": "export class LinkifyIt {}",
  mdurl: "const same = (x) => x; export { same as decode, same as encode, same as format, same as parse };",
  "punycode.js": "export default {};",
  "uc.micro": "export const P = /\\p{P}/u, S = /\\p{S}/u;",
};
const withTheBrowser = {
  name: "with-the-browser",
  setup(at) {
    const filter = new RegExp(`^(?:${Object.keys(OF_THE_BROWSER).join("|").replaceAll(".", "\\.")})$`);
    at.onResolve({ filter }, ({ path, importer }) =>
      importer.includes("/markdown-it/") ? { path, namespace: "browser" } : undefined,
    );
    at.onLoad({ filter, namespace: "browser" }, ({ path }) => ({ contents: OF_THE_BROWSER[path], loader: "js" }));
  },
};
// A script of its own for a frame, which holds no modules.
const SCRIPTS = new Set(["_shared/static/mermaid"]);

const bundle = (out, file) =>
  build({
    entryPoints: [{ in: `${base}/${file}`, out: relative(root, `${base}/${out}`) }],
    outdir: root,
    bundle: true,
    minify: true,
    format: SCRIPTS.has(out) ? "iife" : "esm",
    target: TARGET,
    charset: "utf8",
    legalComments: "none",
    define: { VIEW: JSON.stringify(basename(dirname(file))) },
    plugins: [styles, withoutElk, withTheBrowser],
    write: false,
    metafile: true,
    absWorkingDir: home,
  });

const built = await Promise.all(Object.entries(ENTRIES).map(([out, file]) => bundle(out, file)));
const outputs = built.map(({ outputFiles: [{ path, text }], metafile }) => {
  const whole = notices(Object.keys(metafile.inputs), home) + text;
  return { path, text: whole, size: Buffer.byteLength(whole) };
});

let wrong = 0;
for (const { path, text, size } of outputs) {
  const name = relative(home, path);
  const limit = LARGER_BYTES[relative(base, path)] ?? LIMIT_BYTES;
  if (size > limit) {
    console.error(`${name} has ${size} bytes, more than ${limit}`);
    wrong += 1;
  }
  if (process.argv.includes("--check")) {
    if ((await readFile(path, "utf8").catch(() => "")) === text) continue;
    console.error(`${name} is not what its source gives; run: make widgets`);
    wrong += 1;
  } else {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    console.log(`${name} ${(size / 1000).toFixed(1)} kB`);
  }
}
process.exitCode = wrong ? 1 : 0;
