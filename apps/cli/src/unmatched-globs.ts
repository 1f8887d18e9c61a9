import {
  globMatcher,
  nearNames,
  type PolicyDefinition,
  type PolicyInput,
  type PolicyLayerInput,
} from "@toolweave/core";

/**
 * What a policy says of tools that there are none of: a deny that is misspelt denies nothing, and
 * nothing else tells of it. One sentence for each glob.
 *
 * @param policy one that has been checked.
 * @param names those of all the tools.
 */
export function unmatchedGlobs(
  policy: PolicyInput | undefined,
  names: readonly string[],
): readonly string[] {
  const layers = Array.isArray(policy) ? (policy as readonly PolicyLayerInput[]) : [policy];
  return layers.flatMap((layer) => (isDefinition(layer) ? ofLayer(layer, names) : []));
}

function isDefinition(layer: unknown): layer is PolicyDefinition {
  return typeof layer === "object" && layer !== null;
}

function ofLayer({ name, rules = [] }: PolicyDefinition, names: readonly string[]): string[] {
  const of = name === undefined ? "" : ` of ${name}`;
  return rules.flatMap(({ id, tools = [] }, index) =>
    [tools]
      .flat()
      .filter((glob) => !names.some(globMatcher([glob])))
      .map((glob) => {
        const near = nearTools(glob, names);
        const hint = near.length === 0 ? "" : ` Did you mean ${near.join(", ")}?`;
        return `${id ?? `rules[${index}]`}${of}: tools ${JSON.stringify(glob)} matches none of the ${names.length} tools.${hint}`;
      }),
  );
}

/** The names that begin, or are, much as a glob does up to its first star. */
function nearTools(glob: string, names: readonly string[]): string[] {
  const [stem = "", ...rest] = glob.split("*");
  if (rest.length === 0) return nearNames(glob, names, 3);
  if (stem.length < 3) return [];
  const beginnings = new Map(names.map((name) => [name, name.slice(0, stem.length + 1)]));
  const near = nearNames(stem, new Set(beginnings.values()), 3);
  return names.filter((name) => near.includes(beginnings.get(name) as string)).slice(0, 3);
}
