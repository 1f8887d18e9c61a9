import { checkOptions } from "../contract/check-options.ts";
import { formatValue } from "../text/format-value.ts";
import { ToolError } from "../contract/tool-error.ts";

/** Quota of one owner in a store in memory. */
export interface MemoryQuota {
  /** Maximum entries of one owner (see `quotaOwner`), so that it cannot use up the store for all. Default: 2,500. */
  readonly maxPerOwner?: number;
}

/** @throws ToolError `invalid_configuration` for a quota that is not valid. */
export function checkedQuota(name: string, quota: MemoryQuota): number {
  checkOptions(name, quota, ["maxPerOwner"]);
  const { maxPerOwner = 2_500 } = quota;
  if (typeof maxPerOwner === "number" && maxPerOwner >= 1) return maxPerOwner;
  throw new ToolError(
    "invalid_configuration",
    `${name}: maxPerOwner is ${formatValue(maxPerOwner)}; use 1 or more.`,
  );
}
