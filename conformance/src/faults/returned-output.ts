import type { ContentBlock } from "@toolweave/core";
import { isContentBlock, isObject } from "@toolweave/core/adapter";
import type { Fault } from "../contract/finding.ts";
import { findJsonDefect } from "./json-defect.ts";

/** An object with the return value of a tool. */
interface ReturnedOutput {
  readonly returned: unknown;
}

/** The fields of a tool output. A value with any other field is treated as a JSON value. */
export const outputFields: ReadonlySet<string> = new Set([
  "content",
  "value",
  "isError",
  "error",
  "artifacts",
  "details",
  "childRunId",
  "provider",
]);

/**
 * The content of a value that is meant as an output. With one malformed block the executor treats
 * it as a JSON value.
 */
export function getContent(returned: unknown): readonly unknown[] | undefined {
  if (!isObject(returned)) return undefined;
  const content: unknown = returned["content"];
  const meant = Object.keys(returned).every((field) => outputFields.has(field));
  return meant && Array.isArray(content) ? content : undefined;
}

/** The texts that a tool returned. */
export function getTexts({ returned }: ReturnedOutput): readonly string[] {
  if (typeof returned === "string") return [returned];
  return getValidBlocks(returned).flatMap((block) => {
    if (block.type === "text") return [block.text];
    const text = block.type === "resource" ? block.resource.text : undefined;
    return text === undefined ? [] : [text];
  });
}

/** The well-formed blocks that a tool returned. */
export function getValidBlocks(returned: unknown): ContentBlock[] {
  const isList = Array.isArray(returned) && returned.every(isContentBlock);
  return (isList ? returned : (getContent(returned) ?? [])).filter(isContentBlock);
}

/** Finds a malformed content block in the value that a tool returned. */
export function findBlockFault({ returned }: ReturnedOutput): Fault | undefined {
  const meant = getContent(returned);
  if (meant === undefined) return undefined;
  const malformed = meant.find((block) => !isContentBlock(block));
  return meant.every(isContentBlock)
    ? undefined
    : { wrong: "returns content with a malformed block", seen: malformed ?? meant };
}

/**
 * Finds a value that JSON cannot represent in what a tool returned, except in the fields for the
 * host.
 */
export function findDataFault({ returned }: ReturnedOutput): Fault | undefined {
  const defect = findJsonDefect(getData(returned));
  return defect === undefined
    ? undefined
    : { wrong: `returns a value that is not JSON, at "${defect.path}"`, seen: defect.what };
}

/**
 * The part of an output that is passed on as JSON. The rest is for the executor, or is checked by
 * other rules.
 */
function getData(returned: unknown): unknown {
  if (returned === undefined || isByteSource(returned)) return null;
  if (getContent(returned) === undefined) return returned;
  const {
    error: _,
    details: __,
    provider: ___,
    ...data
  } = returned as Readonly<Record<string, unknown>>;
  return data;
}

/** True for bytes and for objects from which bytes are read. */
function isByteSource(returned: unknown): boolean {
  if (typeof returned !== "object" || returned === null) return false;
  return (
    returned instanceof ArrayBuffer ||
    ArrayBuffer.isView(returned) ||
    returned instanceof Blob ||
    returned instanceof Response ||
    returned instanceof ReadableStream ||
    Symbol.asyncIterator in returned
  );
}

/** The artifacts that a tool named in its output. */
export function getArtifacts(returned: unknown): readonly unknown[] {
  if (getContent(returned) === undefined) return [];
  const { artifacts } = returned as { readonly artifacts?: unknown };
  return Array.isArray(artifacts) ? artifacts : [];
}
