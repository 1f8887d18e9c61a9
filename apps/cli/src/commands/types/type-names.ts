/** `get_pet` → `GetPet`. Words without a letter at their beginning come after a prefix: `404` → `Schema404`. */
export function toTypeName(name: string, prefix: string): string {
  const words = name
    // Compilers accept letters beyond U+FFFF in names for some targets only.
    .split(/(?:[^\p{L}\p{Nd}]|[\u{10000}-\u{10FFFF}])+/u)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
  return /^\p{L}/u.test(words) ? words : `${prefix}${words}`;
}

/** Returns the name, with a number if it is taken, and takes it. */
export function uniqueName(name: string, taken: Set<string>): string {
  let unique = name;
  for (let number = 2; taken.has(unique); number++) unique = `${name}${number}`;
  taken.add(unique);
  return unique;
}

/** The namespace for the types of a source: the last part of a path or URL, without its extension. */
export function toNamespaceName(source: string): string {
  const [path = ""] = source.split(/[?#]/, 1);
  const last = path.split(/[/\\]/).findLast((part) => part !== "") ?? "";
  return toTypeName(last.replace(/(?<=.)\.[a-z0-9]{1,4}$/i, ""), "Source");
}
