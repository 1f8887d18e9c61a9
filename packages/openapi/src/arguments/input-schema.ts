import { setOwn } from "../document/record.ts";
import { visibleText, type JsonSchema, type JsonValue } from "@toolweave/core";
import type { ArgumentLayout } from "./argument-layout.ts";
import { choiceSchema } from "./body-choice.ts";
import type { Parameter, SelfContainedSchema } from "../document/operation.ts";
import { representableSchema } from "../body/form-schema.ts";
import { definitionName } from "../schema/resolve-schema.ts";

type Schema = JsonSchema | boolean;
type Definitions = Map<string, Schema>;

/**
 * The one object schema of an operation's arguments: self-contained, definitions shared under `$defs`. Undeclared
 * arguments have nowhere to go, so there are none.
 *
 * @param shown what a model reads of a description.
 */
export function inputSchema(
  layout: ArgumentLayout,
  shown: (description: string) => string = visibleText,
): JsonSchema {
  const properties: Record<string, JsonValue> = {};
  const required: string[] = [];
  const defs: Definitions = new Map();
  const add = (name: string, schema: Schema, isRequired: boolean): void => {
    setOwn(properties, name, schema);
    if (isRequired) required.push(name);
  };
  const visible = (description: string | undefined): string | undefined =>
    description === undefined ? undefined : shown(description);

  for (const { argument, parameter } of layout.parameters) {
    const { name, description, required: isRequired, schema } = parameter;
    gather(schema, defs);
    const about = visible(aliased(argument, name, description));
    add(argument, parameterSchema(parameter, about), isRequired || parameter.in === "path");
  }
  const { body } = layout;
  if (body !== undefined) {
    gather(body.media.schema, defs);
    if (body.media.itemSchema !== undefined) gather(body.media.itemSchema, defs);
    for (const { media } of body.choice?.forms ?? []) {
      gather(media.schema, defs);
      if (media.itemSchema !== undefined) gather(media.itemSchema, defs);
    }
    if (body.properties === undefined || body.choice?.isWhole === true) {
      const isRequired = body.required && body.properties === undefined;
      add(body.argument, annotated(body.schema, visible(body.description)), isRequired);
    }
    if (body.properties !== undefined) {
      for (const { argument, property, schema, required: isRequired } of body.properties) {
        const about =
          argument === property ? undefined : aliased(argument, property, getDescription(schema));
        add(argument, annotated(schema, visible(about)), isRequired);
      }
      const { unfolded } = body;
      if (unfolded !== undefined && !isMentioned(unfolded, properties, defs)) defs.delete(unfolded);
    }
    if (body.choice?.argument !== undefined) {
      add(body.choice.argument, choiceSchema(body.choice), false);
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
export function selfContained({ schema, defs }: SelfContainedSchema): JsonSchema {
  const root = schema === true ? {} : schema === false ? { not: {} } : schema;
  return defs.size === 0 ? root : { ...root, $defs: toRecord(defs) };
}

const records = new WeakMap<SelfContainedSchema["defs"], Record<string, JsonValue>>();

/** Operations that reach the same definitions have one list of them. */
function toRecord(defs: SelfContainedSchema["defs"]): Record<string, JsonValue> {
  let record = records.get(defs);
  if (record === undefined) {
    record = Object.fromEntries(defs) as Record<string, JsonValue>;
    records.set(defs, record);
  }
  return record;
}

function gather({ defs }: SelfContainedSchema, into: Definitions): void {
  for (const [name, definition] of defs) into.set(name, definition);
}

/** What became of each parameter last: operations that share one share its schema, and that is shown once for all. */
const described = new WeakMap<Parameter, DescribedParameter>();

interface DescribedParameter {
  readonly description: string | undefined;
  readonly schema: Schema;
}

function parameterSchema(parameter: Parameter, description: string | undefined): Schema {
  let known = described.get(parameter);
  if (known === undefined || known.description !== description) {
    const schema = annotated(representableSchema(parameter), description, parameter.deprecated);
    known = { description, schema };
    described.set(parameter, known);
  }
  return known.schema;
}

function annotated(schema: Schema, description: string | undefined, deprecated = false): Schema {
  if (description === undefined && !deprecated) return schema;
  return {
    ...(typeof schema === "object" ? schema : schema ? {} : { not: {} }),
    ...(description === undefined ? {} : { description }),
    ...(deprecated ? { deprecated } : {}),
  };
}

/** What an argument stands for, at the end of its description. */
export const aliasNote: RegExp = /(?:^|\n\n)(Sent as .{1,300}\.)$/;

/** The model reads about `filter[name]` in the API's words: an argument of another name says what it stands for. */
function aliased(
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

function isMentioned(
  name: string,
  properties: Readonly<Record<string, JsonValue>>,
  defs: Definitions,
): boolean {
  const mentions = (value: unknown): boolean => {
    if (typeof value !== "object" || value === null) return false;
    for (const [key, inner] of Object.entries(value)) {
      if (key === "$ref" ? definitionName(inner) === name : mentions(inner)) return true;
    }
    return false;
  };
  if (mentions(properties)) return true;
  for (const [other, definition] of defs) if (other !== name && mentions(definition)) return true;
  return false;
}
