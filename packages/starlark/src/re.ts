import { RE2JS } from "re2js";
import { StarlarkError } from "./values/error.ts";
import { unpack } from "./lib/arguments.ts";
import { charge, spend } from "./values/budget.ts";
import { Builtin, StarlarkModule } from "./values/function.ts";
import { toList } from "./values/list.ts";
import type { NamedArguments, Value } from "./values/value.ts";
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

  const prepare = (
    pattern: string,
    text: string,
  ): { readonly compiled: RE2JS; readonly input: string } => {
    const compiled = compile(pattern);
    if (text.length > maxTextBytes) reject(`the text is longer than ${maxTextBytes} bytes`);
    const work = text.length * compiled.programSize();
    if (work > maxWork) reject(`the pattern is too expensive for a text of ${text.length} bytes`);
    spend(work >> 4);
    charge(4 * text.length);
    return { compiled, input: fromUtf8(text) };
  };

  const matcher = (anchored: boolean) => (args: readonly Value[], named: NamedArguments) => {
    const [pattern, text] = readArguments(anchored ? "re.match" : "re.search", args, named);
    const { compiled, input } = prepare(pattern, text);
    const found = compiled.matcher(input);
    if (!(anchored ? found.lookingAt() : found.find())) return null;
    return toList(
      Array.from({ length: compiled.groupCount() + 1 }, (_, index) => {
        const group = found.group(index);
        return group === null ? null : toUtf8(group);
      }),
    );
  };

  const findAll = new Builtin("re.findall", (args, named) => {
    const [pattern, text] = readArguments("re.findall", args, named);
    const { compiled, input } = prepare(pattern, text);
    const found = compiled.matcher(input);
    const matches: Value[] = [];
    while (found.find()) {
      spend(8);
      charge(64);
      matches.push(toUtf8(found.group(0) ?? ""));
    }
    return toList(matches);
  });

  const replace = new Builtin("re.replace", (args, named) => {
    const [pattern, text, replacement] = readArguments("re.replace", args, named, "replacement");
    const { compiled, input } = prepare(pattern, text);
    charge(text.length * (1 + replacement.length));
    return toUtf8(compiled.matcher(input).replaceAll(fromUtf8(replacement)));
  });

  const split = new Builtin("re.split", (args, named) => {
    const [pattern, text] = readArguments("re.split", args, named);
    const { compiled, input } = prepare(pattern, text);
    charge(64 * text.length);
    return toList(compiled.split(input, -1).map((part) => toUtf8(part)));
  });

  return new StarlarkModule("re", [
    ["match", new Builtin("re.match", matcher(true))],
    ["search", new Builtin("re.search", matcher(false))],
    ["findall", findAll],
    ["find_all", findAll],
    ["replace", replace],
    ["split", split],
  ]);
}

function readArguments(
  name: string,
  args: readonly Value[],
  named: NamedArguments,
  third?: string,
): [pattern: string, text: string, replacement: string] {
  const values =
    third === undefined
      ? unpack(name, args, named, [
          ["pattern", "string"],
          ["text", "string"],
        ])
      : unpack(name, args, named, [
          ["pattern", "string"],
          ["text", "string"],
          [third, "string"],
        ]);
  return [values[0] as string, values[1] as string, (values[2] ?? "") as string];
}

function reject(message: string): never {
  throw new StarlarkError("limit_exceeded", `re: ${message}`);
}
