/** Limits of a definition, far above any real one. */
const maxLevels = 400;
const maxValues = 100_000;
const maxCharacters = 2_000_000;

/** Size of a definition, or the limit that it exceeds. */
export type Measured = { readonly characters: number } | { readonly fault: string };

/**
 * Measures a definition of a server before anything else processes it. A definition that is too deep or too large to
 * be processed in bounded time has a `fault`.
 */
export function measureDefinition(definition: unknown): Measured {
  let values = 0;
  let characters = 0;
  const parts: { readonly value: unknown; readonly level: number }[] = [
    { value: definition, level: 0 },
  ];
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    const { value, level } = part;
    values += 1;
    if (typeof value === "string") characters += value.length;
    if (values > maxValues) return { fault: `it has more than ${maxValues} values` };
    if (characters > maxCharacters) {
      return { fault: `it has more than ${maxCharacters} characters` };
    }
    if (typeof value !== "object" || value === null) continue;
    if (level > maxLevels) return { fault: `it is nested deeper than ${maxLevels} levels` };
    for (const [key, member] of Object.entries(value)) {
      characters += key.length;
      parts.push({ value: member, level: level + 1 });
    }
  }
  return { characters };
}
