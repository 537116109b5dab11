// Which addresses in a message may become a link, and which pictures may be asked for.

const LINKS = new Set(["http:", "https:", "mailto:"]);
const SCHEME = /^[\s\x00-\x20]*([a-z][a-z0-9+.-]*):/i;
const NEVER_ASKED = new Set(["http", "https", "ftp", "ws", "wss", "data", "blob", "file", "javascript", "vbscript"]);

/** The address as the browser will understand it; null where it is none that a message may lead to. */
export function linkTo(address: string): string | null {
  if (!SCHEME.test(address)) return null;
  try {
    const { protocol, href } = new URL(address);
    return LINKS.has(protocol) ? href : null;
  } catch {
    return null;
  }
}

/** Whether a picture's address names a file of the session or agent, and nothing that is elsewhere. */
export function namesOwnFile(address: string): boolean {
  const scheme = SCHEME.exec(address)?.[1].toLowerCase();
  return !!address && !/^[\\/]{2}/.test(address) && (!scheme || !NEVER_ASKED.has(scheme));
}

export const shortened = (text: string, most: number): string => {
  const signs = [...text.slice(0, 2 * most + 2)];
  return signs.length > most ? `${signs.slice(0, most - 1).join("")}\u2026` : text;
};
