/** The tool's name in something that should be a call. What is no call is refused where it is looked at. */
export function requestedName(call: unknown): string {
  try {
    return String((call as { readonly name?: unknown }).name);
  } catch {
    return "";
  }
}
