type Then = (resolve: (value: unknown) => void, reject: (error: unknown) => void) => unknown;

/** An object with a `then` that is not a promise, and keeps none of a promise's rules. */
export function thenable(then: Then): never {
  const made = {};
  Reflect.set(made, "then", then);
  return made as never;
}
