import { type Matcher, RE2JS } from "re2js";
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
      failLimit(`re: the pattern is longer than ${maxPatternBytes} bytes`);
    spend(1000 + 10 * pattern.length);
    let compiled: RE2JS;
    try {
      compiled = RE2JS.compile(fromUtf8(pattern));
    } catch (cause) {
      throw new StarlarkError("execution_failed", `re: ${(cause as Error).message}`, { cause });
    }
    if (cache.size >= cacheSize) cache.delete(cache.keys().next().value as string);
    cache.set(pattern, compiled);
    return compiled;
  };

  const define = (
    name: string,
    apply: (matcher: Matcher, text: string, replacement: string) => Value,
    parameters = "pattern: string, text: string",
  ): Builtin => {
    const read = argumentReader(`re.${name}`, parameters);
    return new Builtin(`re.${name}`, (args, named) => {
      const [pattern, text, replacement = ""] = read(args, named) as [string, string, string?];
      const compiled = compile(pattern);
      if (text.length > maxTextBytes)
        failLimit(`re: the text is longer than ${maxTextBytes} bytes`);
      const work = text.length * compiled.programSize();
      if (work > maxWork)
        failLimit(`re: the pattern is too expensive for a text of ${text.length} bytes`);
      spend(work >> 4);
      charge(4 * text.length);
      return apply(compiled.matcher(fromUtf8(text)), text, replacement);
    });
  };

  const findAll = define("findall", toMatches);
  return new StarlarkModule("re", [
    ["match", define("match", (matcher) => (matcher.lookingAt() ? toGroups(matcher) : null))],
    ["search", define("search", (matcher) => (matcher.find() ? toGroups(matcher) : null))],
    ["findall", findAll],
    ["find_all", findAll],
    ["replace", define("replace", replace, "pattern: string, text: string, replacement: string")],
    ["split", define("split", split)],
  ]);
}

/** The match that was found, and its groups. */
function toGroups(matcher: Matcher): Value {
  const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, at) => matcher.group(at));
  return toList(groups.map((group) => (group === null ? null : toUtf8(group))));
}

function toMatches(matcher: Matcher): Value {
  const matches: Value[] = [];
  while (matcher.find()) {
    spend(8);
    charge(64);
    matches.push(toUtf8(matcher.group() ?? ""));
  }
  return toList(matches);
}

function replace(matcher: Matcher, text: string, replacement: string): Value {
  charge(text.length * (1 + replacement.length));
  return toUtf8(matcher.replaceAll(fromUtf8(replacement)));
}

function split(matcher: Matcher, text: string): Value {
  charge(64 * text.length);
  return toList(matcher.pattern().split(fromUtf8(text), -1).map(toUtf8));
}
