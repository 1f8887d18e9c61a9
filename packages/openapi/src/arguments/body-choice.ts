import type { JsonSchema } from "@toolweave/core";
import type { ChosenBody } from "../body/body-formats.ts";

type Schema = JsonSchema | boolean;

/** A property of the body and the argument that carries it. */
export interface PropertyArgument {
  readonly argument: string;
  readonly property: string;
  readonly schema: Schema;
  readonly required: boolean;
}

/** One media type as which a body can be sent, and the arguments that it takes. */
export interface BodyForm extends ChosenBody {
  /** Schema of the body when it is passed as a whole. */
  readonly schema: Schema;
  /** Absent: the form takes the argument that carries the whole body. */
  readonly properties?: readonly PropertyArgument[];
}

/** Several media types of one body, among which the model chooses because they can carry different values. */
export interface BodyChoice {
  /**
   * The argument that names the media type; absent: the host has hidden it. Without it, the passed arguments decide.
   */
  readonly argument?: string;
  /** The default first. */
  readonly forms: readonly BodyForm[];
  /** True when a form takes the whole body as one argument. */
  readonly isWhole: boolean;
}

/** The arguments of all forms of a body. */
export interface MergedForms {
  readonly choice: BodyChoice;
  /** Schema of the whole body, for the forms that take it. */
  readonly schema: Schema;
  /** Absent: no form takes the properties as separate arguments. */
  readonly properties?: readonly PropertyArgument[];
}

/**
 * Merges the arguments of several forms of one body. A property that two forms have is one argument, which accepts the
 * values of either. An argument is required when every form requires it; the requirements of a single form are checked
 * at the call.
 *
 * @param free derives a name that is not taken yet.
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

/** Creates the schema of the argument that chooses the media type, as the model sees it. */
export function toChoiceSchema({ forms }: BodyChoice): JsonSchema {
  return {
    type: "string",
    enum: forms.map(({ media }) => media.mediaType),
    description:
      "The media type of the body. Default: the first one that accepts the passed arguments.",
  };
}

function anyOf(schemas: readonly Schema[]): Schema {
  const distinct = new Map(schemas.map((schema) => [JSON.stringify(schema), schema]));
  const [only = true, ...others] = [...distinct.values()];
  return others.length === 0 ? only : { anyOf: [only, ...others] as JsonSchema[] };
}
