import { argumentsSchemaOf, type Tool } from "../contract/tool.ts";
import type { ToolSpec } from "../contract/tool-spec.ts";
import { isStopWord, withoutMarkup, wordsOf } from "./words.ts";

/** How often each word of a tool counts, in quarters of a mention in its description. */
export interface ToolText {
  readonly counts: ReadonlyMap<string, number>;
  /** The length of the text proper, in the same unit. */
  readonly length: number;
}

/** A word as it is written, where its stem is another: it has postings of its own, which no stem has. */
export function asWritten(word: string): string {
  return `=${word}`;
}

/** The most characters that are read: of the description, and of each other text. */
const maxDescriptionLength = 4000;
const maxTextLength = 300;
/** The most parameters, and the most values of an origin, that are read. */
const maxParts = 100;

/**
 * The searchable text of a tool. Parts that cannot be read or are no text are omitted. A name or title counts twice.
 * Parameters and provenance add words that the text lacks, and do not make it longer: a tool is not less relevant
 * because it takes many arguments.
 */
export function toolText(name: string, tool: Tool, stem: (word: string) => string): ToolText {
  const counts = new Map<string, number>();
  let length = 0;
  const add = (text: unknown, most: number, weight: number): void => {
    if (typeof text !== "string") return;
    for (const word of wordsOf(withoutMarkup(text, most), most)) {
      if (isStopWord(word)) continue;
      const key = stem(word);
      counts.set(key, (counts.get(key) ?? 0) + weight);
      if (key !== word) counts.set(asWritten(word), (counts.get(asWritten(word)) ?? 0) + weight);
      length += weight;
    }
  };
  const spec = attempt(() => tool.spec);
  const field = (key: keyof ToolSpec): unknown => attempt(() => spec?.[key]);
  add(
    attempt(() => spec?.title ?? spec?.annotations?.title),
    maxTextLength,
    8,
  );
  add(field("description"), maxDescriptionLength, 4);
  add(name, maxTextLength, 8);
  const known = new Set(counts.keys());
  for (const extra of [...parameters(tool), ...provenance(spec)]) {
    for (const word of wordsOf(extra, maxTextLength)) {
      const key = stem(word);
      if (!known.has(key) && !isStopWord(word)) counts.set(key, 1);
    }
  }
  return { counts, length };
}

/** Of the schema that validates arguments: the model's schema may have to be derived from it first. */
function parameters(tool: Tool): readonly string[] {
  return (
    attempt(() => {
      const { properties } = argumentsSchemaOf(tool);
      return typeof properties === "object" && properties !== null
        ? Object.keys(properties).slice(0, maxParts)
        : [];
    }) ?? []
  );
}

function provenance(spec: ToolSpec | undefined): readonly string[] {
  return (
    attempt(() => {
      const { source, origin } = spec?.provenance ?? {};
      const texts: unknown[] = [source, ...Object.values(origin ?? {}).slice(0, maxParts)];
      return texts.filter((text) => typeof text === "string");
    }) ?? []
  );
}

/** Specs come from servers and documents: a getter may throw. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
