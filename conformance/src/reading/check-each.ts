import type { Awaitable, ToolSpec } from "@toolweave/core";
import { failed, passed, show, type Finding } from "../contract/finding.ts";
import type { ReadTool } from "./read-spec.ts";

/** What is wrong with one tool. */
export interface Fault {
  /** The end of a sentence that begins with the tool: `has no description`. */
  readonly wrong: string;
  readonly seen: unknown;
}

/** Looks at each of `items`; fails with the first fault and the number of the others. */
export async function checkEach<T extends { readonly label: string }>(
  items: readonly T[],
  done: string,
  faultOf: (item: T) => Awaitable<Fault | undefined>,
): Promise<Finding> {
  const faults: string[] = [];
  let seen: unknown;
  for (const item of items) {
    const fault = await faultOf(item);
    if (fault === undefined) continue;
    if (faults.length === 0) seen = `${item.label}: ${show(fault.seen)}`;
    faults.push(`${item.label} ${fault.wrong}`);
  }
  const what = `${done} (${items.length} in all).`;
  const [first] = faults;
  if (first === undefined) return passed(what);
  const others = faults.length === 1 ? "" : ` (${faults.length - 1} more have such a fault)`;
  return failed(`${first}${others}.`, what, seen);
}

/** A tool whose spec could be read. */
export interface DescribedTool extends ReadTool {
  readonly spec: ToolSpec;
}

/** The tools whose specs are data; the others break TW-SPEC-001 or TW-SPEC-002 already. */
export function described(tools: readonly ReadTool[]): DescribedTool[] {
  return tools.filter((tool): tool is DescribedTool => tool.spec !== undefined);
}
