import { type Clock, type Hook, type HookedCall } from "@toolweave/core";
import {
  canonicalJson,
  checkOptions,
  checks,
  globMatcher,
  isObject,
  isSuspension,
  systemClock,
  type OptionChecks,
} from "@toolweave/core/adapter";

/** Options of `responseCache`. */
export interface ResponseCacheOptions {
  /** Milliseconds for which an answer is given again, by tool; a glob such as `docs__*` stands for several. The first match counts. */
  readonly tools: Readonly<Record<string, number>>;
  /** Answers that are kept, the latest ones. Default: 1,000. */
  readonly maxEntries?: number;
  /** Default: the system's. */
  readonly clock?: Clock;
}

const optionChecks: OptionChecks<ResponseCacheOptions> = {
  tools: checks.required(
    checks.record(
      checks.valueThat(
        (value) => typeof value === "number" && value > 0,
        "a number of milliseconds above 0",
      ),
    ),
  ),
  maxEntries: checks.numberFrom(1),
  clock: checks.clock,
};

/** Characters of JSON of an answer that is kept. */
const maxAnswer = 1_048_576;

/**
 * A hook that gives the answer of a tool again for a while, if the same caller makes the same call. The policy decides
 * about each call as before; only the work is left out. Errors, streams, artifacts and calls that wait for a person are
 * not kept. Meant for tools that only read.
 *
 * @throws ToolError `invalid_configuration` for an invalid option.
 * @example
 * ```ts
 * const executor = new ToolExecutor({
 *   registry,
 *   hooks: [responseCache({ tools: { web_fetch: 15 * 60_000, "docs__*": 60_000 } })],
 * });
 * ```
 */
export function responseCache(options: ResponseCacheOptions): Hook {
  checkOptions("responseCache", options, optionChecks);
  const { tools, maxEntries = 1_000, clock = systemClock } = options;
  const rules = Object.entries(tools).map(([glob, ttlMs]) => ({
    matches: globMatcher([glob]),
    ttlMs,
  }));
  const getTtl = (name: string): number | undefined =>
    rules.find(({ matches }) => matches(name))?.ttlMs;
  const kept = new Map<string, { readonly answer: unknown; readonly until: number }>();
  return {
    when: ({ spec }) => getTtl(spec.name) !== undefined,
    around: async (call, next) => {
      const key = toKey(call);
      const now = clock.now();
      const found = kept.get(key);
      if (found !== undefined && found.until > now) return structuredClone(found.answer);
      const answer = await next();
      kept.delete(key);
      if (isCacheable(answer)) {
        const until = now + (getTtl(call.spec.name) ?? 0);
        kept.set(key, { answer: structuredClone(answer), until });
        const [oldest] = kept.keys();
        if (kept.size > maxEntries && oldest !== undefined) kept.delete(oldest);
      }
      return answer;
    },
  };
}

function toKey({ spec, caller, arguments: args }: HookedCall): string {
  return canonicalJson([spec.name, caller ?? null, args] as never);
}

/** Whether an answer is plain data, and no error. */
function isCacheable(answer: unknown): boolean {
  if (isSuspension(answer)) return false;
  if (isObject(answer)) {
    const { isError, artifacts } = answer;
    if (isError === true || (Array.isArray(artifacts) && artifacts.length > 0)) return false;
    const prototype: unknown = Object.getPrototypeOf(answer);
    if (prototype !== Object.prototype && prototype !== null && !Array.isArray(answer))
      return false;
  }
  if (typeof answer === "function" || typeof answer === "symbol") return false;
  try {
    const text = JSON.stringify(answer) as string | undefined;
    return text !== undefined && text.length <= maxAnswer;
  } catch {
    return false;
  }
}
