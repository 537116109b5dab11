// The licences of the packages in a bundle, as a comment at its head: who made them, and each licence's text once.
import { existsSync, readdirSync, readFileSync } from "node:fs";

const PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;
const TERMS = /^\s*(?:permission (?:is hereby|to use)|redistribution and use|apache license|mozilla public)/im;

/** `inputs` are the names of a bundle's sources; empty where none is a package's. */
export function notices(inputs, home) {
  const folders = [...new Set(inputs.map((name) => PACKAGE.exec(name)?.[1]).filter(Boolean))].sort();
  const byTerms = new Map();
  for (const folder of folders) {
    const { name, version, license } = JSON.parse(readFileSync(`${home}/${folder}/package.json`, "utf8"));
    const { owners, terms } = licenceOf(`${home}/${folder}`);
    const key = terms || `Licence: ${license}`;
    byTerms.set(key, [...(byTerms.get(key) ?? []), `${name} ${version}, ${license}${owners && `; ${owners}`}`]);
  }
  if (!folders.length) return "";
  const parts = [...byTerms].map(([terms, packages]) => `${packages.join("\n")}\n\n${terms}`);
  return `/*! With these packages:\n\n${parts.join("\n\n").replaceAll("*/", "* /")}\n*/\n`;
}

function licenceOf(folder) {
  const file = existsSync(folder) && readdirSync(folder).find((name) => /^licen[cs]e(?!.*\.js)/i.test(name));
  if (!file) return { owners: "", terms: "" };
  const text = readFileSync(`${folder}/${file}`, "utf8");
  const owners = text.split("\n").filter((line) => /^\W*copyright (?!notice|holder|owner|and |license)/i.test(line));
  const from = text.search(TERMS);
  const terms = from < 0 ? text : text.slice(from);
  return { owners: owners.map((line) => line.trim()).join("; "), terms: terms.replace(/\s+/g, " ").trim() };
}
