import { isObject } from "@toolweave/core/adapter";
import { defineTool, type ToolSpec, type JsonObject, type JsonValue } from "@toolweave/core";
import { formatError, type Fault } from "../contract/finding.ts";

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

/** Tests whether a field can have a value. */
export type Test = (value: JsonValue) => boolean;

/** True for a boolean. */
export const isBoolean: Test = (value) => typeof value === "boolean";

/** True for a string. */
export const isString: Test = (value) => typeof value === "string";

/** True for a string that is not blank. */
export const isNonBlankString: Test = (value) => typeof value === "string" && value.trim() !== "";

/** Finds the first field that is unknown or has an invalid value. */
export function findMismatch(
  value: JsonObject,
  tests: Readonly<Record<string, Test>>,
): string | undefined {
  return Object.keys(value).find((name) => {
    const test = Object.hasOwn(tests, name) ? tests[name] : undefined;
    return value[name] !== undefined && (test === undefined || !test(value[name]));
  });
}

const access: Readonly<Record<string, Test>> = {
  filesystem: (value) => value === "none" || value === "read" || value === "write",
  process: isBoolean,
  network: isBoolean,
  spend: isBoolean,
  workspaceRoot: isString,
};

const redaction: Readonly<Record<string, Test>> = { path: isString };

const annotations: Readonly<Record<string, Test>> = {
  title: isString,
  readOnlyHint: isBoolean,
  destructiveHint: isBoolean,
  idempotentHint: isBoolean,
  openWorldHint: isBoolean,
  needsApprovalHint: isBoolean,
  streamingHint: isBoolean,
  access: (value) => isObject(value) && findMismatch(value, access) === undefined,
  redact: (value) =>
    Array.isArray(value) &&
    value.every((rule: JsonValue) => isObject(rule) && findMismatch(rule, redaction) === undefined),
};

/** Finds the first annotation that is unknown or has the wrong type. */
export function findAnnotationFault(value: JsonObject): Fault | undefined {
  const name = findMismatch(value, annotations);
  if (name === undefined) return undefined;
  const wrong = Object.hasOwn(annotations, name)
    ? `has the annotation ${name} with an invalid value`
    : `has the unknown annotation ${name}`;
  return { wrong, seen: value[name] };
}
