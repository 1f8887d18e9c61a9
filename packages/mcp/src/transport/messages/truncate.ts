/**
 * Returns the beginning of a text, without half a surrogate pair at its end.
 *
 * @param max Maximum number of UTF-16 units.
 */
export function truncate(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, max).replace(/[\ud800-\udbff]$/, "");
}

/** The same; a text that was cut ends with an ellipsis. */
export function ellipsize(text: string, max: number): string {
  return text.length <= max ? text : `${truncate(text, max)}…`;
}
