import { isContentBlock, type ContentBlock } from "@toolweave/core";
import type { Fault } from "./check-each.ts";
import { isObject } from "../schema/subschemas.ts";
import { jsonDefect } from "./json-defect.ts";

/** Something with what a tool returned. */
interface Returning {
  readonly returned: unknown;
}

/** What an output may consist of; with another field it is a JSON value. */
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

/** The content of what is meant as an output: one malformed block makes it pass for a JSON value. */
export function contentOf(returned: unknown): readonly unknown[] | undefined {
  if (!isObject(returned)) return undefined;
  const content: unknown = returned["content"];
  const meant = Object.keys(returned).every((field) => outputFields.has(field));
  return meant && Array.isArray(content) ? content : undefined;
}

/** The texts that a tool answered with. */
export function textsOf({ returned }: Returning): readonly string[] {
  if (typeof returned === "string") return [returned];
  return wellFormedOf(returned).flatMap((block) => {
    if (block.type === "text") return [block.text];
    const text = block.type === "resource" ? block.resource.text : undefined;
    return text === undefined ? [] : [text];
  });
}

/** The blocks of what a tool returned that are well-formed. */
export function wellFormedOf(returned: unknown): ContentBlock[] {
  const isList = Array.isArray(returned) && returned.every(isContentBlock);
  return (isList ? returned : (contentOf(returned) ?? [])).filter(isContentBlock);
}

/** What is wrong with the shape of the blocks that a tool returned. */
export function blockFault({ returned }: Returning): Fault | undefined {
  const meant = contentOf(returned);
  if (meant === undefined) return undefined;
  const malformed = meant.find((block) => !isContentBlock(block));
  return meant.every(isContentBlock)
    ? undefined
    : { wrong: "returns content with a malformed block", seen: malformed ?? meant };
}

/** What a tool returned that JSON cannot hold, but for what it tells the host. */
export function dataFault({ returned }: Returning): Fault | undefined {
  const defect = jsonDefect(dataOf(returned));
  return defect === undefined
    ? undefined
    : { wrong: `returns what is not JSON, at "${defect.path}"`, seen: defect.what };
}

/** The part of an answer that goes on as JSON; the rest is for the executor, or looked at elsewhere. */
function dataOf(returned: unknown): unknown {
  if (returned === undefined || isRead(returned)) return null;
  if (contentOf(returned) === undefined) return returned;
  const {
    error: _,
    details: __,
    provider: ___,
    ...data
  } = returned as Readonly<Record<string, unknown>>;
  return data;
}

/** Bytes, and what bytes are read from. */
function isRead(returned: unknown): boolean {
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

/** The artifacts that a tool names in what it returned. */
export function artifactsOf(returned: unknown): readonly unknown[] {
  if (contentOf(returned) === undefined) return [];
  const { artifacts } = returned as { readonly artifacts?: unknown };
  return Array.isArray(artifacts) ? artifacts : [];
}
