import type { JsonSchema } from "@toolweave/core";
import { aliasNote } from "../arguments/input-schema.ts";
import { isRedundant, abridgeText, fitText, splitWords } from "./abridge-text.ts";

/** Returns the description of a schema at a depth (1: an argument), under a name; `""` for none. */
export type DescribeSchema = (schema: JsonSchema, depth: number, name: string) => string;

/**
 * Creates a function that shortens the descriptions of schemas. The note with the original name of an argument is
 * always preserved.
 *
 * @param known words that descriptions need not repeat. Absent: descriptions are not abridged, only truncated at
 * paragraphs.
 * @param argument maximum number of characters of an argument's description.
 * @param nested maximum number of characters of a description inside an argument.
 */
export function createDescriber(
  known: ReadonlySet<string> | undefined,
  argument: number,
  nested: number,
): DescribeSchema {
  const shorten = (about: string, depth: number, name: string): string => {
    const budget = depth === 1 ? argument : nested;
    if (known === undefined) return fitText(about, budget);
    const abridged = abridgeText(about, budget);
    return isRedundant(abridged, known, splitWords(name)) ? "" : abridged;
  };
  return ({ description, title }, depth, name) => {
    const about = typeof description === "string" ? description : title;
    if (typeof about !== "string") return "";
    const note = depth === 1 ? aliasNote.exec(about) : null;
    if (note === null) return shorten(about, depth, name);
    const abridged = shorten(about.slice(0, note.index), depth, name);
    return abridged === "" ? (note[1] as string) : `${abridged} ${note[1] as string}`;
  };
}
