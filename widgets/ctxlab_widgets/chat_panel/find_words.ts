// Words in messages: where they stand, and their marks in what is drawn.

import { h } from "../_shared/dom";
import type { Row } from "./payload";
import { shownText } from "./row_actions";

export interface Hit {
  key: string;
  /** Which of the places in this message it is, from 0. */
  nth: number;
}

/** More are not counted. */
export const MOST_HITS = 5000;

const WIDE = 0xfee0; // from a letter, digit or sign to its full-width form

/** Finds words whatever their case, width and composition, as Python does on the other branches. */
function patternOf(words: string): RegExp {
  const narrow = words.normalize("NFKC");
  const forms = [...new Set([narrow, narrow.normalize("NFD")])];
  return new RegExp(forms.map((form) => [...form].map(anyWidth).join("")).join("|"), "giu");
}

function anyWidth(character: string): string {
  const escaped = character.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  if (character === " ") return "[ \u3000]";
  return /[!-~]/.test(character) ? `(?:${escaped}|${String.fromCodePoint(character.codePointAt(0)! + WIDE)})` : escaped;
}

/** Every place of the words in the texts that one reads, in order, whatever the case; none for no words. */
export function findWords(rows: Row[], words: string): Hit[] {
  const out: Hit[] = [];
  if (!words.trim()) return out;
  const pattern = patternOf(words);
  for (const row of rows) {
    let nth = 0;
    for (const _ of shownText(row).matchAll(pattern)) {
      if (out.length === MOST_HITS) return out;
      out.push({ key: row.key, nth });
      nth += 1;
    }
  }
  return out;
}

/** Takes the marks out of an element, and puts them at the places of the words; returns them in order. */
export function markWords(element: HTMLElement, words: string): HTMLElement[] {
  for (const mark of element.querySelectorAll("mark.hit")) {
    const parent = mark.parentNode!;
    mark.replaceWith(...mark.childNodes);
    parent.normalize();
  }
  if (!words.trim()) return [];
  const pattern = patternOf(words);
  const walker = element.ownerDocument.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode())
    if (!walker.currentNode.parentElement?.closest("math, svg")) texts.push(walker.currentNode as Text);
  return texts.flatMap((text) => markText(text, pattern));
}

function markText(text: Text, pattern: RegExp): HTMLElement[] {
  const found = [...text.data.matchAll(pattern)];
  if (!found.length) return [];
  const out: HTMLElement[] = [];
  const pieces: (string | HTMLElement)[] = [];
  let at = 0;
  for (const { 0: words, index } of found) {
    const mark = h("mark", { class: "hit" }, words);
    pieces.push(text.data.slice(at, index), mark);
    out.push(mark);
    at = index + words.length;
  }
  text.replaceWith(...pieces, text.data.slice(at));
  return out;
}
