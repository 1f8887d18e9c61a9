import { nearNames, ToolError } from "@toolweave/core";
import { declares, placeOf } from "../contract/declarations.ts";
import type { Declaration, Manifest, SampleKind } from "../contract/manifest.ts";
import { requirements } from "../requirements/requirements.ts";
import { isObject } from "../schema/subschemas.ts";

/** What a field must be, and how that is said. */
type Shape = readonly [fits: (value: unknown) => boolean, what: string];

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === "string");
const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) > 0;

const action: Shape = [(value) => typeof value === "function", "a function"];
const text: Shape = [isText, "a text"];
const object: Shape = [isObject, "an object"];

const fields: Readonly<Record<keyof Manifest, Shape>> = {
  name: text,
  create: action,
  samples: object,
  generatedCalls: [
    (value) => value === "all" || isTexts(value),
    '"all", or a list of names of tools',
  ],
  state: action,
  secrets: [isTexts, "a list of texts"],
  change: action,
  outage: [
    (value) =>
      isObject(value) &&
      typeof value.begin === "function" &&
      typeof value.end === "function" &&
      ["undefined", "function"].includes(typeof value.loseAnswers),
    "an object with the functions begin and end, and loseAnswers where there is one",
  ],
  without: [(value) => typeof value === "string" || isObject(value), "a text, or an object"],
  knownFailing: object,
  createWithSchema: action,
  injected: object,
};

const needed: readonly (keyof Manifest)[] = ["name", "create"];

/** What calls of a kind have beside `tool` and `arguments`. */
const kinds: Readonly<Record<SampleKind, Readonly<Record<string, Shape>>>> = {
  succeedingCalls: {},
  failingCalls: {},
  slowCalls: {},
  effectCalls: { count: action },
  suspendingCalls: { answer: action },
  updatingCalls: {},
  largeCalls: { bytes: [isCount, "a number of bytes"] },
};

/**
 * Refuses what could only be misread: a field that does not exist would declare nothing, in silence.
 *
 * @throws ToolError `internal` for a manifest with a wrong field, or that contradicts itself.
 */
export function refuseManifest(manifest: Manifest): void {
  const { name, samples = {}, without = {}, knownFailing = {} } = manifest;
  const refuse = (problem: string): never => {
    throw new ToolError("internal", `${isText(name) ? name : "The manifest"}: ${problem}`);
  };
  const expect = (place: string, value: unknown, [fits, what]: Shape): void => {
    if (!fits(value)) refuse(`${place} must be ${what}.`);
  };
  for (const field of needed) expect(field, manifest[field], fields[field]);
  for (const [field, value] of Object.entries(manifest)) {
    const shape = shapeOf(fields, field);
    if (shape === undefined) refuse(`there is no field ${field}${instead(field, fields)}`);
    else if (value !== undefined) expect(field, value, shape);
  }
  for (const [kind, calls] of Object.entries(samples) as [string, unknown][]) {
    const place = `samples.${kind}`;
    const more = shapeOf(kinds, kind);
    if (more === undefined) refuse(`there are no ${place}${instead(kind, kinds)}`);
    else if (calls !== undefined) {
      if (!Array.isArray(calls)) refuse(`${place} must be a list of calls.`);
      for (const [at, call] of (calls as readonly unknown[]).entries()) {
        const given = isObject(call) ? call : {};
        const shapes = { tool: text, arguments: object, ...more };
        for (const [part, shape] of Object.entries(shapes)) {
          expect(`${place}[${at}].${part}`, given[part], shape);
        }
      }
    }
  }
  if (without === "") refuse("without needs a reason.");
  for (const [declaration, reason] of Object.entries(typeof without === "string" ? {} : without)) {
    if (reason === undefined) continue;
    const place = placeOf(declaration as Declaration);
    if (place === undefined) refuse(`without names ${declaration}, which is nothing to declare.`);
    if (!isText(reason)) refuse(`without.${declaration} needs a reason.`);
    if (declares(manifest, declaration as Declaration)) {
      refuse(`there are ${place}, so take ${declaration} out of without.`);
    }
  }
  for (const [id, reason] of Object.entries(knownFailing)) {
    if (reason === "") refuse(`knownFailing.${id} needs a reason.`);
    if (!requirements.some((rule) => rule.id === id)) {
      refuse(`knownFailing names ${id}, which is no rule.`);
    }
  }
}

function shapeOf<Shapes extends object>(
  shapes: Shapes,
  name: string,
): Shapes[keyof Shapes] | undefined {
  return Object.hasOwn(shapes, name) ? shapes[name as keyof Shapes] : undefined;
}

/** The end of a sentence: what may be meant. */
function instead(name: string, shapes: object): string {
  const names = Object.keys(shapes);
  const [near] = nearNames(name, names, 1);
  return near === undefined ? `. There are ${names.join(", ")}.` : `: did you mean ${near}?`;
}
