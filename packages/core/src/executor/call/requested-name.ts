/** The tool's name in a value that should be a call. A value that is not a call is refused when it is resolved. */
export function requestedName(call: unknown): string {
  try {
    return String((call as { readonly name?: unknown }).name);
  } catch {
    return "";
  }
}
