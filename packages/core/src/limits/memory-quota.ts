import { checkOptions } from "../contract/check-options.ts";
import { formatValue } from "../text/format-value.ts";
import { ToolError } from "../contract/tool-error.ts";

/** What one owner may keep in a store in memory. */
export interface MemoryQuota {
  /** Entries of one owner (see `quotaOwner`), so that one cannot use up what is there for all. Default: 2,500. */
  readonly maxPerOwner?: number;
}

/** @throws ToolError `internal` for a quota that makes no sense. */
export function checkedQuota(name: string, quota: MemoryQuota): number {
  checkOptions(name, quota, ["maxPerOwner"]);
  const { maxPerOwner = 2_500 } = quota;
  if (typeof maxPerOwner === "number" && maxPerOwner >= 1) return maxPerOwner;
  throw new ToolError(
    "internal",
    `${name}: maxPerOwner is ${formatValue(maxPerOwner)}; use 1 or more.`,
  );
}
