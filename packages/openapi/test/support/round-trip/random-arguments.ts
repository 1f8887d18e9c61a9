import type { JsonObject, JsonValue } from "@toolweave/core";
import {
  isNothing,
  type DrawnBody,
  type DrawnOperation,
  type DrawnParameter,
} from "./random-operation.ts";
import type { Sample } from "./random-schema.ts";

/** An argument of a tool, and the value that it represents. */
export interface DrawnArgument {
  readonly argument: string;
  readonly sample: Sample;
  readonly required: boolean;
  readonly passed: boolean;
  /** A parameter, a property of the body, or, with neither, the complete body. */
  readonly parameter?: DrawnParameter;
  readonly property?: string;
}

const places = ["path", "query", "header", "cookie"];

/**
 * Finds the argument for each value of an operation, with only the rules of the README and the data
 * of a model: the names, and `Sent as …`.
 *
 * @param schema of the tool's arguments.
 */
export function drawnArguments(operation: DrawnOperation, schema: JsonObject): DrawnArgument[] {
  const properties = schema["properties"] as Record<string, { description?: string }>;
  const taken = new Set<string>();
  /** The next argument that represents a name. */
  const find = (name: string, place = ""): string | undefined => {
    const standsFor = (argument: string): boolean =>
      properties[argument]?.description?.endsWith(`Sent as ${name}.`) === true;
    const free = Object.keys(properties).filter((argument) => !taken.has(argument));
    const own = free.find(
      (argument) =>
        argument === name && !/Sent as .*\.$/s.test(properties[argument]?.description ?? ""),
    );
    const others = free
      .filter(standsFor)
      .sort((a, b) => a.length - b.length || readCount(a) - readCount(b));
    const found = own ?? others.find((argument) => argument.startsWith(`${place}_`)) ?? others[0];
    if (found !== undefined) taken.add(found);
    return found;
  };
  const take = (name: string, place = ""): string => {
    const found = find(name, place);
    if (found === undefined) throw new Error(`no argument represents ${place} ${name}`);
    return found;
  };
  const inOrder = operation.parameters.toSorted(
    (a, b) => places.indexOf(a.in) - places.indexOf(b.in),
  );
  const all: DrawnArgument[] = inOrder.flatMap((parameter) => {
    const { name, in: place, sample, required, passed } = parameter;
    // An object whose keys would all be sent under the names of other parameters is omitted.
    const isExploded = parameter.explode || parameter.style === "deepObject";
    const mayClash = sample.shape === "object" && sample.members.length > 0 && isExploded;
    const argument = mayClash ? find(name, place) : take(name, place);
    return argument === undefined ? [] : [{ argument, sample, required, passed, parameter }];
  });
  const { body } = operation;
  if (body !== undefined) {
    if (isFlat(body, new Set(all.map(({ argument }) => argument)))) {
      for (const member of createMembers(body)) {
        all.push({ ...member, argument: take(member.property) });
      }
    } else {
      const argument = taken.has("body") ? "request_body" : "body";
      const name = taken.has(argument) ? `${argument}_2` : argument;
      taken.add(name);
      all.push({
        argument: name,
        sample: body.sample,
        required: body.required,
        passed: body.required || body.passed,
      });
    }
  }
  const extra = Object.keys(properties).filter((argument) => !taken.has(argument));
  if (extra.length > 0) throw new Error(`undeclared arguments: ${extra.join()}`);
  return all;
}

/** Equal names get a number: `a_b`, `a_b_2`; a long one is shortened for that. */
function readCount(argument: string): number {
  return Number(/_(\d+)$/.exec(argument)?.[1] ?? 1);
}

/** The passed value of each property of a body. */
function createMembers({
  sample,
  required,
  passed,
}: DrawnBody): (DrawnArgument & { property: string })[] {
  const value = sample.value as JsonObject;
  return sample.members.map(({ name, sample: member, required: isRequired }) => ({
    argument: "",
    property: name,
    sample: member,
    required: isRequired,
    passed: (required || passed) && Object.hasOwn(value, name),
  }));
}

/**
 * README, "Arguments": properties are arguments beside the parameters as long as that loses
 * nothing.
 */
function isFlat({ sample, required }: DrawnBody, parameters: ReadonlySet<string>): boolean {
  if (sample.shape !== "object" || sample.isOpen || sample.members.length === 0) return false;
  if (!required && sample.members.some((member) => member.required)) return false;
  return !sample.keys.some((key) => parameters.has(key));
}

/** All texts in a value, with the keys. */
function textsIn(value: JsonValue): string[] {
  if (value === null) return ["null"];
  if (typeof value !== "object") return [String(value)];
  if (Array.isArray(value)) return value.flatMap((one: JsonValue) => textsIn(one));
  return Object.entries(value).flatMap(([key, one]) => [key, ...textsIn(one as JsonValue)]);
}

/** True if a call may be refused for this argument: its value is unusual in its place. */
export function mayRefuse(given: DrawnArgument, { parameters, body }: DrawnOperation): boolean {
  const { sample, parameter, property } = given;
  const { value, shape } = sample;
  if (parameter === undefined) {
    if (body?.mediaType.endsWith("json") === true) return false;
    const inner =
      property === undefined
        ? (body as DrawnBody).fields
        : (body as DrawnBody).fields.filter(({ name }) => name === property);
    return inner.some(
      (field) =>
        (!field.sample.isFile &&
          (!isOrdinary(field.sample.value) || !textsIn(field.name).every(isPlain))) ||
        isNothing(field.sample.value) ||
        (field.encoding !== undefined &&
          field.sample.shape === "object" &&
          meet(
            field.sample.keys,
            field.name,
            (body as DrawnBody).fields.map(({ name }) => name),
          )),
    );
  }
  if (parameter.isJson) return !textsIn(value).every(isPlain);
  if (!isOrdinary(value) || isNothing(value)) return true;
  const others = parameters.filter((one) => one !== parameter && one.in === parameter.in);
  return (
    shape === "object" &&
    parameter.explode &&
    meet(
      sample.keys,
      parameter.name,
      others.flatMap((one) => [one.name, ...one.sample.keys]),
    )
  );
}

/** True if keys could be read as other names, by the most lenient of servers. */
function meet(keys: readonly string[], own: string, others: readonly string[]): boolean {
  const careless = (name: string): string =>
    name
      .replace(/(?<=.)\[.*$/s, "")
      .replace(/[^a-z0-9]+/gi, "_")
      .toLowerCase();
  const all = new Set(others.filter((name) => name !== own || keys.includes(name)).map(careless));
  return [own, ...keys].some((one) => all.has(careless(one)));
}

function isOrdinary(value: JsonValue): boolean {
  return isFlatValue(value) && textsIn(value).every(isPlain);
}

function isFlatValue(value: JsonValue): boolean {
  if (typeof value !== "object" || value === null) return value !== null;
  return Object.values(value).every((one) => typeof one !== "object");
}

function isPlain(text: string): boolean {
  return /^[a-zA-Z0-9-]+$/.test(text);
}

/**
 * True if the schema of the arguments refuses the value: nothing of it would be sent, and something
 * is required.
 */
export function isEmpty(
  { sample, required, parameter }: DrawnArgument,
  { body }: DrawnOperation,
): boolean {
  if (parameter !== undefined) {
    return (
      (parameter.in === "path" && sample.value === "") || (required && isNothing(sample.value))
    );
  }
  return body?.fields.some((field) => field.required && isNothing(field.sample.value)) === true;
}
