import type { Awaitable, ToolSpec } from "@toolweave/core";
import { failed, passed, formatValue, type Fault, type Finding } from "../contract/finding.ts";
import type { ReadTool } from "./read-spec.ts";

/** Checks each item. Fails with the first fault and the number of the others. */
export async function checkEach<T extends { readonly label: string }>(
  items: readonly T[],
  done: string,
  findFault: (item: T) => Awaitable<Fault | undefined>,
): Promise<Finding> {
  const faults: string[] = [];
  let seen: unknown;
  for (const item of items) {
    const fault = await findFault(item);
    if (fault === undefined) continue;
    if (faults.length === 0) seen = `${item.label}: ${formatValue(fault.seen)}`;
    faults.push(`${item.label} ${fault.wrong}`);
  }
  const what = `${done} (${items.length} in all).`;
  const [first] = faults;
  if (first === undefined) return passed(what);
  const others = faults.length === 1 ? "" : ` (${faults.length - 1} more fail as well)`;
  return failed(`${first}${others}.`, what, seen);
}

/** A tool with a readable spec. */
export interface DescribedTool extends ReadTool {
  readonly spec: ToolSpec;
}

/** The tools with a readable spec. TW-SPEC-001 and TW-SPEC-002 report the others. */
export function withReadableSpec(tools: readonly ReadTool[]): DescribedTool[] {
  return tools.filter((tool): tool is DescribedTool => tool.spec !== undefined);
}
