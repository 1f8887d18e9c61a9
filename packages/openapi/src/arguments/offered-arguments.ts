import {
  ajvValidator,
  nearNames,
  type JsonObject,
  type JsonSchema,
  type SchemaValidator,
} from "@toolweave/core";
import { OperationError } from "../document/operation.ts";
import { inPlaceSchemas } from "../schema/resolve-schema.ts";
import type { ArgumentLayout, BodyArguments } from "./argument-layout.ts";
import type { BodyChoice } from "./body-choice.ts";
import { inputSchema } from "./input-schema.ts";
import type { OperationSettings } from "../settings/operation-settings.ts";

/**
 * The arguments that a model may choose: all but those that the host hides or fixes.
 *
 * @param unknown is told of a name that no argument has; the end of a sentence.
 * @throws OperationError when one is required that is hidden and has no value, or when a name may be that of a member of
 * the whole body, which the model would choose; and when there is nothing to send a fixed value as.
 */
export function offeredArguments(
  layout: ArgumentLayout,
  { hidden, fixed = {} }: Pick<OperationSettings, "hidden" | "fixed">,
  pointer: string,
  unknown: (message: string) => void,
): ArgumentLayout {
  if (hidden.length === 0) return layout;
  const isRequired = requirements(layout);
  for (const name of new Set(hidden)) {
    const required = isRequired.get(name);
    if (required === undefined) {
      const [near] = nearNames(name, [...isRequired.keys()], 1);
      const hint = near === undefined ? "" : ` Did you mean ${near}?`;
      const reason = `overrides hides or fixes ${name}, which is no argument of it`;
      const { body } = layout;
      if (body !== undefined && body.properties === undefined && mayHold(body, name)) {
        throw new OperationError(
          `overrides hides or fixes ${name}, which is no argument of its own: the body is one, ${body.argument}. Hide or fix that, or leave the operation out`,
          pointer,
        );
      }
      // A call without what the host wants sent with each would be another call.
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
      ...(choice === undefined ? {} : { choice: offeredChoice(choice, body, hidden) }),
    },
  };
}

/** What the model may choose of the media types of a body. */
function offeredChoice(
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

/** True when a body that is passed whole could have a member of that name. */
function mayHold({ media: { schema, itemSchema } }: BodyArguments, name: string): boolean {
  if (itemSchema !== undefined) return false;
  return inPlaceSchemas([schema.schema], schema.defs).some(({ properties }) =>
    Object.hasOwn((properties ?? {}) as object, name),
  );
}

/** The arguments, and whether each must be there. */
function requirements({ parameters, body }: ArgumentLayout): ReadonlyMap<string, boolean> {
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
 * Looks whether the arguments take the values that the host fixes.
 *
 * @throws OperationError for one that does not fit; it does not say the value.
 */
export async function checkFixed(
  layout: ArgumentLayout,
  fixed: JsonObject,
  pointer: string,
): Promise<void> {
  const { properties, $defs } = inputSchema(layout) as { readonly [keyword: string]: JsonObject };
  const schema = { properties, ...($defs === undefined ? {} : { $defs }) } as JsonSchema;
  validator ??= ajvValidator();
  const [problem] = (await validator.compile(schema))(fixed) ?? [];
  if (problem === undefined) return;
  const place = problem.path.slice(1).replaceAll("/", ".");
  throw new OperationError(`overrides fixes ${place}, which ${problem.message}`, pointer);
}
