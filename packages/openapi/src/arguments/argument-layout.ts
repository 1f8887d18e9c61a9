import type { JsonSchema } from "@toolweave/core";
import { nearNames, shortHash, visibleText } from "@toolweave/core/adapter";
import {
  OperationError,
  type OperationDetails,
  type Parameter,
  type RequestBody,
} from "../document/operation.ts";
import {
  findExpressions,
  getNamesIn,
  resolveExpression,
  splitTemplate,
} from "../document/path-expressions.ts";
import { assertStaysBelow } from "../parameters/path-template.ts";
import { findIdempotencyParameter } from "../parameters/idempotency-header.ts";
import type { LayoutOptions } from "../settings/operation-options.ts";
import type { ParameterArgument } from "../parameters/serialize-parameter.ts";
import { chooseBody, findOtherBodies, type ChosenBody } from "../body/body-formats.ts";
import { selectMediaTypes } from "../body/select-media-types.ts";
import {
  describeReserved,
  findConflictingKeys,
  formatConflict,
  isReserved,
  getReservedNames,
  type HostNames,
  type ReservedNames,
} from "../parameters/reserved-names.ts";
import {
  mergeForms,
  type BodyChoice,
  type BodyForm,
  type PropertyArgument,
} from "./body-choice.ts";
import { getDefinitionName, resolveSchema } from "../schema/resolve-schema.ts";
import { isJsonObject } from "../document/record.ts";

/** The way the body is passed: as a whole in one argument, or each property in an argument of its own. */
export interface BodyArguments extends ChosenBody {
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema | boolean;
  /** The argument that carries the whole body; errors use this name too. */
  readonly argument: string;
  readonly properties?: readonly PropertyArgument[];
  /**
   * The definition from which `properties` were taken. It is not needed any more unless another schema refers to it.
   */
  readonly unfolded?: string;
  /** The media types among which the model chooses. Absent: there is only one. */
  readonly choice?: BodyChoice;
}

/** The assignment of arguments to parameters and to the body. */
export interface ArgumentLayout {
  readonly parameters: readonly ParameterArgument[];
  readonly body?: BodyArguments;
  /** The reason for which an optional body has no argument; the end of a sentence. */
  readonly unwritable?: string;
  /** The header that gets the call's key from the executor; it is not an argument. */
  readonly idempotency?: Parameter;
  /** Warnings for the host; full sentences. */
  readonly warnings?: readonly string[];
  readonly reserved: ReservedNames;
}

/**
 * Maps the parameters and the body of an operation to named arguments.
 *
 * - A parameter is an argument of the same name. When several locations use one name, the path has it, else the query,
 * the header, the cookie, in this order; the others are `query_name`, `header_name`, `cookie_name`.
 * - The properties of a body that is a plain object are arguments beside them, unless one of them has the name of a
 * parameter. Then, as for every other body, the whole body is one argument: `body`, or `request_body` when a parameter
 * has that name.
 * - A name that providers refuse is replaced by an accepted one (`filter[name]` → `filter_name`).
 * - Credentials, and headers that the model must not choose, are not arguments.
 * - If another media type of the body can carry what the first cannot (files beside JSON, bytes of another type), the
 * arguments are those of all of them, and one more names the media type: `content_type`.
 *
 * @throws OperationError if the path leads outside the API's base path, if nothing can be sent as the required body, or
 * if the host requests a media type that the document does not declare.
 */
