import type { JsonSchema } from "@toolweave/core";
import type { ChosenBody } from "../body/body-formats.ts";
import type { PropertyArgument } from "./argument-layout.ts";

type Schema = JsonSchema | boolean;

/** One media type that a body can be sent as, and the arguments that it takes. */
export interface BodyForm extends ChosenBody {
  /** Of the body when it is passed whole. */
  readonly schema: Schema;
  /** Absent: it takes the argument that is the whole body. */
  readonly properties?: readonly PropertyArgument[];
}

/** Several media types of one body, among which the model chooses, since they can carry different things. */
export interface BodyChoice {
  /** The argument that names the media type; absent: the host has hidden it. Without it, the arguments that are passed decide. */
  readonly argument?: string;
  /** The default first. */
  readonly forms: readonly BodyForm[];
  /** One of them takes the whole body as one argument. */
  readonly isWhole: boolean;
}

/** The arguments of all forms of a body. */
export interface MergedForms {
  readonly choice: BodyChoice;
  /** Of the whole body, where a form takes it. */
  readonly schema: Schema;
  /** Absent: no form takes the properties one by one. */
  readonly properties?: readonly PropertyArgument[];
}

/**
 * Merges the arguments of several forms of one body: a property that two forms have is one argument, which takes what
 * either takes. An argument is required when every form requires it; what a single form requires is checked at the call.
 *
 * @param free makes a name that nothing has yet.
 */
export function mergeForms(
  forms: readonly BodyForm[],
  taken: ReadonlySet<string>,
  free: (name: string, taken: ReadonlySet<string>, original: string) => string,
): MergedForms {
  const names = new Set(taken);
  const merged = new Map<string, { argument: string; schemas: Schema[]; required: number }>();
  const named = forms.map((form): BodyForm => {
    if (form.properties === undefined) return form;
    const properties = form.properties.map((one): PropertyArgument => {
      const known = merged.get(one.property);
      const argument = known?.argument ?? free(one.argument, names, one.property);
      names.add(argument);
      const { schemas, required } = known ?? { schemas: [], required: 0 };
      merged.set(one.property, {
        argument,
        schemas: [...schemas, one.schema],
        required: required + (one.required ? 1 : 0),
      });
      return { ...one, argument };
    });
    return { ...form, properties };
  });
  const whole = named.filter(({ properties }) => properties === undefined);
  const choice: BodyChoice = {
    argument: free("content_type", names, "content-type"),
    forms: named,
    isWhole: whole.length > 0,
  };
  const schema = anyOf(whole.map((form) => form.schema));
  if (merged.size === 0) return { choice, schema };
  const properties = [...merged].map(([property, { argument, schemas, required }]) => ({
    argument,
    property,
    schema: anyOf(schemas),
    required: required === forms.length,
  }));
  return { choice, schema, properties };
}

/** What the model reads of the choice. */
export function choiceSchema({ forms }: BodyChoice): JsonSchema {
  return {
    type: "string",
    enum: forms.map(({ media }) => media.mediaType),
    description:
      "How the body is sent. Default: as the first that takes the arguments that are passed.",
  };
}

function anyOf(schemas: readonly Schema[]): Schema {
  const distinct = new Map(schemas.map((schema) => [JSON.stringify(schema), schema]));
  const [only = true, ...others] = [...distinct.values()];
  return others.length === 0 ? only : { anyOf: [only, ...others] as JsonSchema[] };
}
