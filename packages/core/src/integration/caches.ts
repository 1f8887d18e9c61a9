/** A map of a bounded size: the entry that was set least recently is removed first. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #maxSize: number;

  /** @param maxSize Default: 1,000. */
  constructor(maxSize = 1000) {
    super();
    this.#maxSize = maxSize;
  }

  /** Sets the entry, which is now the most recent one. */
  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.#maxSize) this.delete(this.keys().next().value as Key);
    return this;
  }

  /** Removes and returns an entry: a second caller finds none. */
  take(key: Key): Value | undefined {
    const value = this.get(key);
    this.delete(key);
    return value;
  }
}

/** Wraps a function of an object so that it runs once per object. Results are kept as long as the object lives. */
export function perObject<Key extends object, Value>(
  make: (key: Key) => Value,
): (key: Key) => Value {
  const made = new WeakMap<Key, { readonly value: Value }>();
  return (key) => {
    const known = made.get(key) ?? { value: make(key) };
    made.set(key, known);
    return known.value;
  };
}
