import type { LoadOptions, Schema } from "js-yaml";
import { repairYaml } from "./repair-yaml.ts";

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

function getYamlSchema(yaml: YamlModule): Schema {
  // Unknown tags are ignored: no document uses one that would change its content.
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
