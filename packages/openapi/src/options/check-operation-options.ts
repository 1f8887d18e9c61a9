import { checkOptions, isToolName } from "@toolweave/core/adapter";
import type { OpenApiOptions } from "./openapi-options.ts";
import {
  type OperationOverride,
  type OperationSelector,
  invalidOptionError,
} from "../settings/operation-options.ts";
import { isJsonObject } from "../document/record.ts";
import { isMediaType } from "../body/binary-content.ts";

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
  "partName",
  "decodeBase64Body",
  "idempotencyKey",
] satisfies readonly (keyof OperationOverride)[];

/**
 * Checks `include`, `exclude` and `overrides`.
 *
 * @throws ToolError `internal` for an invalid option.
 */
export function checkOperationOptions({ include, exclude, overrides = {} }: OpenApiOptions): void {
  checkSelectors("include", include);
  checkSelectors("exclude", exclude);
  if (!isJsonObject(overrides)) {
    throw invalidOptionError('overrides must be an object: { "GET /pets/{id}": { name, … } }');
  }
  const names = new Set<string>();
  for (const [key, override] of Object.entries(overrides)) {
    const where = `overrides[${JSON.stringify(key)}]`;
    checkOverride(where, override);
    const { name } = override;
    if (name === undefined) continue;
    if (names.has(name))
      throw invalidOptionError(`${where}: another operation has the name ${name} too`);
    names.add(name);
  }
}

function checkSelectors(option: string, selectors: unknown): void {
  if (selectors === undefined) return;
  if (!Array.isArray(selectors))
    throw invalidOptionError(`${option} must be a list: [{ tags: ["pets"] }]`);
  for (const [index, selector] of (selectors as readonly unknown[]).entries()) {
    const where = `${option}[${index}]`;
    checkOptions(`openApiSource ${where}`, selector, selectorNames);
    for (const [name, value] of Object.entries(selector as object)) {
      if (!isNames(value)) throw invalidOptionError(`${where}.${name} must be a list of strings`);
      const wrong = name === "extensions" ? value.find((one) => !one.startsWith("x-")) : undefined;
      if (wrong !== undefined)
        throw invalidOptionError(
          `${where}: "${wrong}" is not an extension: did you mean x-${wrong}?`,
        );
    }
  }
}

function checkOverride(where: string, override: OperationOverride): void {
  checkOptions(`openApiSource ${where}`, override, overrideNames);
  const { name, title, description, annotations, hidden, writable, fixed, timeoutMs } = override;
  if (name !== undefined && !isToolName(name)) {
    throw invalidOptionError(
      `${where}: "${name}" cannot be a tool's name: use letters, digits, _ and -, starting with a letter or _, at most 64`,
    );
  }
  for (const [member, text] of Object.entries({ title, description })) {
    if (text !== undefined && (typeof text !== "string" || text.trim() === "")) {
      throw invalidOptionError(`${where}.${member} must be a non-empty string`);
    }
  }
  if (annotations !== undefined && !isJsonObject(annotations)) {
    throw invalidOptionError(`${where}.annotations must be an object: { readOnlyHint: true }`);
  }
  if (hidden !== undefined && !isNames(hidden)) {
    throw invalidOptionError(`${where}.hidden must be a list of names`);
  }
  if (writable !== undefined && !isNames(writable)) {
    throw invalidOptionError(`${where}.writable must be a list of names`);
  }
  if (fixed !== undefined && !isJsonObject(fixed)) {
    throw invalidOptionError(`${where}.fixed must be an object: values by argument name`);
  }
  if (timeoutMs !== undefined && !(timeoutMs >= 0)) {
    throw invalidOptionError(`${where}.timeoutMs is ${timeoutMs}; use 0 or more`);
  }
  checkRequest(where, override);
}

function checkRequest(
  where: string,
  { requestMediaType, partName, decodeBase64Body, idempotencyKey }: OperationOverride,
): void {
  if (requestMediaType !== undefined && !isConcrete(requestMediaType)) {
    throw invalidOptionError(
      `${where}.requestMediaType must be a media type: "application/merge-patch+json"`,
    );
  }
  if (partName !== undefined && (typeof partName !== "string" || partName === "")) {
    throw invalidOptionError(`${where}.partName must be the name of a part: "attachment"`);
  }
  if (decodeBase64Body !== undefined && typeof decodeBase64Body !== "boolean") {
    throw invalidOptionError(`${where}.decodeBase64Body must be true or false`);
  }
  if (idempotencyKey !== undefined && idempotencyKey !== "executor" && idempotencyKey !== "model") {
    throw invalidOptionError(`${where}.idempotencyKey must be "executor" or "model"`);
  }
}

function isConcrete(mediaType: unknown): boolean {
  return typeof mediaType === "string" && !mediaType.includes("*") && isMediaType(mediaType);
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
