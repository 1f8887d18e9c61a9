import type { LoadOptions, Schema } from "js-yaml";

type YamlModule = typeof import("js-yaml");

const maxDepth = 500;
/** Each repair parses the text again. */
const maxRepairs = 50;
/** How many values a document may hold once its aliases are written out. */
const maxExpandedValues = 5_000_000;

/**
 * Parses YAML 1.2 as documents are published: duplicate keys (the last wins), merge keys, unknown
 * tags, and closing brackets that stand too far left (as in Docker's).
 */
export function parseYaml(text: string, yaml: YamlModule): unknown {
  let source = text;
  let options: LoadOptions = { schema: schemaOf(yaml), json: true, maxDepth, maxAliases: 0 };
  for (let repairs = 0; ;) {
    try {
      const value = yaml.load(source, options);
      if (options.maxAliases !== 0) assertBounded(value);
      return value;
    } catch (error) {
      const { reason, mark } = error as { reason?: string; mark?: { line: number } };
      if (reason?.startsWith("aliases exceeded")) {
        options = { ...options, maxAliases: -1 };
        continue;
      }
      const repaired =
        reason === "deficient indentation" && mark !== undefined && repairs++ < maxRepairs
          ? indentClosingBracket(source, mark.line)
          : undefined;
      if (repaired === undefined) throw error;
      source = repaired;
    }
  }
}

const unknownTag = { matchByTagPrefix: true, identify: () => false };

let documentSchema: Schema | undefined;

function schemaOf(yaml: YamlModule): Schema {
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

/** YAML wants a closing bracket further right than its key; many other parsers don't mind. */
function indentClosingBracket(text: string, line: number): string | undefined {
  const lines = text.split("\n");
  const found = lines[line];
  if (found === undefined || !/^[ ]*[}\]]/.test(found)) return undefined;
  lines[line] = `${" ".repeat(found.length)}${found}`;
  return lines.join("\n");
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
