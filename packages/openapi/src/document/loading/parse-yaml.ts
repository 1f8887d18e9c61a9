import type { LoadOptions, ScalarTagDefinition, Schema } from "js-yaml";
import { setOwn } from "../record.ts";
import { WrittenScalar, WrittenTexts } from "./written-texts.ts";

type YamlModule = typeof import("js-yaml");

const maxDepth = 500;
/**
 * Maximum number of characters that all repairs may parse, since each one parses the text again; a longer text gets one
 * repair.
 */
const maxRepairedLength = 20_000_000;
const maxRepairs = 500;
/** Maximum growth of a text through repairs: they indent and quote single lines. */
const maxGrowthFactor = 2;
const maxGrowth = 4_096;
/** Maximum number of values of a document after its aliases are expanded. */
const maxExpandedValues = 5_000_000;

/**
 * Parses YAML 1.2 as it is published: duplicate keys (the last wins), merge keys, unknown tags, and the errors that
 * `repairYaml` repairs, with at most 500 repairs, 20,000,000 characters and twice the text's length.
 *
 * @param tolerated called with errors that were tolerated; a part of a sentence.
 */
export function parseYaml(
  text: string,
  yaml: YamlModule,
  tolerated: (note: string) => void,
): unknown {
  let source = text;
  let options: LoadOptions = { schema: getYamlSchema(yaml), json: false, maxDepth, maxAliases: 0 };
  const maxLength = maxGrowthFactor * text.length + maxGrowth;
  let repairs = 0;
  let repairedLength = 0;
  for (;;) {
    try {
      texts = new WrittenTexts();
      const value = yaml.load(source, options);
      texts.apply(value);
      if (options.maxAliases !== 0) assertBounded(value);
      return value;
    } catch (error) {
      const { reason = "", mark } = error as { reason?: string; mark?: { line: number } };
      if (reason.startsWith("aliases exceeded")) {
        options = { ...options, maxAliases: -1 };
        continue;
      }
      if (reason.startsWith("duplicated mapping key") && options.json !== true) {
        tolerated(`the last of several equal keys is used, as in line ${(mark?.line ?? 0) + 1}`);
        options = { ...options, json: true };
        continue;
      }
      const isSpent = repairs++ >= maxRepairs || repairedLength >= maxRepairedLength;
      const repaired = isSpent ? undefined : repairYaml(source, reason, mark?.line ?? -1);
      if (repaired === undefined || repaired.text.length > maxLength) throw error;
      repairedLength += repaired.text.length;
      tolerated(repaired.note);
      source = repaired.text;
    }
  }
}

const unknownTag = { matchByTagPrefix: true, identify: () => false };

let documentSchema: Schema | undefined;
/** Those of the text that is being parsed: the schema is created once, because that takes longer than a small file. */
let texts: WrittenTexts;

function getYamlSchema(yaml: YamlModule): Schema {
  documentSchema ??= createYamlSchema(yaml);
  return documentSchema;
}

function createYamlSchema(yaml: YamlModule): Schema {
  const toValue = (scalar: ScalarTagDefinition): ScalarTagDefinition =>
    yaml.defineScalarTag(scalar.tagName, {
      ...scalar,
      resolve: (source, isExplicit, tagName): unknown => {
        const value: unknown = scalar.resolve(source, isExplicit, tagName);
        const isSame = value === yaml.NOT_RESOLVED || String(value) === source;
        return isSame ? value : new WrittenScalar(value, source);
      },
    });
  const { finalize: _map, ...mapTag } = yaml.mapTag;
  const map = yaml.defineMappingTag(mapTag.tagName, {
    ...mapTag,
    addPair: (record: Record<string, unknown>, key: unknown, value: unknown): string => {
      const name = typeof key === "string" ? key : toKey(key);
      if (typeof name !== "string") return yaml.mapTag.addPair(record, name, value);
      setOwn(
        record,
        name,
        typeof value === "string" ? value : texts.takeMember(record, name, value),
      );
      return "";
    },
    has: (record: Record<string, unknown>, key: unknown): boolean =>
      Object.hasOwn(record, typeof key === "string" ? key : String(toKey(key))),
  });
  const { finalize: _sequence, ...seqTag } = yaml.seqTag;
  const sequence = yaml.defineSequenceTag(seqTag.tagName, {
    ...seqTag,
    addItem: (list: unknown[], item: unknown, index: number): void => {
      list.push(item instanceof WrittenScalar ? texts.takeItem(list, item, index) : item);
    },
  });
  // Unknown tags are ignored: no document uses one that would change its content.
  return yaml.CORE_SCHEMA.withTags(
    yaml.mergeTag,
    ...[yaml.nullCoreTag, yaml.boolCoreTag, yaml.intCoreTag, yaml.floatCoreTag].map(toValue),
    map,
    sequence,
    ...["!", "tag:"].flatMap((prefix) => [
      yaml.defineScalarTag(prefix, { ...unknownTag, resolve: (source) => source }),
      yaml.defineMappingTag(prefix, { ...map, ...unknownTag }),
      yaml.defineSequenceTag(prefix, { ...sequence, ...unknownTag }),
    ]),
  );
}

