/** Patterns of a stack trace of V8, SpiderMonkey, JavaScriptCore or Python. */
const stackPatterns: readonly RegExp[] = [
  /\bat [^\n]*(?:file:\/\/|node:|[A-Za-z]:\\|\/)[^\s()]*:\d+:\d+/,
  /^\S*@\S+:\d+:\d+$/m,
  /Traceback \(most recent call last\)/,
];

/**
 * Patterns of file paths of a host. Paths of URLs do not match: those of APIs also begin with
 * /users and /media.
 */
const pathPatterns: readonly RegExp[] = [
  /file:\/\/\/?[^\s"'`<>()]+/g,
  /(?<![\w.:/\\-])\/(?:home|Users)\/[\w.-]+\/[^\s"'`<>()|:,;]+/g,
  /(?<![\w.:/\\-])\/(?:root|tmp|etc|opt|srv|private)\/[^\s"'`<>()|:,;]+/g,
  /(?<![\w.:/\\-])\/(?:var\/(?:www|lib|folders|run|tmp|log|task|cache)|usr\/(?:local|lib|src|share|s?bin))\/[^\s"'`<>()|:,;]+/g,
  /(?<![\w.:/\\-])\/[^\s"'`<>()|:,;]*\bnode_modules\/[^\s"'`<>()|:,;]+/g,
  /(?<![\w.:/\\-])[A-Za-z]:\\[^\s"'`<>()|:,;]+/g,
];

/** An HTTP method before a path, as in `GET /tmp/7`. */
const methodPrefix = /\b(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) $/;

const blankTexts: ReadonlySet<string> = new Set([
  "",
  "an error occurred",
  "an unknown error occurred",
  "bad request",
  "error",
  "exception",
  "fail",
  "failed",
  "failure",
  "false",
  "internal error",
  "nan",
  "no reason given",
  "none",
  "null",
  "oops",
  "something went wrong",
  "the tool answered with an error",
  "undefined",
  "unexpected error",
  "unknown",
  "unknown error",
]);

/** True if the text contains a stack trace. */
export function hasStackTrace(text: string): boolean {
  return stackPatterns.some((pattern) => pattern.test(text));
}

/**
 * Finds an absolute path of a file.
 *
 * @param known a text with known paths; they and paths below them are ignored.
 */
export function findHostPath(text: string, known: string): string | undefined {
  for (const pattern of pathPatterns) {
    for (const { 0: path, index } of text.matchAll(pattern)) {
      if (methodPrefix.test(text.slice(0, index))) continue;
      if (!isKnownPath(path, known)) return path;
    }
  }
  return undefined;
}

/** True if the path is in the text, is the parent of one that is, or lies below one. */
function isKnownPath(path: string, known: string): boolean {
  const parts = path.split(/(?<=[/\\])/);
  for (let count = parts.length; count > 1; count--) {
    const start = parts
      .slice(0, count)
      .join("")
      .replace(/[/\\.]+$/, "");
    for (const written of [start, JSON.stringify(start).slice(1, -1)]) {
      const isWhole = count === parts.length;
      const at = known.indexOf(written);
      if (at !== -1 && (isWhole || /^[/\\]*(?:["\s]|$)/.test(known.slice(at + written.length)))) {
        return true;
      }
    }
  }
  return false;
}

/** True if the text contains an escape sequence (ECMA-48) or another terminal control code. */
export function hasControlCode(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- the pattern matches control codes
  return /[\u0000-\u0007\u001b\u009b]/.test(text);
}

/** True if the text contains the beginning of an HTML page. */
export function hasHtmlPage(text: string): boolean {
  return /<!doctype html\b|<html[\s>]/i.test(text);
}

/** True if the text says only that something went wrong. */
export function isBlankMessage(text: string): boolean {
  const words = text
    .toLowerCase()
    .replace(/^(?:(?:uncaught )?\w*error: ?)+/, "")
    .replaceAll(/[^a-z]+/g, " ")
    .trim();
  return blankTexts.has(words) && !/\d/.test(text);
}
