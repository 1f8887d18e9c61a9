/** Escapes a key for a JSON pointer (RFC 6901, section 3): `a/b` → `a~1b`. */
export function escapePointer(key: string): string {
  const escaped = key.includes("~") ? key.replaceAll("~", "~0") : key;
  return escaped.includes("/") ? escaped.replaceAll("/", "~1") : escaped;
}

/** Returns a JSON pointer to a member of the value that `pointer` points to. */
export function childPointer(pointer: string, key: string | number): string {
  return `${pointer}/${typeof key === "number" ? key : escapePointer(key)}`;
}

/** Parses a JSON pointer into its keys: `/paths/~1pets` → `["paths", "/pets"]`. */
export function parsePointer(pointer: string): string[] {
  if (pointer === "") return [];
  const tokens = pointer.slice(1).split("/");
  return pointer.includes("~") ? tokens.map(unescapePointer) : tokens;
}

function unescapePointer(token: string): string {
  return token.replaceAll("~1", "/").replaceAll("~0", "~");
}

/**
 * The value that a JSON pointer means; `undefined` if there is none. Only own properties count, and of a list only its
 * items.
 */
export function resolvePointer(root: unknown, pointer: string): unknown {
  let value = root;
  for (const key of parsePointer(pointer)) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    if (Array.isArray(value) && key === "length") return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}

/**
 * Decodes a URI fragment, as which references contain a JSON pointer (RFC 6901, section 6). A malformed one is returned
 * unchanged.
 */
export function decodeFragment(fragment: string): string {
  if (!fragment.includes("%")) return fragment;
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
