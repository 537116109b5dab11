// First words to choose from where nothing was said yet but the greeting.

import type { Row } from "./payload";

const MOST = 3;
const LONGEST = 120;
const ITEM = /^\s*(?:[-*+\u2022]|\d{1,2}[.)\u3001]|[A-D][.)])\s+(.+)$/gm;
const BUTTON = /<button\b[^>]*>([^<]{1,200})<\/button>/gi;
const HAN = /[\u4e00-\u9fff]/g;
const PLAIN = {
  en: ["Where are we?", "Who are you?", "What happened before I came?"],
  zh: ["这里是哪里？", "你是谁？", "我来之前发生了什么？"],
};

/** What the greeting offers, its buttons and the items of its list; else three first questions in its language. */
export function starters(rows: Row[]): string[] {
  const messages = rows.filter(({ kind }) => kind === "message");
  const [greeting] = messages;
  if (messages.length !== 1 || greeting.role !== "assistant" || greeting.state !== "complete") return [];
  const offered = [BUTTON, ITEM].flatMap((each) => [...greeting.text.matchAll(each)].map(([, words]) => bare(words)));
  const found = [...new Set(offered)].filter((words) => words && words.length <= LONGEST);
  if (found.length) return found.slice(0, MOST);
  const isChinese = (greeting.text.match(HAN)?.length ?? 0) * 3 > greeting.text.length;
  return isChinese ? PLAIN.zh : PLAIN.en;
}

const bare = (words: string): string => words.replaceAll(/[*_`]+/g, "").trim();
