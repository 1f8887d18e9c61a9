/** Escapes a token for a JSON pointer (RFC 6901 section 3). */
function escapeToken(token: string): string {
  const escaped = token.includes("~") ? token.replaceAll("~", "~0") : token;
  return escaped.includes("/") ? escaped.replaceAll("/", "~1") : escaped;
}

/** Returns a JSON pointer to a member of the value that `pointer` points to. */
export function childPointer(pointer: string, token: string | number): string {
  return `${pointer}/${typeof token === "number" ? token : escapeToken(token)}`;
}

/** Parses a JSON pointer into its tokens: `/paths/~1pets` → `["paths", "/pets"]`. */
export function parsePointer(pointer: string): string[] {
  if (pointer === "") return [];
  return pointer
    .slice(1)
    .split("/")
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Decodes a URI fragment; one that is malformed is returned unchanged. */
export function decodeFragment(fragment: string): string {
  if (!fragment.includes("%")) return fragment;
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
