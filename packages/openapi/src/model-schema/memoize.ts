/** Longer texts are hardly ever the same. */
const longest = 2000;
/** Of a big document; then it begins anew. */
const most = 4000;

/** The function, which remembers what it made of texts: operations of a document describe the same things hundreds of times. */
export function remembered<T extends NonNullable<unknown>>(
  make: (text: string) => T,
): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    if (text.length > longest) return make(text);
    let made = known.get(text);
    if (made === undefined) {
      made = make(text);
      if (known.size === most) known.clear();
      known.set(text, made);
    }
    return made;
  };
}
