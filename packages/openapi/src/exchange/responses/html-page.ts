import { visibleText } from "@toolweave/core";
import { withoutSecrets } from "./secret-text.ts";

/** Characters of a page that are looked at; what it is about stands at its beginning. */
const maxPageLength = 50_000;
const maxLineLength = 200;

/** True for a page of HTML, or a part of one; servers call plain text so, too. */
export function isHtml(mediaType: string | undefined, body: string): boolean {
  if (mediaType === "text/html" || mediaType === "application/xhtml+xml") {
    return /<[a-z!/]/i.test(body);
  }
  return /^\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype html|html)\b/i.test(body);
}

/**
 * What a page says, in one line of 200 characters at most: its title, else its first visible line,
 * and of those the first that says more than the status. `undefined`: none does.
 */
export function htmlText(page: string, { status, statusText }: PageStatus): string | undefined {
  const said = new Set([
    ...extractWords(statusText),
    String(status),
    "http",
    "error",
    "status",
    "code",
  ]);
  const line = visibleLines(page.slice(0, maxPageLength)).find((text) =>
    extractWords(text).some((word) => !said.has(word)),
  );
  if (line === undefined || line.length <= maxLineLength) return line;
  return `${line.slice(0, maxLineLength).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** What a page says, behind an introduction; empty when that is nothing. */
export function htmlWords(
  page: string,
  status: PageStatus,
  secrets: readonly string[],
  introduction: string,
): string {
  const words = htmlText(page, status);
  if (words === undefined) return "";
  // A credential that was cut up by tags, or escaped, is whole again.
  return `${introduction}${JSON.stringify(withoutSecrets(words, secrets))}`;
}

/** The status that a page was sent with. */
interface PageStatus {
  readonly status: number;
  readonly statusText: string;
}

function extractWords(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Comments, what is not shown, tags, texts: each begins where the one before ends. */
const parts =
  /<!--[^]*?(?:-->|$)|<(script|style|template|svg|math|noscript|textarea|select)\b[^]*?(?:<\/\1\s*>|$)|<\/?([a-z][a-z0-9]*)[^>]*>?|<[!?][^>]*>?|<|[^<]+/gi;

/** Elements that stand within a line. */
const inline =
  /^(?:a|abbr|b|big|code|em|font|i|kbd|mark|samp|small|span|strong|sub|sup|tt|u|wbr)$/i;

function visibleLines(page: string): string[] {
  const text = page.replace(parts, (part, unseen: string | undefined, tag: string | undefined) => {
    if (tag !== undefined) return inline.test(tag) ? "" : "\n";
    if (unseen !== undefined || /^<[!?]/.test(part)) return "";
    return part.replace(/\s+/g, " ");
  });
  const lines = decoded(text).split("\n");
  return lines.map((line) => visibleText(line).replace(/\s+/g, " ").trim());
}

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  apos: "'",
  copy: "©",
  gt: ">",
  hellip: "…",
  lt: "<",
  mdash: "—",
  middot: "·",
  nbsp: " ",
  ndash: "–",
  quot: '"',
};

function decoded(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/gi,
    (entity, decimal: string | undefined, hex: string | undefined, name: string | undefined) => {
      if (name !== undefined) return entities[name.toLowerCase()] ?? entity;
      const code = decimal === undefined ? parseInt(hex as string, 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : entity;
    },
  );
}
