import type { JsonObject, JsonValue, ToolSpec } from "@toolweave/core";
import { isObject } from "@toolweave/core/adapter";
import { defineCheck, type Check } from "../../context/check.ts";
import { withReadableSpec, checkEach } from "../../faults/check-each.ts";
import type { Fault } from "../../contract/finding.ts";
import {
  isBoolean,
  isNonBlankString,
  isString,
  findMismatch,
  findRedactionFault,
  findFieldFault,
  type Test,
} from "../../faults/field-faults.ts";
import { isSpecField } from "../../faults/read-spec.ts";

const provenance: Readonly<Record<string, Test>> = {
  adapter: isNonBlankString,
  source: isString,
  origin: isObject,
};

const injected: Readonly<Record<string, Test>> = {
  name: isNonBlankString,
  description: isString,
  required: isBoolean,
  secret: isBoolean,
};

/** Checks of the fields of a spec, except its schemas. */
export const fieldChecks: readonly Check[] = [
  defineFieldCheck("TW-SPEC-010", "Read each provenance", ({ provenance }) =>
    findProvenanceFault(provenance),
  ),

  defineFieldCheck("TW-SPEC-011", "Read each title", ({ title }) =>
    title === undefined || isNonBlankString(title)
      ? undefined
      : { wrong: "has a blank title: omit it", seen: title },
  ),

  defineFieldCheck("TW-SPEC-012", "Read each timeout", (spec) => findFieldFault(spec, "timeoutMs")),

  defineFieldCheck("TW-SPEC-013", "Read each retry policy", (spec) =>
    findFieldFault(spec, "retry"),
  ),

  defineFieldCheck("TW-SPEC-014", "Read the injected values of each tool", ({ injected }) =>
    findInjectedFault(injected),
  ),

  defineFieldCheck("TW-SPEC-015", "Read the execution of each tool", ({ execution }) =>
    execution === undefined || execution === "inline" || execution === "task"
      ? undefined
      : { wrong: 'has an execution that is neither "inline" nor "task"', seen: execution },
  ),

  defineFieldCheck("TW-SPEC-016", "Read each output limit", (spec) =>
    findFieldFault(spec, "outputLimit"),
  ),

  defineFieldCheck("TW-SPEC-017", "Read the metadata of each tool", ({ metadata }) =>
    metadata === undefined || isObject(metadata)
      ? undefined
      : { wrong: "has metadata that is not an object", seen: metadata },
  ),

  defineFieldCheck("TW-SPEC-022", "Read the redaction rules of each tool", findRedactionFault),

  defineFieldCheck("TW-SPEC-030", "Looked for unknown fields in each spec", (spec) => {
    const unknown = Object.keys(spec).find((field) => !isSpecField(field));
    return unknown === undefined
      ? undefined
      : {
          wrong: `has the unknown field ${unknown} in its spec: put data of the host into metadata`,
          seen: (spec as unknown as JsonObject)[unknown],
        };
  }),

  defineFieldCheck("TW-SPEC-031", "Read the hints of each tool", ({ annotations }) =>
    annotations?.readOnlyHint === true && annotations.destructiveHint === true
      ? { wrong: "is marked as both read-only and destructive", seen: annotations }
      : undefined,
  ),

  defineFieldCheck(
    "TW-SPEC-041",
    "Compared each description with the name",
    ({ name, description }) =>
      isNonBlankString(description) &&
      isString(name) &&
      normalizeName(name) === normalizeName(description)
        ? { wrong: "has a description that only repeats its name", seen: description }
        : undefined,
  ),
];

function defineFieldCheck(
  id: string,
  done: string,
  findFault: (spec: ToolSpec) => Fault | undefined,
): Check {
  return defineCheck(id, async (context) => {
    const { tools } = await context.subject();
    return checkEach(withReadableSpec(tools), done, ({ spec }) => findFault(spec));
  });
}

function findProvenanceFault(value: unknown): Fault | undefined {
  if (!isObject(value)) return { wrong: "has no provenance object", seen: value };
  if (value["adapter"] === undefined) {
    return { wrong: "has a provenance without an adapter", seen: value };
  }
  const name = findMismatch(value, provenance);
  if (name === undefined) return undefined;
  const wrong = Object.hasOwn(provenance, name)
    ? `has a provenance with an invalid ${name}`
    : `has the unknown field ${name} in its provenance: put it into origin`;
  return { wrong, seen: value };
}

function findInjectedFault(value: unknown): Fault | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value))
    return { wrong: "has injected values that are not a list", seen: value };
  const names = new Set<JsonValue | undefined>();
  for (const parameter of value as JsonValue[]) {
    if (!isObject(parameter) || parameter["name"] === undefined) {
      return { wrong: "has an injected value without a name", seen: parameter };
    }
    const field = findMismatch(parameter, injected);
    if (field !== undefined) {
      return { wrong: `has an injected value with an invalid ${field}`, seen: parameter };
    }
    if (names.has(parameter["name"])) {
      return { wrong: `has the injected value ${parameter["name"]} twice`, seen: value };
    }
    names.add(parameter["name"]);
  }
  return undefined;
}

/**
 * Normalizes a name or description for comparison: `get_user` equals `Get user.`, but not `GET
 * /user`.
 */
function normalizeName(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}/]/gu, "");
}
