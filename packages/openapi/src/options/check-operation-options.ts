import { checkOptions, isToolName } from "@toolweave/core";
import type { OpenApiOptions } from "./openapi-options.ts";
import type { OperationOverride, OperationSelector } from "../settings/operation-options.ts";
import { isJsonObject } from "../document/record.ts";
import { isMediaType } from "../body/binary-content.ts";
import { invalidOption } from "../settings/invalid-option.ts";

const selectorNames: readonly string[] = [
  "tags",
  "paths",
  "methods",
  "operationIds",
  "extensions",
] satisfies readonly (keyof OperationSelector)[];

const overrideNames: readonly string[] = [
  "name",
  "title",
  "description",
  "annotations",
  "hidden",
  "fixed",
  "writable",
  "timeoutMs",
  "requestMediaType",
  "decodeBase64Body",
  "idempotencyKey",
] satisfies readonly (keyof OperationOverride)[];

/**
 * Looks at `include`, `exclude` and `overrides`.
 *
 * @throws ToolError `internal` when one of them cannot be meant.
 */
export function checkOperationOptions({ include, exclude, overrides = {} }: OpenApiOptions): void {
  checkSelectors("include", include);
  checkSelectors("exclude", exclude);
  if (!isJsonObject(overrides)) {
    throw invalidOption('overrides takes an object: { "GET /pets/{id}": { name, … } }');
  }
  const names = new Set<string>();
  for (const [key, override] of Object.entries(overrides)) {
    const where = `overrides[${JSON.stringify(key)}]`;
    checkOverride(where, override);
    const { name } = override;
    if (name === undefined) continue;
    if (names.has(name)) throw invalidOption(`${where}: another operation is called ${name}, too`);
    names.add(name);
  }
}

function checkSelectors(option: string, selectors: unknown): void {
  if (selectors === undefined) return;
  if (!Array.isArray(selectors))
    throw invalidOption(`${option} takes a list: [{ tags: ["pets"] }]`);
  for (const [index, selector] of (selectors as readonly unknown[]).entries()) {
    const where = `${option}[${index}]`;
    checkOptions(`openApiSource ${where}`, selector, selectorNames);
    for (const [name, value] of Object.entries(selector as object)) {
      if (!isNames(value)) throw invalidOption(`${where}.${name} takes a list of texts`);
      const wrong = name === "extensions" ? value.find((one) => !one.startsWith("x-")) : undefined;
      if (wrong !== undefined)
        throw invalidOption(`${where}: "${wrong}" is no extension: x-${wrong}?`);
    }
  }
}

function checkOverride(where: string, override: OperationOverride): void {
  checkOptions(`openApiSource ${where}`, override, overrideNames);
  const { name, title, description, annotations, hidden, writable, fixed, timeoutMs } = override;
  if (name !== undefined && !isToolName(name)) {
    throw invalidOption(
      `${where}: "${name}" cannot be a tool's name: use letters, digits, _ and -, with a letter or _ first, 64 at most`,
    );
  }
  for (const [member, text] of Object.entries({ title, description })) {
    if (text !== undefined && (typeof text !== "string" || text.trim() === "")) {
      throw invalidOption(`${where}.${member} takes a text`);
    }
  }
  if (annotations !== undefined && !isJsonObject(annotations)) {
    throw invalidOption(`${where}.annotations takes an object: { readOnlyHint: true }`);
  }
  if (hidden !== undefined && !isNames(hidden)) {
    throw invalidOption(`${where}.hidden takes a list of names`);
  }
  if (writable !== undefined && !isNames(writable)) {
    throw invalidOption(`${where}.writable takes a list of names`);
  }
  if (fixed !== undefined && !isJsonObject(fixed)) {
    throw invalidOption(`${where}.fixed takes an object: the values by the names of the arguments`);
  }
  if (timeoutMs !== undefined && !(timeoutMs >= 0)) {
    throw invalidOption(`${where}.timeoutMs is ${timeoutMs}; use 0 or more`);
  }
  checkRequest(where, override);
}

function checkRequest(
  where: string,
  { requestMediaType, decodeBase64Body, idempotencyKey }: OperationOverride,
): void {
  if (requestMediaType !== undefined && !isConcrete(requestMediaType)) {
    throw invalidOption(
      `${where}.requestMediaType takes a media type: "application/merge-patch+json"`,
    );
  }
  if (decodeBase64Body !== undefined && typeof decodeBase64Body !== "boolean") {
    throw invalidOption(`${where}.decodeBase64Body takes true or false`);
  }
  if (idempotencyKey !== undefined && idempotencyKey !== "executor" && idempotencyKey !== "model") {
    throw invalidOption(`${where}.idempotencyKey takes "executor" or "model"`);
  }
}

function isConcrete(mediaType: unknown): boolean {
  return typeof mediaType === "string" && !mediaType.includes("*") && isMediaType(mediaType);
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
