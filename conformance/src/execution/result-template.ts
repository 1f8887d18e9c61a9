/** Times and ids: parts of a result that can be new each time although it says the same. */
const timesAndIds: readonly RegExp[] = [
  // The value of a member such as "id", "requestId", "created_at" or "elapsedMs", also of JSON in a text.
  /(?<=(?:[\W_](?:id|time|timestamp|date|duration|elapsed|latency|uptime|nonce|etag|cursor|at|ms)|[a-z](?:Id|ID|Time|Timestamp|Date|Duration|At|Ms))\\*":)(?:-?\d[\d.e+-]*|\\*"[^"\\]*\\*")/,
  /\b\d{1,2}:\d\d:\d\d(?:\.\d+)?\b/,
  /\b\d+(?:\.\d+)?\s?(?:ns|µs|us|ms|s|seconds?|milliseconds?)\b/,
  // UUIDs, ULIDs, hashes, and ids with a prefix.
  /(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{16,}(?![\w-])/,
];

/** Dates, which are the time of the call only if they are near to it. */
const dates: readonly RegExp[] = [
  // ISO 8601, and the dates of HTTP.
  /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/,
  /[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT/,
  // Seconds, milliseconds, microseconds and nanoseconds since the epoch.
  /(?<![\d.])\d{10}(?:\d{3}){0,3}(?:\.\d+)?(?!\d)/,
];

const source = (patterns: readonly RegExp[]): string =>
  patterns.map((pattern) => pattern.source).join("|");
const volatilePart: RegExp = new RegExp(`(?<date>${source(dates)})|${source(timesAndIds)}`, "g");

/** Milliseconds. */
const day = 86_400_000;

interface Part {
  readonly text: string;
  readonly isTimeOrId: boolean;
}

/**
 * The result of a call that is made again and again. Times and ids that differ between the results
 * can have any value; everything else is fixed, also times and ids that do not differ.
 */
export class ResultTemplate {
  /** `undefined`: any time or id. */
  readonly #parts: readonly (string | undefined)[];

  private constructor(parts: readonly (string | undefined)[]) {
    this.#parts = parts;
  }

  /** The template of some results; `undefined`: they differ in more than times and ids. */
  static of(results: readonly string[]): ResultTemplate | undefined {
    const [first = [], ...others] = results.map(split);
    const parts = first.map(({ text, isTimeOrId }, at) => {
      const isFixed = others.every((other) => other[at]?.text === text);
      const isFree = isTimeOrId && others.every((other) => other[at]?.isTimeOrId === true);
      return isFixed ? text : isFree ? undefined : null;
    });
    const areSame = others.every(({ length }) => length === first.length) && !parts.includes(null);
    return areSame ? new ResultTemplate(parts as readonly (string | undefined)[]) : undefined;
  }

  matches(result: string): boolean {
    const parts = split(result);
    return (
      parts.length === this.#parts.length &&
      parts.every(({ text, isTimeOrId }, at) =>
        this.#parts[at] === undefined ? isTimeOrId : this.#parts[at] === text,
      )
    );
  }
}

/** Splits a text at its times and ids. */
function split(text: string): readonly Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const { 0: found, index, groups } of text.matchAll(volatilePart)) {
    parts.push({ text: text.slice(end, index), isTimeOrId: false });
    parts.push({ text: found, isTimeOrId: groups?.["date"] === undefined || isNearNow(found) });
    end = index + found.length;
  }
  return [...parts, { text: text.slice(end), isTimeOrId: false }];
}

function isNearNow(date: string): boolean {
  const ms = /^\d{10}/.test(date)
    ? Number(`${date.slice(0, 10)}${date.slice(10, 13).padEnd(3, "0")}`)
    : Date.parse(date);
  return Math.abs(ms - Date.now()) < day;
}
