/** How much of a definition is looked at: anything real is far below. */
const mostLevels = 400;
const mostValues = 100_000;
const mostCharacters = 2_000_000;

/** How large a definition is, or what it has too much of. */
export type Measured = { readonly characters: number } | { readonly fault: string };

/**
 * Measures what a server lists before anything else looks at it. A definition that is too deep or too large for the
 * rest to be looked at in bounded time is told by its fault.
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
    if (values > mostValues) return { fault: `it has more than ${mostValues} values` };
    if (characters > mostCharacters) {
      return { fault: `it has more than ${mostCharacters} characters` };
    }
    if (typeof value !== "object" || value === null) continue;
    if (level > mostLevels) return { fault: `it nests deeper than ${mostLevels} levels` };
    for (const [key, member] of Object.entries(value)) {
      characters += key.length;
      parts.push({ value: member, level: level + 1 });
    }
  }
  return { characters };
}
