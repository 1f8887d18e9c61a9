import { defineTool, type ToolSpec } from "@toolweave/core";
import { formatError } from "../contract/finding.ts";
import type { Fault } from "./check-each.ts";
import { isObject } from "../schema/subschemas.ts";

/** Finds a field that `defineTool` rejects, which defines the valid values. */
export function findFieldFault(
  spec: ToolSpec,
  field: "timeoutMs" | "retry" | "outputLimit",
): Fault | undefined {
  const value = spec[field];
  if (value === undefined) return undefined;
  const why = findRefusal({ [field]: value });
  return why === undefined ? undefined : { wrong: `has an invalid ${field}: ${why}`, seen: value };
}

/** Finds an invalid redaction rule, with which every result of the tool would be withheld. */
export function findRedactionFault({ annotations }: ToolSpec): Fault | undefined {
  const { redact } = isObject(annotations) ? (annotations as ToolSpec["annotations"]) : {};
  // TW-SPEC-008 reports values that are no rules.
  if (!Array.isArray(redact) || !redact.every((rule) => typeof rule?.path === "string")) {
    return undefined;
  }
  const why = findRefusal({ annotations: { redact } });
  return why === undefined
    ? undefined
    : { wrong: `has an invalid redaction rule: ${why}`, seen: redact };
}

function findRefusal(fields: Partial<ToolSpec>): string | undefined {
  try {
    defineTool({
      name: "tool",
      description: "Stands for the tool.",
      input: { type: "object" },
      ...fields,
      execute: () => undefined,
    });
    return undefined;
  } catch (error) {
    return formatError(error)
      .replace(/^ToolError: tool: /, "")
      .replace(/\. Did you mean (\S+)\?$/, " (did you mean $1)")
      .replace(/\.$/, "");
  }
}
