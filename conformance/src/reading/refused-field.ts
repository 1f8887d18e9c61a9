import { defineTool, type ToolSpec } from "@toolweave/core";
import { messageOf } from "../contract/finding.ts";
import type { Fault } from "./check-each.ts";
import { isObject } from "../schema/subschemas.ts";

/** What `defineTool` says of a field: one place knows what it may hold. */
export function refusedField(
  spec: ToolSpec,
  field: "timeoutMs" | "retry" | "outputLimit",
): Fault | undefined {
  const value = spec[field];
  if (value === undefined) return undefined;
  const why = refusal({ [field]: value });
  return why === undefined
    ? undefined
    : { wrong: `has a ${field} that cannot be kept to: ${why}`, seen: value };
}

/** A redaction rule that cannot be read: every answer of the tool would be withheld. */
export function redactionFault({ annotations }: ToolSpec): Fault | undefined {
  const { redact } = isObject(annotations) ? (annotations as ToolSpec["annotations"]) : {};
  // Whether they are rules at all is TW-SPEC-008's to say.
  if (!Array.isArray(redact) || !redact.every((rule) => typeof rule?.path === "string")) {
    return undefined;
  }
  const why = refusal({ annotations: { redact } });
  return why === undefined
    ? undefined
    : { wrong: `has a redaction rule that cannot be read: ${why}`, seen: redact };
}

function refusal(fields: Partial<ToolSpec>): string | undefined {
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
    return messageOf(error)
      .replace(/^ToolError: tool: /, "")
      .replace(/\. Did you mean (\S+)\?$/, " (did you mean $1)")
      .replace(/\.$/, "");
  }
}
