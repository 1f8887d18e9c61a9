import { displayLine, displayProse, displayText } from "@toolweave/core";

/** The maximum number of characters of one text in the page. The rest is counted. */
const maxCharacters = 100_000;

/** Text from outside with its line breaks: control, direction and invisible characters are spelt out. */
export function safeText(text: string): string {
  return displayText(clip(text).replaceAll("\r\n", "\n"));
}

/** Prose from outside on one line. */
export function safeProse(text: string): string {
  return displayProse(clip(text));
}

/** A name, a target or a path from outside on one line, with every space. */
export function safeLine(text: string): string {
  return displayLine(clip(text));
}

function clip(text: string): string {
  if (text.length <= maxCharacters) return text;
  const omitted = text.length - maxCharacters;
  return `${text.slice(0, maxCharacters)}\n… ${omitted.toLocaleString("en")} more characters`;
}

/**
 * A URL from outside that may become a link.
 *
 * @returns `undefined` for anything but an absolute URL with `http:` or `https:` and without credentials.
 */
export function safeUrl(text: string): URL | undefined {
  if (!/^https?:\/\//i.test(text)) return undefined;
  try {
    const url = new URL(text);
    const isWeb = url.protocol === "http:" || url.protocol === "https:";
    return isWeb && url.username === "" && url.password === "" ? url : undefined;
  } catch {
    return undefined;
  }
}
