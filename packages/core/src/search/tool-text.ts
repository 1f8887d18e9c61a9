import { argumentsSchemaOf, type Tool } from "../contract/tool.ts";
import type { ToolSpec } from "../contract/tool-spec.ts";
import type { JsonObject, JsonValue } from "../json/json.ts";
import { toAction, type Action } from "./actions.ts";
import { mention, type IndexedText } from "./postings.ts";
import { isStopWord, splitName, withoutMarkup, splitWords } from "./words.ts";

/** The searchable text of a tool. */
export interface ToolText extends IndexedText {
  readonly action: Action | undefined;
}

/** The count of a mention in each field. */
const weights = {
  name: 2 * mention,
  title: 2 * mention,
  description: mention,
  parameter: mention / 4,
  provenance: mention / 4,
  parameterText: mention / 8,
} as const;

/** A word as it is written, where its stem is another: it has postings of its own, which no stem has. */
export function asWritten(word: string): string {
  return `=${word}`;
}

/** The most characters that are read: of the description, and of each other text. */
const maxDescriptionLength = 4000;
const maxTextLength = 300;
/** The most parameters, and the most values of an origin, that are read. */
const maxParts = 100;
/** The most allowed values of a parameter that are read. */
const maxValues = 30;
const maxFirstWordLength = 60;
const maxEmbeddedLength = 500;

/**
 * The searchable text of a tool. Parts that cannot be read or are no text are omitted. Parameters and provenance add
 * words that the text lacks, and do not make it longer: a tool is not less relevant because it takes many arguments.
 */
export function toolText(name: string, tool: Tool, stem: (word: string) => string): ToolText {
  const counts = new Map<string, number>();
  let length = 0;
  const add = (text: unknown, maxLength: number, weight: number): readonly string[] => {
    if (typeof text !== "string") return [];
    const words: string[] = [];
    for (const word of splitWords(withoutMarkup(text, maxLength), maxLength)) {
      // `get_me` is about the user.
      if (isStopWord(word) && !(text === name && word === "me")) continue;
      const key = stem(word);
      words.push(key);
      counts.set(key, (counts.get(key) ?? 0) + weight);
      if (key !== word) counts.set(asWritten(word), (counts.get(asWritten(word)) ?? 0) + weight);
      length += weight;
    }
    return words;
  };
  const spec = attempt(() => tool.spec);
  const field = (key: keyof ToolSpec): unknown => attempt(() => spec?.[key]);
  const title = attempt(() => spec?.title ?? spec?.annotations?.title);
  const description = field("description");
  const titleWords = add(title, maxTextLength, weights.title);
  add(description, maxDescriptionLength, weights.description);
  const nameWords = add(name, maxTextLength, weights.name);
  const known = new Set(counts.keys());
  for (const [text, weight] of [...parameters(tool), ...provenance(spec)]) {
    for (const word of splitWords(text, maxTextLength)) {
      const key = stem(word);
      if (known.has(key) || isStopWord(word)) continue;
      counts.set(key, Math.max(counts.get(key) ?? 0, weight));
    }
  }
  return {
    counts,
    length,
    title: new Set(titleWords.length > 0 ? titleWords : nameWords),
    action: toAction([...firstWord(title, description).map(stem), ...nameWords]),
  };
}

/** The text of a tool for an embedding model: the words of its name, its title and the beginning of its description. */
export function embeddedText(name: string, tool: Tool): string {
  const spec = attempt(() => tool.spec);
  const title = attempt(() => spec?.title ?? spec?.annotations?.title);
  const given = attempt(() => spec?.description);
  const description = typeof given === "string" ? given : "";
  // The description of an operation begins with its title.
  const isRepeated = typeof title !== "string" || description.startsWith(title);
  const text = `${splitName(name)}. ${isRepeated ? "" : `${title}. `}${description}`;
  return withoutMarkup(text, maxEmbeddedLength);
}

/** The first word of the first text that is one. */
function firstWord(...texts: readonly unknown[]): readonly string[] {
  const text = texts.find((text) => typeof text === "string" && text !== "");
  return typeof text === "string" ? splitWords(text, maxFirstWordLength).slice(0, 1) : [];
}

type WeightedText = readonly [text: string, weight: number];

/**
 * Names, descriptions and allowed values of parameters, from the schema that validates arguments: the model's schema
 * may have to be derived from it first.
 */
function parameters(tool: Tool): readonly WeightedText[] {
  return (
    attempt(() => {
      const { properties } = argumentsSchemaOf(tool);
      if (typeof properties !== "object" || properties === null) return [];
      const texts: WeightedText[] = [];
      for (const name of Object.keys(properties).slice(0, maxParts)) {
        texts.push([name, weights.parameter]);
        const values = attempt(() => parameterTexts((properties as JsonObject)[name])) ?? [];
        for (const text of values) {
          if (typeof text === "string") texts.push([text, weights.parameterText]);
        }
      }
      return texts;
    }) ?? []
  );
}

function parameterTexts(schema: JsonValue | undefined): readonly unknown[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { description, enum: values } = schema as JsonObject;
  return [description, ...(Array.isArray(values) ? values.slice(0, maxValues) : [])];
}

function provenance(spec: ToolSpec | undefined): readonly WeightedText[] {
  return (
    attempt(() => {
      const { source, origin } = spec?.provenance ?? {};
      const texts: unknown[] = [source, ...Object.values(origin ?? {}).slice(0, maxParts)];
      return texts
        .filter((text) => typeof text === "string")
        .map((text) => [text, weights.provenance] as const);
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
