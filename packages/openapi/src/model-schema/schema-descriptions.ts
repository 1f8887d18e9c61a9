import type { JsonSchema } from "@toolweave/core";
import { aliasNote } from "../arguments/input-schema.ts";
import { isRedundant, abridgeText, fitText, splitWords } from "./abridge-text.ts";

/** The description of a schema at a depth (1: an argument), under a name; `""` for none. */
export type DescribeSchema = (schema: JsonSchema, depth: number, name: string) => string;

/**
 * Shortens the descriptions of schemas. The note that an argument stands for another name is always kept.
 *
 * @param known words that descriptions need not repeat. Absent: descriptions are kept as they are, cut at paragraphs.
 * @param argument the number of characters of an argument's description.
 * @param nested the number of characters of a description inside an argument.
 */
export function schemaDescriptions(
  known: ReadonlySet<string> | undefined,
  argument: number,
  nested: number,
): DescribeSchema {
  const shortened = (about: string, depth: number, name: string): string => {
    const budget = depth === 1 ? argument : nested;
    if (known === undefined) return fitText(about, budget);
    const shown = abridgeText(about, budget);
    return isRedundant(shown, known, splitWords(name)) ? "" : shown;
  };
  return ({ description, title }, depth, name) => {
    const about = typeof description === "string" ? description : title;
    if (typeof about !== "string") return "";
    const note = depth === 1 ? aliasNote.exec(about) : null;
    if (note === null) return shortened(about, depth, name);
    const shown = shortened(about.slice(0, note.index), depth, name);
    return shown === "" ? (note[1] as string) : `${shown} ${note[1] as string}`;
  };
}
