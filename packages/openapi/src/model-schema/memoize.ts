/** Longer texts are hardly ever the same. */
const maxKeyLength = 2000;
/** Of a big document; then it begins anew. */
const maxEntries = 4000;

/** The function, which remembers what it made of texts: operations of a document describe the same things hundreds of times. */
export function memoize<T extends NonNullable<unknown>>(
  make: (text: string) => T,
): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    if (text.length > maxKeyLength) return make(text);
    let made = known.get(text);
    if (made === undefined) {
      made = make(text);
      if (known.size === maxEntries) known.clear();
      known.set(text, made);
    }
    return made;
  };
}
