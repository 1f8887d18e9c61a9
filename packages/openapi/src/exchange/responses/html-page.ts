import { visibleText, ellipsize } from "@toolweave/core/adapter";
import { redactSecrets } from "./sent-request.ts";

/** Maximum number of characters of a page that are read; its subject is at the beginning. */
const maxPageLength = 50_000;
const maxLineLength = 200;

/** Returns true for an HTML page, or a part of one; servers also label plain text as HTML. */
export function isHtml(mediaType: string | undefined, body: string): boolean {
  if (mediaType === "text/html" || mediaType === "application/xhtml+xml") {
    return /<[a-z!/]/i.test(body);
  }
  return /^\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype html|html)\b/i.test(body);
}

/**
 * Returns the message of a page, in one line of at most 200 characters: its title, else its first visible line that
 * contains more than the status. `undefined`: there is none.
 */
export function extractMessage(
  page: string,
  { status, statusText }: PageStatus,
): string | undefined {
  const said = new Set([
    ...extractWords(statusText),
    String(status),
    "http",
    "error",
    "status",
    "code",
  ]);
  const line = extractLines(page.slice(0, maxPageLength)).find((text) =>
    extractWords(text).some((word) => !said.has(word)),
  );
  return line === undefined ? undefined : ellipsize(line, maxLineLength);
}

/** Returns the message of a page after an introduction; empty if there is none. */
export function formatMessage(
  page: string,
  status: PageStatus,
  secrets: readonly string[],
  introduction: string,
): string {
  const words = extractMessage(page, status);
  if (words === undefined) return "";
  // A credential that was split by tags, or escaped, is complete here, so it is redacted again.
  return `${introduction}${JSON.stringify(redactSecrets(words, secrets))}`;
}

/** The status with which a page was sent. */
interface PageStatus {
  readonly status: number;
  readonly statusText: string;
}

function extractWords(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Comments, invisible elements, tags, texts: each begins where the previous one ends. */
const parts =
  /<!--[^]*?(?:-->|$)|<(script|style|template|svg|math|noscript|textarea|select)\b[^]*?(?:<\/\1\s*>|$)|<\/?([a-z][a-z0-9]*)[^>]*>?|<[!?][^>]*>?|<|[^<]+/gi;

/** Inline elements, which do not end a line. */
const inline =
  /^(?:a|abbr|b|big|code|em|font|i|kbd|mark|samp|small|span|strong|sub|sup|tt|u|wbr)$/i;

function extractLines(page: string): string[] {
  const text = page.replace(parts, (part, unseen: string | undefined, tag: string | undefined) => {
    if (tag !== undefined) return inline.test(tag) ? "" : "\n";
    if (unseen !== undefined || /^<[!?]/.test(part)) return "";
    return part.replace(/\s+/g, " ");
  });
  const lines = decodeEntities(text).split("\n");
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

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/gi,
    (entity, decimal: string | undefined, hex: string | undefined, name: string | undefined) => {
      if (name !== undefined) return entities[name.toLowerCase()] ?? entity;
      const code = decimal === undefined ? parseInt(hex as string, 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : entity;
    },
  );
}
