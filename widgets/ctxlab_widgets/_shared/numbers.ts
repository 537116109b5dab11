export const grouped = (n: number): string => n.toLocaleString("en-US");

/** Milliseconds with as many digits as matter: "0.02 ms", "3.1 ms", "8,012 ms". */
export function milliseconds(seconds: number): string {
  const ms = seconds * 1000;
  const digits = ms >= 100 ? 0 : ms >= 0.1 ? 1 : 2;
  return `${ms.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })} ms`;
}

export const many = (n: number, word: string): string => `${grouped(n)} ${word}${n === 1 ? "" : "s"}`;