export function layoutArguments(
  details: OperationDetails,
  path: string,
  pointer: string,
  host: HostNames,
  wishes: LayoutOptions = {},
): ArgumentLayout {
  assertStaysBelow(path, pointer);
  const reserved = getReservedNames(details, host);
  const taken = new Set<string>();
  const warnings: string[] = [];
  const offered = details.parameters.filter((parameter) => {
    if (isReserved(parameter, reserved)) {
      const warning = describeReserved(parameter, reserved);
      if (warning !== undefined) warnings.push(warning);
      return false;
    }
    if (parameter.in === "path" && !isInTemplate(parameter, details, path)) {
      const name = JSON.stringify(visibleText(parameter.name).slice(0, 40));
      warnings.push(`Its path parameter ${name} is not in the path and is not sent.`);
      return false;
    }
    const clashing = findConflictingKeys(parameter, reserved);
    if (clashing.length > 0) warnings.push(formatConflict(parameter, clashing));
    return clashing.length === 0;
  });
  const idempotency =
    wishes.idempotencyKey === "model" ? undefined : findIdempotencyParameter(offered);
  const parameters = applyOverrides(
    nameParameters(
      offered.filter((parameter) => parameter !== idempotency),
      taken,
    ),
    wishes,
    warnings,
  );
  const { body } = details;
  const base = {
    parameters,
    reserved,
    warnings,
    ...(idempotency === undefined ? {} : { idempotency }),
  };
  if (body === undefined) {
    if (wishes.requestMediaType !== undefined) {
      warnings.push("overrides sets a requestMediaType, but the operation has no body.");
    }
    return base;
  }
  const media = selectMediaTypes(body, wishes, pointer, warnings);
  const chosen = chooseBody(media);
  if (chosen === undefined) {
    const unwritable = `no value of its body can be sent as ${formatMediaTypes(body)}`;
    if (body.required) throw new OperationError(unwritable, pointer);
    return { ...base, unwritable };
  }
  const schema = getArgumentSchema(chosen);
  const argument = taken.has("body") ? toFreeName("request_body", taken, "body") : "body";
  const whole: BodyArguments = {
    ...chosen,
    required: body.required,
    ...(body.description === undefined ? {} : { description: body.description }),
    schema,
    argument,
  };
  const others = findOtherBodies(media, chosen);
  const assumed = [chosen, ...others].find((one) => one.media.partName !== undefined);
  if (assumed !== undefined && wishes.partName === undefined) {
    warnings.push(
      `The document does not name the part of its multipart body: it is sent as ${JSON.stringify(assumed.media.partName)}. If the API expects another name, set overrides with partName.`,
    );
  }
  if (others.length === 0)
    return { ...base, body: { ...whole, ...unfoldProperties(whole, taken) } };
  const forms = [chosen, ...others].map((form): BodyForm => {
    const schemaOfForm = getArgumentSchema(form);
    // The required properties of a form are checked once it is known which form is sent.
    const one = { ...whole, ...form, schema: schemaOfForm, required: true };
    const { properties } = unfoldProperties(one, taken);
    return { ...form, schema: schemaOfForm, ...(properties === undefined ? {} : { properties }) };
  });
  return {
    ...base,
    body: { ...whole, ...mergeForms(forms, new Set([...taken, argument]), toFreeName) },
  };
}

function getArgumentSchema({ media, format }: ChosenBody): JsonSchema | boolean {
  return format.argumentSchema?.(media) ?? media.schema.schema;
}

function formatMediaTypes({ media }: RequestBody): string {
  return media.map(({ mediaType }) => visibleText(mediaType).slice(0, 100)).join(" or ");
}

function nameParameters(parameters: readonly Parameter[], taken: Set<string>): ParameterArgument[] {
  const order = ["path", "query", "header", "cookie", "querystring"];
  const names = new Map<Parameter, string>();
  const later: Parameter[] = [];
  for (const location of order) {
    for (const parameter of parameters) {
      if (parameter.in !== location) continue;
      if (taken.has(parameter.name) || !isArgumentName(parameter.name)) later.push(parameter);
      else {
        names.set(parameter, parameter.name);
        taken.add(parameter.name);
      }
    }
  }
  const replaced = new Set<string>();
  for (const parameter of later) {
    const { name: given, in: location } = parameter;
    const own = isArgumentName(given) ? given : toArgumentName(given);
    const isDouble = taken.has(given) || replaced.has(given);
    const alias = isDouble ? toArgumentName(`${location}_${own}`) : own;
    replaced.add(given);
    const name = toFreeName(alias, taken, `${parameter.in} ${parameter.name}`);
    names.set(parameter, name);
    taken.add(name);
  }
  return parameters.map((parameter) => ({
    argument: names.get(parameter) as string,
    parameter,
  }));
}

/** Returns true if a path template has the parameter. */
function isInTemplate(
  { name }: Parameter,
  { parameters }: OperationDetails,
  template: string,
): boolean {
  // Nearly all paths have plain names.
  if (template.includes(`{${name}}`) && !template.includes("#")) return true;
  const { path, query } = splitTemplate(template);
  const declared = getNamesIn(["path"], parameters);
  return findExpressions(`${path}?${query}`).some(
    (text) => resolveExpression(text, declared).name === name,
  );
}

