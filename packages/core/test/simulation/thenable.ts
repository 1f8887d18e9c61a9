type Then = (resolve: (value: unknown) => void, reject: (error: unknown) => void) => unknown;

/** Something with a `then` that is no promise, and keeps none of a promise's rules. */
export function thenable(then: Then): never {
  const made = {};
  Reflect.set(made, "then", then);
  return made as never;
}
