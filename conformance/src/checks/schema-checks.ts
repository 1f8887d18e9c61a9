import type { JsonObject } from "@toolweave/core";
import { check, type Check } from "../check.ts";
import { messageOf, notApplicable } from "../finding.ts";
import { described, lookAt } from "../look-at.ts";
import { drawn } from "../schema/drawn.ts";
import { referencesOf } from "../schema/references.ts";
import { sharedValidator } from "../schema/shared-validator.ts";
import { isObject } from "../schema/subschemas.ts";
import { surfaceNames } from "../schema/surface-names.ts";
import { inputChecks } from "./input-checks.ts";
import { valueChecks } from "./value-checks.ts";

type SchemaField = "inputSchema" | "outputSchema";

const schemaFields: readonly SchemaField[] = ["inputSchema", "outputSchema"];

interface SchemaOf {
  readonly label: string;
  readonly schema: JsonObject;
}

const maxOutputSchemas = 100;

/** What a spec's schemas are. */
export const schemaChecks: readonly Check[] = [
  check("TW-SPEC-004", async (context) => {
    const { tools } = await context.subject();
    return lookAt(described(tools), "Read the type of each input schema", ({ spec }) =>
      isObject(spec.inputSchema) && spec.inputSchema["type"] === "object"
        ? undefined
        : { wrong: `has an input schema without type: "object"`, seen: spec.inputSchema },
    );
  }),

  check("TW-SPEC-005", async (context) => {
    const tools = described((await context.subject()).tools);
    const fields = (field: SchemaField): SchemaOf[] =>
      tools.flatMap(({ label, spec }) => {
        const schema = spec[field];
        return isObject(schema) ? [{ label: `${label}'s ${field}`, schema }] : [];
      });
    // What large APIs answer takes a validator minutes to compile: the seed decides which this time.
    const schemas = [
      ...fields("inputSchema"),
      ...drawn(fields("outputSchema"), maxOutputSchemas, context.seed),
    ];
    return lookAt(schemas, "Compiled schemas", async ({ schema }) => {
      // Nothing can be compiled that is not there: that is TW-SPEC-006.
      if (referencesOf(schema).dangling().length > 0) return undefined;
      try {
        await sharedValidator.compile(schema);
        return undefined;
      } catch (error) {
        return { wrong: "is not valid", seen: messageOf(error) };
      }
    });
  }),

  check("TW-SPEC-006", async (context) => {
    const { tools } = await context.subject();
    return lookAt(described(tools), "Resolved each reference of each schema", ({ spec }) => {
      for (const field of schemaFields) {
        const schema = spec[field];
        const [dangling] = isObject(schema) ? referencesOf(schema).dangling() : [];
        if (dangling !== undefined) return { wrong: `refers out of its ${field}`, seen: dangling };
      }
      return undefined;
    });
  }),

  check("TW-SPEC-007", async (context) => {
    const { tools } = await context.subject();
    const injecting = described(tools).filter(({ spec }) => spec.injected?.length);
    if (injecting.length === 0) return notApplicable("No tool has injected values.");
    return lookAt(injecting, "Looked for injected names in each input schema", ({ spec }) => {
      const names = surfaceNames(spec.inputSchema as JsonObject);
      const shown = spec.injected?.find(({ name }) => names.has(name));
      return shown === undefined
        ? undefined
        : { wrong: `shows the injected value "${shown.name}" to the model`, seen: [...names] };
    });
  }),

  ...inputChecks,
  ...valueChecks,
];
