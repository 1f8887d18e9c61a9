import { ajvValidator, type JsonObject, type JsonSchema } from "@toolweave/core";
import { nearNames, type SchemaValidator } from "@toolweave/core/adapter";
import { OperationError } from "../document/operation.ts";
import { collectInPlaceSchemas } from "../schema/resolve-schema.ts";
import type { ArgumentLayout, BodyArguments } from "./argument-layout.ts";
import type { BodyChoice } from "./body-choice.ts";
import { toInputSchema } from "./input-schema.ts";
import type { OperationSettings } from "../settings/operation-settings.ts";

/**
 * Returns the arguments that a model may choose: all except those that the host hides or fixes.
 *
 * @param unknown is called for a name that no argument has, with the end of a sentence.
 * @throws OperationError if a hidden argument is required and has no value; if a name may be that of a property of the
 * whole body, which the model would choose; or if no argument takes a fixed value.
 */
export function selectOffered(
  layout: ArgumentLayout,
  { hidden, fixed = {} }: Pick<OperationSettings, "hidden" | "fixed">,
  pointer: string,
  unknown: (message: string) => void,
): ArgumentLayout {
  if (hidden.length === 0) return layout;
  const isRequired = getRequirements(layout);
  for (const name of new Set(hidden)) {
    const required = isRequired.get(name);
    if (required === undefined) {
      const [near] = nearNames(name, [...isRequired.keys()], 1);
      const hint = near === undefined ? "" : ` Did you mean ${near}?`;
      const reason = `overrides hides or fixes ${name}, which is not an argument of the operation`;
      const { body } = layout;
      if (body !== undefined && body.properties === undefined && mayHaveProperty(body, name)) {
        throw new OperationError(
          `overrides hides or fixes ${name}, which is not an argument: the whole body is the argument ${body.argument}. Hide or fix that argument, or exclude the operation`,
          pointer,
        );
      }
      // A call without the value that the host wants in every call would be a different call.
      if (Object.hasOwn(fixed, name)) throw new OperationError(reason, pointer);
      unknown(`${reason}.${hint}`);
    } else if (required && !Object.hasOwn(fixed, name)) {
      throw new OperationError(
        `overrides hides ${name}, which is required: give it a value with \`fixed\``,
        pointer,
      );
    }
  }
  const isOffered = ({ argument }: { readonly argument: string }): boolean =>
    !hidden.includes(argument);
  const { body } = layout;
  const { body: _, ...others } = layout;
  const parameters = layout.parameters.filter(isOffered);
  if (body === undefined || (body.properties === undefined && !isOffered(body))) {
    return { ...others, parameters };
  }
  const properties = body.properties?.filter(isOffered);
  const { choice } = body;
  return {
    ...layout,
    parameters,
    body: {
      ...body,
      ...(properties === undefined ? {} : { properties }),
      ...(choice === undefined ? {} : { choice: selectChoice(choice, body, hidden) }),
    },
  };
}

/** Returns the choice that the model has among the media types of a body. */
function selectChoice(
  choice: BodyChoice,
  { argument: whole }: BodyArguments,
  hidden: readonly string[],
): BodyChoice {
  const { argument, ...others } = choice;
  const isWhole = choice.isWhole && !hidden.includes(whole);
  return argument === undefined || hidden.includes(argument)
    ? { ...others, isWhole }
    : { ...choice, isWhole };
}

/** Returns true when a body that is passed as a whole could have a property of that name. */
function mayHaveProperty({ media: { schema, itemSchema } }: BodyArguments, name: string): boolean {
  if (itemSchema !== undefined) return false;
  return collectInPlaceSchemas([schema.schema], schema.defs).some(({ properties }) =>
    Object.hasOwn((properties ?? {}) as object, name),
  );
}

/** Returns the arguments, and whether each is required. */
function getRequirements({ parameters, body }: ArgumentLayout): ReadonlyMap<string, boolean> {
  const all = new Map<string, boolean>();
  for (const { argument, parameter } of parameters) {
    all.set(argument, parameter.required || parameter.in === "path");
  }
  if (body === undefined) return all;
  const { properties, choice } = body;
  if (choice?.argument !== undefined) all.set(choice.argument, false);
  if (properties === undefined || choice?.isWhole === true) {
    all.set(body.argument, body.required && properties === undefined);
  }
  for (const { argument, required } of properties ?? []) all.set(argument, required);
  return all;
}

let validator: SchemaValidator | undefined;

/**
 * Checks the values that the host fixes against the schemas of their arguments.
 *
 * @throws OperationError for a value that does not match; the message does not contain the value.
 */
export async function checkFixed(
  layout: ArgumentLayout,
  fixed: JsonObject,
  pointer: string,
): Promise<void> {
  const { properties, $defs } = toInputSchema(layout) as { readonly [keyword: string]: JsonObject };
  const schema = { properties, ...($defs === undefined ? {} : { $defs }) } as JsonSchema;
  validator ??= ajvValidator();
  const [problem] = (await validator.compile(schema))(fixed) ?? [];
  if (problem === undefined) return;
  const place = problem.path.slice(1).replaceAll("/", ".");
  throw new OperationError(`overrides fixes ${place}, which ${problem.message}`, pointer);
}