/** Returns a key as it is written: all keys of a document are texts. A structure is returned unchanged. */
function toKey(key: unknown): unknown {
  if (key instanceof WrittenScalar) return key.source;
  return typeof key === "object" && key !== null ? key : String(key);
}

/** Refuses aliases that contain themselves or expand excessively ("billion laughs"). */
function assertBounded(root: unknown): void {
  const sizes = new Map<object, number>();
  const measure = (value: unknown): number => {
    if (typeof value !== "object" || value === null) return 1;
    const known = sizes.get(value);
    if (known === -1) throw new Error("an alias contains itself");
    if (known !== undefined) return known;
    sizes.set(value, -1);
    let size = 1;
    for (const item of Array.isArray(value) ? value : Object.values(value)) size += measure(item);
    if (size > maxExpandedValues) {
      throw new Error(`its aliases expand to more than ${maxExpandedValues} values`);
    }
    sizes.set(value, size);
    return size;
  };
  measure(root);
}

/** A text that more parsers accept, and the error that was repaired; the end of a sentence. */
interface RepairedText {
  readonly text: string;
  readonly note: string;
}

/**
 * Repairs errors that other parsers tolerate, at the line where a parser has failed: brackets and quoted texts with too
 * little indentation, tabs, values that need quotes, backslashes in double quotes, non-printable characters.
 *
 * @param reason the parser's message.
 * @param line from 0.
 * @returns undefined if there is no known repair.
 */
function repairYaml(text: string, reason: string, line: number): RepairedText | undefined {
  if (reason.includes("non-printable")) {
    const printable = text.replace(/[\0-\b\v\f\x0e-\x1f\x7f]|\p{Surrogate}/gu, "");
    return toRepair(text, printable, "non-printable characters are removed");
  }
  const lines = text.split("\n");
  const found = lines[line];
  if (found === undefined) return undefined;
  const [repaired, note] = repairLine(found, reason, lines);
  if (repaired === undefined || repaired === found) return undefined;
  lines[line] = repaired;
  return { text: lines.join("\n"), note: `${note} in line ${line + 1}` };
}

function repairLine(
  line: string,
  reason: string,
  lines: string[],
): readonly [string | undefined, string] {
  if (/tab characters|deficient indentation/.test(reason) && /^ *\t/.test(line)) {
    // If one line is indented with tabs, others are too.
    for (const [index, other] of lines.entries()) lines[index] = replaceTabs(other);
    return [replaceTabs(line), "each tab is read as two spaces"];
  }
  if (reason.startsWith("deficient indentation")) {
    return [`${" ".repeat(line.length + 1)}${line}`, "the indentation is too small"];
  }
  if (reason.startsWith("unknown escape")) {
    const escaped = line.replace(
      /\\(\\|[0abtnvfre "/N_LP\t]|x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|U[\dA-Fa-f]{8})?/g,
      (escape, known: string | undefined) => (known === undefined ? `\\${escape}` : escape),
    );
    return [escaped, "a backslash in double quotes is read literally"];
  }
  return /^(?:bad indentation of a mapping|name of an a|unidentified alias)/.test(reason)
    ? [quoteValue(line), "a value is read as text"]
    : [undefined, ""];
}

/** Quotes a value that YAML would read as another type, and that is valid in no other way. */
function quoteValue(line: string): string | undefined {
  // `s`: a value of any characters matches at once. Without it, a match would be attempted from every position.
  const [, key = "", value = ""] =
    /^(\s*(?:- +)*(?:[^\s:#'"][^:]*:[ \t]+)?)(\S.*)$/s.exec(line.trimEnd()) ?? [];
  const isMeant = /^[@`%*&[{]/.test(value) || /:(?:\s|$)/.test(value);
  if (!isMeant || /^(?:['"|>]|[*&][\w-]+$)/.test(value)) return undefined;
  return `${key}'${value.replaceAll("'", "''")}'`;
}

function replaceTabs(line: string): string {
  return line.replace(/^[ \t]+/, (blank) => blank.replaceAll("\t", "  "));
}

function toRepair(before: string, text: string, note: string): RepairedText | undefined {
  return text === before ? undefined : { text, note };
}
