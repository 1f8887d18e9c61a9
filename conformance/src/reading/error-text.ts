/** A line of a stack of V8, SpiderMonkey or JavaScriptCore, or the head of a Python one. */
const stackPatterns: readonly RegExp[] = [
  /\bat [^\n]*(?:file:\/\/|node:|[A-Za-z]:\\|\/)[^\s()]*:\d+:\d+/,
  /^\S*@\S+:\d+:\d+$/m,
  /Traceback \(most recent call last\)/,
];

/**
 * Where the files of a host lie. What looks like the path of a URL is none: those of APIs begin with
 * /users and /media, too.
 */
const pathPatterns: readonly RegExp[] = [
  /file:\/\/\/?[^\s"'`<>()]+/g,
  /(?<![\w.:/\\-])\/(?:home|Users)\/[\w.-]+\/[^\s"'`<>()|:,;]+/g,
  /(?<![\w.:/\\-])\/(?:root|tmp|etc|opt|srv|private)\/[^\s"'`<>()|:,;]+/g,
  /(?<![\w.:/\\-])\/(?:var\/(?:www|lib|folders|run|tmp|log|task|cache)|usr\/(?:local|lib|src|share|s?bin))\/[^\s"'`<>()|:,;]+/g,
  /(?<![\w.:/\\-])\/[^\s"'`<>()|:,;]*\bnode_modules\/[^\s"'`<>()|:,;]+/g,
  /(?<![\w.:/\\-])[A-Za-z]:\\[^\s"'`<>()|:,;]+/g,
];

/** An address that somebody asked for: `GET /tmp/7`. */
const methodBefore = /\b(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) $/;

const blanks: ReadonlySet<string> = new Set([
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

/** True when it shows where in a program something was thrown. */
export function stackTrace(text: string): boolean {
  return stackPatterns.some((pattern) => pattern.test(text));
}

/**
 * An absolute path of a file.
 *
 * @param known what may be told: paths in it, and below them.
 */
export function hostPath(text: string, known: string): string | undefined {
  for (const pattern of pathPatterns) {
    for (const { 0: path, index } of text.matchAll(pattern)) {
      if (methodBefore.test(text.slice(0, index))) continue;
      if (!isKnown(path, known)) return path;
    }
  }
  return undefined;
}

/** It is named itself or on the way to something that is, or it lies below what is. */
function isKnown(path: string, known: string): boolean {
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

/** True when it holds an escape sequence (ECMA-48), or what else steers a terminal. */
export function controlCode(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  return /[\u0000-\u0007\u001b\u009b]/.test(text);
}

/** True when a whole page of HTML begins in it. */
export function htmlPage(text: string): boolean {
  return /<!doctype html\b|<html[\s>]/i.test(text);
}

/** True when it says no more than that something went wrong. */
export function blankText(text: string): boolean {
  const words = text
    .toLowerCase()
    .replace(/^(?:(?:uncaught )?\w*error: ?)+/, "")
    .replaceAll(/[^a-z]+/g, " ")
    .trim();
  return blanks.has(words) && !/\d/.test(text);
}
