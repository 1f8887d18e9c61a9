/** One token as a JSON pointer writes it (RFC 6901 section 3). */
function escapeToken(token: string): string {
  const escaped = token.includes("~") ? token.replaceAll("~", "~0") : token;
  return escaped.includes("/") ? escaped.replaceAll("/", "~1") : escaped;
}

/** A JSON pointer to a member of what `pointer` points to. */
export function childPointer(pointer: string, token: string | number): string {
  return `${pointer}/${typeof token === "number" ? token : escapeToken(token)}`;
}

/** The tokens of a JSON pointer: `/paths/~1pets` → `["paths", "/pets"]`. */
export function pointerTokens(pointer: string): string[] {
  if (pointer === "") return [];
  return pointer
    .slice(1)
    .split("/")
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Decodes a URI fragment; one that is not well-formed is taken as it is written. */
export function decodeFragment(fragment: string): string {
  if (!fragment.includes("%")) return fragment;
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