/** Applies the host's overrides of the serialization of parameters. */
function applyOverrides(
  parameters: readonly ParameterArgument[],
  wishes: LayoutOptions,
  warnings: string[],
): readonly ParameterArgument[] {
  if (wishes.multiSegment === undefined && wishes.delimiters === undefined) return parameters;
  const { multiSegment = [], delimiters = {} } = wishes;
  const named = new Set([...multiSegment, ...Object.keys(delimiters)]);
  const changed = parameters.map(({ argument, parameter }): ParameterArgument => {
    if (!named.delete(argument)) return { argument, parameter };
    const delimiter = Object.hasOwn(delimiters, argument) ? delimiters[argument] : undefined;
    const isSegments = multiSegment.includes(argument);
    if (isSegments && parameter.in !== "path") {
      warnings.push(`overrides sets multiSegment for ${argument}, which is not in the path.`);
    }
    return {
      argument,
      parameter: {
        ...parameter,
        ...(isSegments ? { multiSegment: true } : {}),
        ...(delimiter === undefined ? {} : { delimiter }),
      },
    };
  });
  for (const name of named) {
    const [near] = nearNames(
      name,
      parameters.map(({ argument }) => argument),
      1,
    );
    const hint = near === undefined ? "" : ` Did you mean ${near}?`;
    warnings.push(
      `overrides sets multiSegment or delimiters for ${name}, which is not a parameter of the operation.${hint}`,
    );
  }
  return changed;
}

// With any of these keywords the object means more than its properties do, and separate arguments would lose that.
const rootKeywords = new Set([
  "$ref",
  "$dynamicRef",
  "$id",
  "$anchor",
  "$dynamicAnchor",
  "patternProperties",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "dependentRequired",
  "dependentSchemas",
  "dependencies",
  "propertyNames",
  "minProperties",
  "maxProperties",
  "unevaluatedProperties",
  "enum",
  "const",
]);

/** Returns the properties of a plain object as arguments; nothing when that would lose information. */
function unfoldProperties(
  body: BodyArguments,
  parameterNames: ReadonlySet<string>,
): Pick<BodyArguments, "properties" | "unfolded"> {
  const { schema, media, required } = body;
  const root = resolveSchema(schema, media.schema.defs);
  if (typeof root === "boolean") return {};
  const { type, properties, additionalProperties } = root;
  if (type !== undefined && type !== "object") return {};
  if (additionalProperties !== undefined && additionalProperties !== false) return {};
  if (!isJsonObject(properties) || Object.keys(root).some((keyword) => rootKeywords.has(keyword)))
    return {};
  const mustHave = new Set(Array.isArray(root["required"]) ? root["required"] : []);
  const names = Object.keys(properties);
  // For an optional body with required properties, "all of them or none" could not be expressed.
  if (names.length === 0 || (!required && mustHave.size > 0)) return {};
  for (const name of mustHave) if (!Object.hasOwn(properties, name as string)) return {};
  if (names.some((name) => parameterNames.has(name) || name === "__proto__")) return {};
  const taken = new Set([...parameterNames, ...names]);
  const unfolded =
    schema === root || typeof schema === "boolean" ? undefined : getDefinitionName(schema["$ref"]);
  return {
    properties: names.map((property) => {
      const argument = isArgumentName(property)
        ? property
        : toFreeName(toArgumentName(property), taken, property);
      taken.add(argument);
      return {
        argument,
        property,
        schema: properties[property] as JsonSchema,
        required: mustHave.has(property),
      };
    }),
    ...(unfolded === undefined ? {} : { unfolded }),
  };
}

const argumentNamePattern = /^[a-zA-Z0-9_.-]{1,64}$/;

function isArgumentName(name: string): boolean {
  return argumentNamePattern.test(name) && name !== "__proto__";
}

/** Maximum number of characters of a name that are read: a longer name is truncated anyway. */
const maxReadLength = 1000;
/** The largest number that distinguishes equal names; beyond it a hash does. */
const maxSuffix = 99;

/** Converts a name that providers may refuse to one that they accept. */
function toArgumentName(name: string): string {
  const clean = name
    .slice(0, maxReadLength)
    .replace(/[^a-zA-Z0-9_.-]+/g, "_")
    .replace(/^_+|_+$/g, "");
  if (clean === "") return `argument_${shortHash(name)}`;
  const fits = clean.length <= 64 && name.length <= maxReadLength;
  return fits ? clean : `${clean.slice(0, 56)}_${shortHash(name)}`;
}

/** @param original the name from which `name` was derived. */
function toFreeName(name: string, taken: ReadonlySet<string>, original: string): string {
  let candidate = name;
  for (let count = 2; taken.has(candidate); count++) {
    const ending = count <= maxSuffix ? `${count}` : shortHash(`${original} ${count}`);
    candidate = `${name.slice(0, 63 - ending.length)}_${ending}`;
  }
  return candidate;
}
