import { ToolError } from "@toolweave/core";
import { nearNames, isObject } from "@toolweave/core/adapter";
import {
  isDeclared,
  declarationPath,
  type Declaration,
  type Manifest,
  type SampleKind,
} from "../contract/manifest.ts";
import { requirements } from "../requirements/requirements.ts";

/** A test for a field, and the end of the error message if it fails. */
type Shape = readonly [fits: (value: unknown) => boolean, what: string];

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
const isTextList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === "string");
const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) > 0;

const functionShape: Shape = [(value) => typeof value === "function", "a function"];
const textShape: Shape = [isText, "a string"];
const objectShape: Shape = [isObject, "an object"];

const fields: Readonly<Record<keyof Manifest, Shape>> = {
  name: textShape,
  create: functionShape,
  samples: objectShape,
  generatedCalls: [
    (value) => value === "all" || isTextList(value),
    '"all", or a list of tool names',
  ],
  state: functionShape,
  secrets: [isTextList, "a list of strings"],
  change: functionShape,
  outage: [
    (value) =>
      isObject(value) &&
      typeof value.begin === "function" &&
      typeof value.end === "function" &&
      ["undefined", "function"].includes(typeof value.loseAnswers),
    "an object with the functions begin and end, and optionally loseAnswers",
  ],
  without: [(value) => typeof value === "string" || isObject(value), "a string or an object"],
  knownFailing: objectShape,
  createWithSchema: functionShape,
  injected: objectShape,
};

const maxEffectMs = 60_000;

function optional([fits, what]: Shape): Shape {
  return [(value) => value === undefined || fits(value), what];
}

const requiredFields: readonly (keyof Manifest)[] = ["name", "create"];

/** The members of a kind of call other than `tool` and `arguments`. */
const callFields: Readonly<Record<SampleKind, Readonly<Record<string, Shape>>>> = {
  succeedingCalls: { varies: optional(textShape) },
  failingCalls: {},
  slowCalls: {
    started: optional(functionShape),
    effectMs: optional([
      (value) => isCount(value) && (value as number) <= maxEffectMs,
      `a number of milliseconds from 1 to ${maxEffectMs}`,
    ]),
  },
  effectCalls: { count: functionShape },
  suspendingCalls: { answer: functionShape },
  updatingCalls: {},
  largeCalls: { bytes: [isCount, "a positive number of bytes"] },
};

/**
 * Rejects an invalid manifest. A field that does not exist would otherwise declare nothing, without
 * an error.
 *
 * @throws ToolError `invalid_configuration` for a manifest with an invalid field, or that contradicts itself.
 */
export function validateManifest(manifest: Manifest): void {
  const { name, samples = {}, without = {}, knownFailing = {} } = manifest;
  const refuse = (problem: string): never => {
    throw new ToolError(
      "invalid_configuration",
      `${isText(name) ? name : "The manifest"}: ${problem}`,
    );
  };
  const expect = (place: string, value: unknown, [fits, what]: Shape): void => {
    if (!fits(value)) refuse(`${place} must be ${what}.`);
  };
  for (const field of requiredFields) expect(field, manifest[field], fields[field]);
  for (const [field, value] of Object.entries(manifest)) {
    const shape = getShape(fields, field);
    if (shape === undefined) refuse(`there is no field ${field}${suggestName(field, fields)}`);
    else if (value !== undefined) expect(field, value, shape);
  }
  for (const [kind, calls] of Object.entries(samples) as [string, unknown][]) {
    const place = `samples.${kind}`;
    const more = getShape(callFields, kind);
    if (more === undefined) refuse(`there are no ${place}${suggestName(kind, callFields)}`);
    else if (calls !== undefined) {
      if (!Array.isArray(calls)) refuse(`${place} must be a list of calls.`);
      for (const [at, call] of (calls as readonly unknown[]).entries()) {
        const given = isObject(call) ? call : {};
        const shapes = { tool: textShape, arguments: objectShape, ...more };
        for (const [part, shape] of Object.entries(shapes)) {
          expect(`${place}[${at}].${part}`, given[part], shape);
        }
      }
    }
  }
  if (without === "") refuse("without needs a reason.");
  for (const [declaration, reason] of Object.entries(typeof without === "string" ? {} : without)) {
    if (reason === undefined) continue;
    const place = declarationPath(declaration as Declaration);
    if (place === undefined) refuse(`without names ${declaration}, which is not a declaration.`);
    if (!isText(reason)) refuse(`without.${declaration} needs a reason.`);
    if (isDeclared(manifest, declaration as Declaration)) {
      refuse(`${place} is declared, so remove ${declaration} from without.`);
    }
  }
  for (const [id, reason] of Object.entries(knownFailing)) {
    if (reason === "") refuse(`knownFailing.${id} needs a reason.`);
    if (!requirements.some((rule) => rule.id === id)) {
      refuse(`knownFailing names ${id}, which is not a rule.`);
    }
  }
}

function getShape<Shapes extends object>(
  shapes: Shapes,
  name: string,
): Shapes[keyof Shapes] | undefined {
  return Object.hasOwn(shapes, name) ? shapes[name as keyof Shapes] : undefined;
}

/** The end of the error message: the name that may be meant. */
function suggestName(name: string, shapes: object): string {
  const names = Object.keys(shapes);
  const [near] = nearNames(name, names, 1);
  return near === undefined ? `. There are ${names.join(", ")}.` : `: did you mean ${near}?`;
}
