import { setOwn } from "../document/record.ts";
import type { JsonSchema, JsonValue } from "@toolweave/core";
import { visibleText } from "@toolweave/core/adapter";
import type { ArgumentLayout } from "./argument-layout.ts";
import { toChoiceSchema } from "./body-choice.ts";
import type { Parameter, SelfContainedSchema } from "../document/operation.ts";
import { toRepresentableSchema } from "../body/form-body.ts";
import { getDefinitionName } from "../schema/resolve-schema.ts";

type Schema = JsonSchema | boolean;
type Definitions = Map<string, Schema>;

/**
 * Creates the object schema of an operation's arguments. It is self-contained, with shared definitions under `$defs`.
 * Undeclared arguments are not allowed, because no part of the request could carry them.
 *
 * @param shown converts a description to the text that a model sees.
 */
export function toInputSchema(
  layout: ArgumentLayout,
  formatDescription: (description: string) => string = visibleText,
): JsonSchema {
  const properties: Record<string, JsonValue> = {};
  const required: string[] = [];
  const defs: Definitions = new Map();
  const add = (name: string, schema: Schema, isRequired: boolean): void => {
    setOwn(properties, name, schema);
    if (isRequired) required.push(name);
  };
  const visible = (description: string | undefined): string | undefined =>
    description === undefined ? undefined : formatDescription(description);

  for (const { argument, parameter } of layout.parameters) {
    const { name, description, required: isRequired, schema } = parameter;
    addDefinitions(schema, defs);
    const about = visible(addOriginalName(argument, name, description));
    add(argument, parameterSchema(parameter, about), isRequired || parameter.in === "path");
  }
  const { body } = layout;
  if (body !== undefined) {
    addDefinitions(body.media.schema, defs);
    if (body.media.itemSchema !== undefined) addDefinitions(body.media.itemSchema, defs);
    for (const { media } of body.choice?.forms ?? []) {
      addDefinitions(media.schema, defs);
      if (media.itemSchema !== undefined) addDefinitions(media.itemSchema, defs);
    }
    if (body.properties === undefined || body.choice?.isWhole === true) {
      const isRequired = body.required && body.properties === undefined;
      add(body.argument, annotateSchema(body.schema, visible(body.description)), isRequired);
    }
    if (body.properties !== undefined) {
      for (const { argument, property, schema, required: isRequired } of body.properties) {
        const about =
          argument === property
            ? undefined
            : addOriginalName(argument, property, getDescription(schema));
        add(argument, annotateSchema(schema, visible(about)), isRequired);
      }
      const { unfolded } = body;
      if (unfolded !== undefined && !isReferenced(unfolded, properties, defs))
        defs.delete(unfolded);
    }
    if (body.choice?.argument !== undefined) {
      add(body.choice.argument, toChoiceSchema(body.choice), false);
    }
  }
  return {
    type: "object",
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
    ...(defs.size === 0 ? {} : { $defs: Object.fromEntries(defs) as Record<string, JsonValue> }),
  };
}

/** Puts a schema's definitions under its own `$defs`. */
export function toSelfContained({ schema, defs }: SelfContainedSchema): JsonSchema {
  const root = schema === true ? {} : schema === false ? { not: {} } : schema;
  return defs.size === 0 ? root : { ...root, $defs: toRecord(defs) };
}

const records = new WeakMap<SelfContainedSchema["defs"], Record<string, JsonValue>>();

/** Shares the record between operations that use the same definitions. */
function toRecord(defs: SelfContainedSchema["defs"]): Record<string, JsonValue> {
  let record = records.get(defs);
  if (record === undefined) {
    record = Object.fromEntries(defs) as Record<string, JsonValue>;
    records.set(defs, record);
  }
  return record;
}

function addDefinitions({ defs }: SelfContainedSchema, into: Definitions): void {
  for (const [name, definition] of defs) into.set(name, definition);
}

/**
 * The last described schema of each parameter: operations that share a parameter share its schema, which is then
 * processed only once.
 */
const described = new WeakMap<Parameter, DescribedParameter>();

interface DescribedParameter {
  readonly description: string | undefined;
  readonly schema: Schema;
}

function parameterSchema(parameter: Parameter, description: string | undefined): Schema {
  let known = described.get(parameter);
  if (known === undefined || known.description !== description) {
    const schema = annotateSchema(
      toRepresentableSchema(parameter),
      description,
      parameter.deprecated,
    );
    known = { description, schema };
    described.set(parameter, known);
  }
  return known.schema;
}

function annotateSchema(
  schema: Schema,
  description: string | undefined,
  deprecated = false,
): Schema {
  if (description === undefined && !deprecated) return schema;
  return {
    ...(typeof schema === "object" ? schema : schema ? {} : { not: {} }),
    ...(description === undefined ? {} : { description }),
    ...(deprecated ? { deprecated } : {}),
  };
}

/** The original name of an argument, at the end of its description. */
export const aliasNote: RegExp = /(?:^|\n\n)(Sent as .{1,300}\.)$/;

/** Appends the original name (`filter[name]`) to the description of an argument that has another name. */
function addOriginalName(
  argument: string,
  name: string,
  description: string | undefined,
): string | undefined {
  if (argument === name) return description;
  return description === undefined ? `Sent as ${name}.` : `${description}\n\nSent as ${name}.`;
}

function getDescription(schema: Schema): string | undefined {
  const description = typeof schema === "object" ? schema["description"] : undefined;
  return typeof description === "string" ? description : undefined;
}

function isReferenced(
  name: string,
  properties: Readonly<Record<string, JsonValue>>,
  defs: Definitions,
): boolean {
  const mentions = (value: unknown): boolean => {
    if (typeof value !== "object" || value === null) return false;
    for (const [key, inner] of Object.entries(value)) {
      if (key === "$ref" ? getDefinitionName(inner) === name : mentions(inner)) return true;
    }
    return false;
  };
  if (mentions(properties)) return true;
  for (const [other, definition] of defs) if (other !== name && mentions(definition)) return true;
  return false;
}
