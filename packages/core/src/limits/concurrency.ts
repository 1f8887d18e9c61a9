import { checkOptions, isAtLeastZero } from "../contract/check-options.ts";
import { globMatcher } from "../text/glob.ts";
import { formatValue } from "../text/format-value.ts";
import { ToolError } from "../contract/tool-error.ts";

/**
 * How many calls of an executor run at once; the others wait for their turn, first come first
 * served. A call whose tool waits for calls of its own, or for its next attempt, does not count.
 */
export interface ConcurrencyLimits {
  /** Of all. */
  readonly max?: number;
  /** Of the tools of any one source. */
  readonly perSource?: number;
  /** Of any one tool. */
  readonly perTool?: number;
  /** A glob over names, or several: tools beside which nothing runs but what they call themselves. */
  readonly exclusive?: string | readonly string[];
  /** How many wait for their turn; one more fails with `unavailable`. Default: 10,000. */
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

/** @throws ToolError `internal` when a limit makes no sense. */
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

/** None at all would make every call wait for ever. */
function places(name: string, value: number | undefined): number {
  if (value === undefined) return Infinity;
  if (Number.isInteger(value) && value > 0) return value;
  throw new ToolError(
    "internal",
    `limits.concurrency.${name} is ${String(value)}; use a whole number above 0.`,
  );
}
