import type { JsonObject, JsonValue, ToolSpec } from "@toolweave/core";
import { check, type Check } from "../context/check.ts";
import { described, checkEach, type Fault } from "../reading/check-each.ts";
import {
  isBoolean,
  isFilledString,
  isString,
  schemaMismatch,
  type Test,
} from "../reading/schema-mismatch.ts";
import { isSpecField } from "../reading/read-spec.ts";
import { redactionFault, refusedField } from "../reading/refused-field.ts";
import { isObject } from "../schema/subschemas.ts";

const provenance: Readonly<Record<string, Test>> = {
  adapter: isFilledString,
  source: isString,
  origin: isObject,
};

const injected: Readonly<Record<string, Test>> = {
  name: isFilledString,
  description: isString,
  required: isBoolean,
  secret: isBoolean,
};

/** What the fields of a spec hold, apart from its schemas. */
export const fieldChecks: readonly Check[] = [
  fieldCheck("TW-SPEC-010", "Read where each tool comes from", ({ provenance }) =>
    provenanceFault(provenance),
  ),

  fieldCheck("TW-SPEC-011", "Read each title", ({ title }) =>
    title === undefined || isFilledString(title)
      ? undefined
      : { wrong: "has a title that says nothing: leave it out", seen: title },
  ),

  fieldCheck("TW-SPEC-012", "Read each timeout", (spec) => refusedField(spec, "timeoutMs")),

  fieldCheck("TW-SPEC-013", "Read each retry policy", (spec) => refusedField(spec, "retry")),

  fieldCheck("TW-SPEC-014", "Read the injected values of each tool", ({ injected }) =>
    injectedFault(injected),
  ),

  fieldCheck("TW-SPEC-015", "Read how each tool is executed", ({ execution }) =>
    execution === undefined || execution === "inline" || execution === "task"
      ? undefined
      : { wrong: 'has an execution that is neither "inline" nor "task"', seen: execution },
  ),

  fieldCheck("TW-SPEC-016", "Read each output limit", (spec) => refusedField(spec, "outputLimit")),

  fieldCheck("TW-SPEC-017", "Read the metadata of each tool", ({ metadata }) =>
    metadata === undefined || isObject(metadata)
      ? undefined
      : { wrong: "has metadata that is no object", seen: metadata },
  ),

  fieldCheck("TW-SPEC-022", "Read the redaction rules of each tool", redactionFault),

  fieldCheck("TW-SPEC-030", "Looked for unknown fields in each spec", (spec) => {
    const unknown = Object.keys(spec).find((field) => !isSpecField(field));
    return unknown === undefined
      ? undefined
      : {
          wrong: `has a field ${unknown} in its spec that nobody reads: put what is the host's into metadata`,
          seen: (spec as unknown as JsonObject)[unknown],
        };
  }),

  fieldCheck("TW-SPEC-031", "Read the hints of each tool", ({ annotations }) =>
    annotations?.readOnlyHint === true && annotations.destructiveHint === true
      ? { wrong: "calls itself both read-only and destructive", seen: annotations }
      : undefined,
  ),

  fieldCheck("TW-SPEC-041", "Compared each description with the name", ({ name, description }) =>
    isFilledString(description) && isString(name) && letters(name) === letters(description)
      ? { wrong: "has a description that only says its name again", seen: description }
      : undefined,
  ),
];

function fieldCheck(
  id: string,
  done: string,
  faultOf: (spec: ToolSpec) => Fault | undefined,
): Check {
  return check(id, async (context) => {
    const { tools } = await context.subject();
    return checkEach(described(tools), done, ({ spec }) => faultOf(spec));
  });
}

function provenanceFault(value: unknown): Fault | undefined {
  if (!isObject(value)) return { wrong: "has no provenance object", seen: value };
  if (value["adapter"] === undefined) {
    return { wrong: "has a provenance without an adapter", seen: value };
  }
  const name = schemaMismatch(value, provenance);
  if (name === undefined) return undefined;
  const wrong = Object.hasOwn(provenance, name)
    ? `has a provenance with a wrong ${name}`
    : `has ${name} in its provenance, which does not exist there: put it into origin`;
  return { wrong, seen: value };
}

function injectedFault(value: unknown): Fault | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) return { wrong: "has injected values that are no list", seen: value };
  const names = new Set<JsonValue | undefined>();
  for (const parameter of value as JsonValue[]) {
    if (!isObject(parameter) || parameter["name"] === undefined) {
      return { wrong: "has an injected value without a name", seen: parameter };
    }
    const field = schemaMismatch(parameter, injected);
    if (field !== undefined) {
      return { wrong: `has an injected value with a wrong ${field}`, seen: parameter };
    }
    if (names.has(parameter["name"])) {
      return { wrong: `names the injected value ${parameter["name"]} twice`, seen: value };
    }
    names.add(parameter["name"]);
  }
  return undefined;
}

/** `get_user` and `Get user.` are the same, `GET /user` is not. */
function letters(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}/]/gu, "");
}
