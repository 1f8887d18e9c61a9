import { checkOptions } from "../contract/check-options.ts";
import type { PolicyGlobs } from "../contract/policy-definition.ts";
import { checkGlobs } from "../policy/conditions/check-values.ts";
import { globTest, listGlobs } from "../policy/conditions/globs.ts";
import type { RegisteredTool } from "../contract/tool.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import { ToolError } from "../contract/tool-error.ts";

/**
 * Maximum use within any window of time, over all runs. If it is exhausted, a call is refused at once, with
 * `rate_limited` and `retryAfterMs`.
 */
export interface RateLimit {
  /** Calls that start, including retries. 0: no call may start. */
  readonly calls?: number;
  /** Maximum amount that calls may spend: the `details.amount` of their `spend` permission requests. */
  readonly spend?: number;
  /** Milliseconds; the window slides. */
  readonly windowMs: number;
  /**
   * Scope of a budget: one for each tool, each source, each caller by its `id` (calls without a caller share one), or
   * one for all (default: `all`).
   */
  readonly per?: "tool" | "source" | "caller" | "all";
  /** The names of tools. Default: all. */
  readonly tools?: PolicyGlobs;
  /** The ids of sources. Default: all. */
  readonly sources?: PolicyGlobs;
}

const names: Record<keyof RateLimit, true> = {
  calls: true,
  spend: true,
  windowMs: true,
  per: true,
  tools: true,
  sources: true,
};

/** The unit that is counted. */
export type RateUnit = "calls" | "spend";

/** One limit of a `RateLimit`. */
export interface RateRule {
  readonly unit: RateUnit;
  readonly limit: number;
  readonly windowMs: number;
  readonly per: NonNullable<RateLimit["per"]>;
  /** Prefix of its keys. The rest may come from outside, so it is at the end. */
  readonly prefix: string;
  readonly matches: (entry: RegisteredTool) => boolean;
}

/** @throws ToolError `invalid_configuration` when a limit is not valid. */
export function rateRules(limits: readonly RateLimit[]): readonly RateRule[] {
  if (!Array.isArray(limits)) {
    throw misuse("limits.rates takes a list: [{ calls: 10, windowMs: 60_000 }].");
  }
  const rules: RateRule[] = [];
  for (const [index, limit] of (limits as readonly RateLimit[]).entries()) {
    const where = `limits.rates[${index}]`;
    for (const rule of rulesOfOne(where, limit)) {
      // Both would use one budget, and count each call twice.
      if (rules.some(({ prefix, per }) => prefix === rule.prefix && per === rule.per)) {
        throw misuse(`${where} limits the ${rule.unit} that an earlier one limits; keep one.`);
      }
      rules.push(rule);
    }
  }
  return rules;
}

function rulesOfOne(where: string, limit: RateLimit): readonly RateRule[] {
  checkOptions(where, limit, Object.keys(names));
  const { windowMs, per = "all", tools, sources } = limit;
  if (!(Number.isFinite(windowMs) && windowMs > 0)) {
    throw misuse(`${where}.windowMs is ${String(windowMs)}; use a number above 0.`);
  }
  if (!["tool", "source", "caller", "all"].includes(per)) {
    throw misuse(`${where}.per is ${String(per)}; use tool, source, caller or all.`);
  }
  for (const [member, globs] of Object.entries({ tools, sources })) {
    if (globs !== undefined) checkGlobs(`${where}.${member}`, globs);
  }
  const ofTool = globTest(tools);
  const ofSource = globTest(sources);
  const units = (["calls", "spend"] as const).filter((unit) => limit[unit] !== undefined);
  if (units.length === 0) throw misuse(`${where} limits nothing; give it calls or spend.`);
  const filter =
    tools === undefined && sources === undefined
      ? ""
      : canonicalJson({ tools: tools && listGlobs(tools), sources: sources && listGlobs(sources) });
  return units.map((unit): RateRule => {
    const value = limit[unit] as number;
    if (!(Number.isFinite(value) && value >= 0)) {
      throw misuse(`${where}.${unit} is ${String(value)}; use 0 or more.`);
    }
    return {
      unit,
      limit: value,
      windowMs,
      per,
      prefix: `${unit}/${windowMs}${filter}:`,
      matches: ({ tool, source }) => ofTool(tool.spec.name) && ofSource(source),
    };
  });
}

function misuse(message: string): ToolError {
  return new ToolError("invalid_configuration", message);
}
