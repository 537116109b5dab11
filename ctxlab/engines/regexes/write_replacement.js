// The text that a replacement template writes for a match: groups, names, and what stands around the match.

// A replacement is a list of words and of references: a group's number or name, "&", "`", "'", or "match".
function writerOf(rule) {
  const { template, trim, grammar } = rule;
  if (template.every((part) => typeof part === "string")) {
    const words = template.join("");
    return () => words;
  }
  const trimmed = (value) => {
    for (const unwanted of trim) value = value.replaceAll(unwanted, "");
    return value;
  };
  const values = {
    "&": (matched) => matched[0],
    match: (matched) => trimmed(matched[0]),
    "`": (matched, count, start, text) => text.slice(0, start),
    "'": (matched, count, start, text) => text.slice(start + matched[0].length),
    group: (matched, count, start, text, groups, part) =>
      grammar === "arguments"
        ? argument(matched, count, start, text, Number(part.digits), trimmed)
        : numbered(matched, count, part, trimmed, grammar),
    name: (matched, count, start, text, groups, part) => {
      if (groups === undefined) return grammar === "arguments" ? "" : part.as_written;
      const value = groups[part.name];
      return value === undefined ? "" : trimmed(value);
    },
  };
  return (matched, count, start, text, groups) => {
    let made = "";
    for (const part of template) {
      made += typeof part === "string" ? part : values[part.kind](matched, count, start, text, groups, part);
    }
    return made;
  };
}

// What a function is given that replaces a match: groups, then the place of the match, then the whole text.
function argument(matched, count, start, text, number, trimmed) {
  if (number <= count) return matched[number] === undefined ? "" : trimmed(matched[number]);
  if (number === count + 1) return start === 0 ? "" : String(start);
  return number === count + 2 ? trimmed(text) : "";
}

// "$12" is group 12 where there are so many, else group 1 and a 2; a group that doesn't exist stays as written.
function numbered(matched, count, part, trimmed, grammar) {
  const { digits } = part;
  const number = Number(digits);
  if (number >= 1 && number <= count) {
    const value = matched[number];
    if (value !== undefined) return trimmed(value);
    return grammar === "braces" ? part.as_written : "";
  }
  const first = grammar === "braces" ? 0 : Number(digits[0]);
  if (digits.length === 2 && first >= 1 && first <= count) {
    const value = matched[first];
    return (value === undefined ? "" : trimmed(value)) + digits[1];
  }
  return part.as_written;
}
