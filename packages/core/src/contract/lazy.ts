/**
 * Copies `base` with `changes` over it, and keeps what is lazy in `base` lazy: getters are copied,
 * not read.
 */
export function defineLazy<T extends object>(base: T, changes: Partial<T>): T {
  const descriptors = Object.getOwnPropertyDescriptors(base);
  return Object.defineProperties(
    {},
    { ...descriptors, ...Object.getOwnPropertyDescriptors(changes) },
  ) as T;
}

/**
 * Adds a property that is computed when first read and then cached. It is enumerable, so that the object still
 * serialises as plain data.
 */
export function lazyProperty<T extends object, K extends string, V>(
  target: T,
  name: K,
  compute: () => V,
): T & Readonly<Record<K, V>> {
  let value: V;
  let computed = false;
  Object.defineProperty(target, name, {
    enumerable: true,
    configurable: true,
    get() {
      if (!computed) {
        value = compute();
        computed = true;
      }
      return value;
    },
  });
  return target as T & Readonly<Record<K, V>>;
}
