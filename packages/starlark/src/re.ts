import { RE2JS } from "re2js";
import { failLimit, StarlarkError } from "./values/error.ts";
import { argumentReader } from "./lib/builtin.ts";
import { charge, spend } from "./values/budget.ts";
import { Builtin, StarlarkModule } from "./values/function.ts";
import { toList } from "./values/sequence.ts";
import type { Value } from "./values/value.ts";
import { fromUtf8, toUtf8 } from "./values/utf8.ts";

/** The bounds of the module `re`. One match cannot be interrupted, so its work is bounded before it starts. */
export interface RegexLimits {
  /** The length of a text in bytes. Default: 256 KiB. */
  readonly maxTextBytes?: number;
  /** The length of a pattern in bytes. Default: 4 KiB. */
  readonly maxPatternBytes?: number;
  /** The length of a text in bytes times the size of the compiled pattern. Default: 8,000,000. */
  readonly maxWork?: number;
}

const cacheSize = 128;
const defaults = { maxTextBytes: 256 * 1024, maxPatternBytes: 4096, maxWork: 8_000_000 };

/**
 * The module `re`: regular expressions with the syntax of RE2, which match in time that is linear in the text. `match` is
 * anchored at the start, `search` is not; both return a list of the match and its groups, or `None`. `findall` (also
 * `find_all`) returns all matches, `replace` and `split` work on all of them.
 *
 * @throws StarlarkError `execution_failed` for an invalid pattern, `limit_exceeded` beyond the limits.
 */
export function regexModule(limits: RegexLimits = {}): StarlarkModule {
  const { maxTextBytes, maxPatternBytes, maxWork } = { ...defaults, ...limits };
  const cache = new Map<string, RE2JS>();

  const compile = (pattern: string): RE2JS => {
    const known = cache.get(pattern);
    if (known !== undefined) return known;
    if (pattern.length > maxPatternBytes)
      reject(`the pattern is longer than ${maxPatternBytes} bytes`);
    spend(1000 + 10 * pattern.length);
    let compiled: RE2JS;
    try {
      compiled = RE2JS.compile(fromUtf8(pattern));
    } catch (error) {
      throw new StarlarkError("execution_failed", `re: ${(error as Error).message}`, {
        cause: error,
      });
    }
    if (cache.size >= cacheSize) cache.delete(cache.keys().next().value as string);
    cache.set(pattern, compiled);
    return compiled;
  };

  /** A function of the module. `apply` receives the compiled pattern, and the text also as a JavaScript string. */
  const define = (
    name: string,
    apply: (pattern: RE2JS, input: string, text: string, replacement: string) => Value,
    parameters = "pattern: string, text: string",
  ): [string, Builtin] => {
    const read = argumentReader(`re.${name}`, parameters);
    const builtin = new Builtin(`re.${name}`, (args, named) => {
      const [pattern, text, replacement = ""] = read(args, named) as [string, string, string?];
      const compiled = compile(pattern);
      if (text.length > maxTextBytes) reject(`the text is longer than ${maxTextBytes} bytes`);
      const work = text.length * compiled.programSize();
      if (work > maxWork) reject(`the pattern is too expensive for a text of ${text.length} bytes`);
      spend(work >> 4);
      charge(4 * text.length);
      return apply(compiled, fromUtf8(text), text, replacement);
    });
    return [name, builtin];
  };

  const find = (anchored: boolean) => (pattern: RE2JS, input: string) => {
    const found = pattern.matcher(input);
    if (!(anchored ? found.lookingAt() : found.find())) return null;
    const groups = Array.from({ length: pattern.groupCount() + 1 }, (_, index) =>
      found.group(index),
    );
    return toList(groups.map((group) => (group === null ? null : toUtf8(group))));
  };

  const findAll = define("findall", (pattern, input) => {
    const found = pattern.matcher(input);
    const matches: Value[] = [];
    while (found.find()) {
      spend(8);
      charge(64);
      matches.push(toUtf8(found.group(0) ?? ""));
    }
    return toList(matches);
  });

  return new StarlarkModule("re", [
    define("match", find(true)),
    define("search", find(false)),
    findAll,
    ["find_all", findAll[1]],
    define(
      "replace",
      (pattern, input, text, replacement) => {
        charge(text.length * (1 + replacement.length));
        return toUtf8(pattern.matcher(input).replaceAll(fromUtf8(replacement)));
      },
      "pattern: string, text: string, replacement: string",
    ),
    define("split", (pattern, input, text) => {
      charge(64 * text.length);
      return toList(pattern.split(input, -1).map((part) => toUtf8(part)));
    }),
  ]);
}

function reject(message: string): never {
  failLimit(`re: ${message}`);
}
