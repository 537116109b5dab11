// Runs inside V8. Python sends all patterns and texts at once; the work stops for breath every SLICE_MS, so that a call
// which lasts longer than that by the time limit can only be one pattern that hangs. `at` says which: [text, pattern].
"use strict";

const SLICE_MS = 100;
const MOST_GROWTH = 1000000; // by so many characters may rules make one text longer

const at = new Int32Array(new SharedArrayBuffer(8));
let job = null;

// What compiles; the rest goes to `problems`, with V8's own words.
function compileAll(patterns, problems) {
  return patterns.map((pattern, index) => {
    try {
      return compile(pattern);
    } catch (error) {
      problems[index] = error.message;
      return null;
    }
  });
}

// --- first matches

function startSearch(head, texts) {
  const { patterns, left_out, most } = JSON.parse(head);
  const problems = {};
  const expressions = compileAll(patterns, problems);
  for (const index of left_out) expressions[index] = null;
  job = { texts: JSON.parse(texts), expressions, most, problems, found: [], pattern: 0, text: 0, step: search };
  return proceed();
}

function search(until) {
  const { texts, expressions, most, found } = job;
  for (; job.pattern < expressions.length; job.pattern++, job.text = 0) {
    const expression = expressions[job.pattern];
    if (expression === null) continue;
    at[1] = job.pattern;
    for (; job.text < texts.length; job.text++) {
      if (Date.now() > until) return false;
      at[0] = job.text;
      const text = texts[job.text];
      const match = matchFrom(expression, text, 0, new Work(most, text));
      if (match !== null) found.push(job.pattern, job.text, match.index, match.index + match[0].length);
    }
  }
  return true;
}

// --- replacing

function startReplacing(head, texts) {
  const { rules, plans, which, most } = JSON.parse(head);
  const problems = {};
  const expressions = compileAll(rules.map((rule) => rule.pattern), problems);
  const writers = rules.map(writerOf);
  const parsed = JSON.parse(texts);
  const lengths = parsed.map((text) => text.length);
  job = { texts: parsed, lengths, plans, which, most, expressions, writers, problems, found: [], text: 0, rule: 0 };
  job.step = replaceAll;
  return proceed();
}

function replaceAll(until) {
  const { texts, lengths, plans, which, most, expressions, writers, found } = job;
  for (; job.text < texts.length; job.text++, job.rule = 0) {
    const plan = plans[which[job.text]];
    at[0] = job.text;
    for (; job.rule < plan.length; job.rule++) {
      const rule = plan[job.rule];
      const expression = expressions[rule];
      if (expression === null) continue;
      if (Date.now() > until) return false;
      at[1] = rule;
      const text = texts[job.text];
      const edits = [];
      const room = MOST_GROWTH + lengths[job.text] - text.length;
      texts[job.text] = rewritten(text, expression, writers[rule], edits, room, new Work(most, text));
      if (edits.length) found.push([job.text, rule, edits]);
    }
  }
  return true;
}

// As String.prototype.replace goes over a text, match by match.
function rewritten(text, expression, write, edits, room, work) {
  const parts = [];
  let grown = 0;
  let done = 0;
  let match = matchFrom(expression, text, 0, work);
  while (match !== null) {
    const found = match[0];
    const made = write(match, match.length - 1, match.index, text, match.groups);
    grown += made.length - found.length;
    if (grown > room) throw new RangeError(`it makes a text longer by more than ${MOST_GROWTH} characters`);
    if (made !== found) {
      edits.push(match.index, match.index + found.length, made);
      parts.push(text.slice(done, match.index), made);
      done = match.index + found.length;
    }
    match = expression.global ? matchFrom(expression, text, after(expression, text, match), work) : null;
  }
  if (parts.length === 0) return text;
  parts.push(text.slice(done));
  return parts.join("");
}

// --- going on

// The finished result as JSON, or null when there is more to do.
function proceed() {
  let finished;
  try {
    finished = job.step(Date.now() + SLICE_MS);
  } catch (error) {
    job = null;
    return JSON.stringify({ failed: at[1], why: error.message });
  }
  if (!finished) return null;
  const { found, problems } = job;
  job = null;
  return JSON.stringify({ found, problems });
}
