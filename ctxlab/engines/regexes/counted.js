// Finds matches while counting work: the outcome depends on the pattern and the text alone, never on a clock.
//
// V8 can stop an expression after a number of backtracks, and then says "no match". To tell that from a text without a
// match, END, which matches at the end of every text, is one more alternative: null then means "stopped". What
// was stopped runs again with a limit STEP times as large, so the sum of the limits that were reached is at least
// a third of the work done.
"use strict";

const FIRST_LIMIT = 1000;
const STEP = 4;
const MOST_WORK = 1e9; // a limit is a small integer for V8
const LINEAR_FROM = 64000; // backtracks of one match, from which V8's engine of linear time takes over where it can
// Of a unicode expression `(?![^])` alone would also match between the halves of a surrogate pair, where V8 looks too.
const END = "(?:(?<=[^])|^)(?![^])";
const KEPT_PATTERNS = 2000;

const compiled = new Map();
let withLimit = null;
try {
  withLimit = new Function("body", "flags", "limit", "return %NewRegExpWithBacktrackLimit(body, flags, limit)");
} catch {
  // V8 was started by somebody else in this process, without --allow-natives-syntax: nothing is counted.
}

class TooMuchWork extends Error {}

// What is left of the work that one pattern may do in one text; a text gets more the longer it is.
class Work {
  constructor(most, text) {
    this.most = Math.min(most + 50 * text.length, MOST_WORK);
    this.left = this.most;
  }

  take(amount) {
    if (amount > this.left) this.refuse();
    this.left -= amount;
  }

  refuse() {
    throw new TooMuchWork(`it needs more than ${this.most.toLocaleString("en-US")} backtracks in one text`);
  }
}

class Expression {
  constructor(body, flags) {
    if (flags.includes("l")) throw new SyntaxError(`Invalid flags supplied to RegExp constructor '${flags}'`);
    this.plain = new RegExp(body, flags);
    this.body = body;
    this.flags = flags;
    this.global = this.plain.global;
    this.unicode = this.plain.unicode || this.plain.unicodeSets;
    this.sticky = this.plain.sticky;
    this.choices = choicesOf(body, this.plain);
    this.limited = [];
    this.linear = undefined;
  }

  // Whether a text is so short that counting is needless.
  isHarmless(text, most) {
    if (this.choices === null) return false;
    const length = text.length + 1;
    return this.choices.factor * length ** (this.choices.loops + 1) <= most;
  }

  // The expression that stops at a limit, and says so; and one that says whether it matches at a place.
  at(tier, limit) {
    let pair = this.limited[tier];
    if (pair === undefined) {
      const sticky = this.sticky ? this.flags : `${this.flags}y`;
      const whole = withLimit(`${this.body}|${this.sticky ? "" : END}`, this.flags, limit);
      pair = { whole, here: withLimit(this.body || "(?:)", sticky, limit) };
      this.limited[tier] = pair;
    }
    return pair;
  }

  // The same for V8's engine of linear time; null where it can't do it.
  inLinearTime() {
    if (this.linear === undefined) {
      try {
        this.linear = new RegExp(this.body, `${this.flags}l`);
      } catch {
        this.linear = null;
      }
    }
    return this.linear;
  }
}

// How many ways there are through a pattern without a loop in a loop: at most `factor` times the text's length to the
// power of `loops` from each place of the text. Counts too much rather than too little; null where loops are nested.
function choicesOf(body, expression) {
  const bare = body.replace(/\\[^]|\[(?:\\[^]|[^\]])*\]/g, "x");
  if (expression.unicodeSets || /\)[*+{]/.test(bare)) return null;
  const count = (signs) => bare.split(signs).length - 1;
  return { loops: count(/[*+{]/), factor: 2 ** count(/[?|]/) };
}

function compile([body, flags]) {
  const key = `${flags}/${body}`;
  let expression = compiled.get(key);
  if (expression === undefined) {
    if (compiled.size >= KEPT_PATTERNS) compiled.delete(compiled.keys().next().value);
    expression = new Expression(body, flags);
    compiled.set(key, expression);
  }
  return expression;
}

// The first match from a place on, as exec gives it, or null; throws TooMuchWork.
function matchFrom(expression, text, from, work) {
  if (from > text.length) return null;
  if (withLimit === null || expression.isHarmless(text, work.most)) return run(expression.plain, text, from);
  for (let tier = 0, limit = FIRST_LIMIT; ; tier++, limit *= STEP) {
    if (limit >= LINEAR_FROM && expression.inLinearTime() !== null) {
      work.take(text.length - from);
      return run(expression.linear, text, from);
    }
    if (limit > work.left) work.refuse();
    const { whole, here } = expression.at(tier, limit);
    const match = run(whole, text, from);
    if (match !== null) {
      const end = expression.sticky ? from : text.length;
      return match[0] === "" && match.index === end ? run(here, text, end) : match;
    }
    work.take(limit);
  }
}

function run(expression, text, from) {
  expression.lastIndex = from;
  return expression.exec(text);
}

// Where the next match is looked for.
function after(expression, text, match) {
  const end = match.index + match[0].length;
  if (match[0] !== "") return end;
  return end + (expression.unicode && text.codePointAt(end) > 0xffff ? 2 : 1);
}
