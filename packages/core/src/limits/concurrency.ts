import { checkOptions, isAtLeastZero } from "../contract/check-options.ts";
import { globMatcher } from "../text/glob.ts";
import { formatValue } from "../text/format-value.ts";
import { ToolError } from "../contract/tool-error.ts";

/**
 * Number of calls of an executor that run at once; the others wait for their turn in order of arrival. A call whose
 * tool waits for nested calls, or for its next attempt, does not count.
 */
export interface ConcurrencyLimits {
  /** Of all calls. */
  readonly max?: number;
  /** Of the tools of one source. */
  readonly perSource?: number;
  /** Of one tool. */
  readonly perTool?: number;
  /** A glob over names, or several: tools that run alone, except for the calls that they make themselves. */
  readonly exclusive?: string | readonly string[];
  /** Maximum number of waiting calls; one more fails with `unavailable`. Default: 10,000. */
  readonly maxWaiting?: number;
}

/** The same, checked. */
export interface Concurrency {
  readonly max: number;
  readonly perSource: number;
  readonly perTool: number;
  readonly exclusive: ((name: string) => boolean) | undefined;
  readonly maxWaiting: number;
}

const names: Record<keyof ConcurrencyLimits, true> = {
  max: true,
  perSource: true,
  perTool: true,
  exclusive: true,
  maxWaiting: true,
};

/** @throws ToolError `internal` when a limit is not valid. */
export function checkedConcurrency(limits: ConcurrencyLimits): Concurrency {
  checkOptions("limits.concurrency", limits, Object.keys(names));
  const { exclusive } = limits;
  const globs = typeof exclusive === "string" ? [exclusive] : exclusive;
  if (globs !== undefined && !(Array.isArray(globs) && globs.every((g) => typeof g === "string"))) {
    throw new ToolError(
      "internal",
      'limits.concurrency.exclusive takes a glob or a list of globs: ["deploy_*"].',
    );
  }
  return {
    max: places("max", limits.max),
    perSource: places("perSource", limits.perSource),
    perTool: places("perTool", limits.perTool),
    exclusive: globs === undefined || globs.length === 0 ? undefined : globMatcher(globs),
    maxWaiting: waiting(limits.maxWaiting ?? 10_000),
  };
}

function waiting(value: number): number {
  if (isAtLeastZero(value)) return value;
  throw new ToolError(
    "internal",
    `limits.concurrency.maxWaiting is ${formatValue(value)}; use 0 or more.`,
  );
}

/** A limit of 0 would make every call wait forever. */
function places(name: string, value: number | undefined): number {
  if (value === undefined) return Infinity;
  if (Number.isInteger(value) && value > 0) return value;
  throw new ToolError(
    "internal",
    `limits.concurrency.${name} is ${String(value)}; use a whole number above 0.`,
  );
}
