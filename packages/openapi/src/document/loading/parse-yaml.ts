import type { LoadOptions, Schema } from "js-yaml";
import { repairYaml } from "./repair-yaml.ts";

type YamlModule = typeof import("js-yaml");

const maxDepth = 500;
/** Each repair parses the text again: so many characters for all of them, and one repair for a longer text. */
const maxRepairedLength = 20_000_000;
const maxRepairs = 500;
/** How long repairs may make a text: they indent and quote single lines, which takes little. */
const maxGrowthFactor = 2;
const maxGrowth = 4_096;
/** How many values a document may hold once its aliases are written out. */
const maxExpandedValues = 5_000_000;

/**
 * Parses YAML 1.2 as documents are published: duplicate keys (the last wins), merge keys, unknown
 * tags, and what `repairYaml` repairs: in 500 repairs, 20,000,000 characters and twice the text's length at most.
 *
 * @param tolerated hears what is wrong and was read nevertheless; a part of a sentence.
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
      const value = yaml.load(source, options);
      if (options.maxAliases !== 0) assertBounded(value);
      return value;
    } catch (error) {
      const { reason = "", mark } = error as { reason?: string; mark?: { line: number } };
      if (reason.startsWith("aliases exceeded")) {
        options = { ...options, maxAliases: -1 };
        continue;
      }
      if (reason.startsWith("duplicated mapping key") && options.json !== true) {
        tolerated(`of equal keys the last one counts, as in line ${(mark?.line ?? 0) + 1}`);
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

function getYamlSchema(yaml: YamlModule): Schema {
  // Unknown tags mean their content: a document uses none that would change it.
  documentSchema ??= yaml.CORE_SCHEMA.withTags(
    yaml.mergeTag,
    ...["!", "tag:"].flatMap((prefix) => [
      yaml.defineScalarTag(prefix, { ...unknownTag, resolve: (source) => source }),
      yaml.defineMappingTag(prefix, { ...yaml.mapTag, ...unknownTag }),
      yaml.defineSequenceTag(prefix, { ...yaml.seqTag, ...unknownTag }),
    ]),
  );
  return documentSchema;
}

/** Refuses aliases that contain themselves or multiply beyond reason ("billion laughs"). */
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
