import type { Fault } from "../contract/finding.ts";
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

/** The maximum number of causes of an error. */
const maxCauses = 100;

/** Finds causes that form a cycle, or more than 100 causes. */
export function findCauseFault(thrown: unknown): Fault | undefined {
  const seen = new Set<object>();
  const left: unknown[] = [thrown];
  while (left.length > 0) {
    const one = left.pop();
    if (typeof one !== "object" || one === null || seen.has(one)) continue;
    seen.add(one);
    if (seen.size > maxCauses + 1) {
      const wrong = `throws an error with more than ${maxCauses} causes: omit some of them`;
      return { wrong, seen: String(thrown) };
    }
    left.push(...getCauses(one));
  }
  return hasCycle(thrown)
    ? {
        wrong:
          "throws an error that is one of its own causes, so that following the causes never ends",
        seen: String(thrown),
      }
    : undefined;
}

/** Finds an error on the path to itself, depth first. There are at most 100 causes. */
function hasCycle(one: unknown, path: readonly unknown[] = [], done = new Set<unknown>()): boolean {
  if (typeof one !== "object" || one === null || done.has(one)) return false;
  if (path.includes(one)) return true;
  const found = getCauses(one).some((cause) => hasCycle(cause, [...path, one], done));
  done.add(one);
  return found;
}

/** The cause of an error, and the errors of an `AggregateError`. */
function getCauses(one: object): readonly unknown[] {
  const { cause, errors } = one as { readonly cause?: unknown; readonly errors?: unknown };
  return [cause, ...(one instanceof AggregateError && Array.isArray(errors) ? errors : [])];
}

/** Messages of programming errors in V8, JavaScriptCore and SpiderMonkey. */
const thrownMessages: readonly RegExp[] = [
  /^Cannot (?:read|set) propert(?:y|ies) (?:'.*' )?of (?:undefined|null)/,
  /^Cannot (?:destructure|convert|use 'in' operator|mix BigInt|assign to|add property|delete property|access '.*' before|define property|redefine property)/,
  /(?:is not|isn't) (?:a function|iterable|a constructor|defined|an object|extensible)\b/,
  /\b(?:undefined|null) (?:is not|is an?|has no)\b/,
  /^(?:Reduce|reduce) of empty array/,
  /^Converting circular structure/,
  /^Maximum call stack size exceeded|^too much recursion|^Invalid (?:array|string|typed array) length|^Invalid count value/,
];

/**
 * Messages of programming errors in results of JavaScript and Python programs that catch their own
 * errors.
 */
const returnedMessages: readonly RegExp[] = [
  /\bCannot read propert(?:y|ies) (?:'.*' )?of (?:undefined|null)\b/,
  /\bCannot destructure property\b/,
  /\b(?:undefined|null) is not an object \(evaluating\b/,
  /'NoneType' object (?:has no attribute|is not)/,
];

const names = new Set(["TypeError", "ReferenceError", "RangeError", "InternalError"]);

/**
 * Finds a programming error: an error of the engine, such as `TypeError: title.trim is not a
 * function`. An error whose message the author or the platform wrote, such as that of an invalid
 * URL or a failed request, is not one.
 */
export function findThrownProgrammingError(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !names.has(thrown.name)) return undefined;
  const { name, message } = thrown;
  // Errors of the platform have a code or a cause: `fetch failed`, `Invalid URL`.
  if ("code" in thrown || thrown.cause !== undefined) return undefined;
  const isOne =
    name === "ReferenceError" || thrownMessages.some((wording) => wording.test(message));
  return isOne ? `${name}: ${message}` : undefined;
}

/** Finds a programming error in the text of an error result. */
export function findReturnedProgrammingError(text: string): string | undefined {
  return returnedMessages.some((wording) => wording.test(text)) ? text : undefined;
}
