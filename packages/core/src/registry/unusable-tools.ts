import type { RegisteredTool } from "../contract/tool.ts";
import type { ToolSpec } from "../contract/tool-spec.ts";
import { toErrorMessage } from "../contract/error-message.ts";
import { findSchemaFault } from "../schema/find-schema-fault.ts";
import { formatValue } from "../text/format-value.ts";
import { isObject } from "../json/json.ts";
import type { RegistryProblem } from "./collect-tools.ts";

/** Why a tool cannot be listed, of each spec that was checked. An empty text: it can. */
const faults = new WeakMap<ToolSpec, string>();

/**
 * True when the schema of the tool's arguments can be used. The schema is created for that, but not compiled. Each spec
 * is checked once.
 */
export function isUsable(spec: ToolSpec): boolean {
  let fault = faults.get(spec);
  if (fault === undefined) {
    fault = findFault(spec) ?? "";
    faults.set(spec, fault);
  }
  return fault === "";
}

/** The problems of those of the tools that were found to be unusable. None is checked here. */
export function unusableTools(entries: Iterable<RegisteredTool>): readonly RegistryProblem[] {
  const problems: RegistryProblem[] = [];
  for (const { source, tool } of entries) {
    const fault = faults.get(tool.spec);
    if (fault === undefined || fault === "") continue;
    const message = `It is not listed: its input schema cannot be used: ${fault}. Correct the schema where the tool is made.`;
    problems.push({ source, subject: tool.spec.name, message });
  }
  return problems;
}

function findFault(spec: ToolSpec): string | undefined {
  try {
    const { inputSchema } = spec;
    if (!isObject(inputSchema)) return `it is ${formatValue(inputSchema)}, and no object`;
    return findSchemaFault(inputSchema);
  } catch (error) {
    return toErrorMessage(error);
  }
}
