type Explain = (error: unknown) => unknown;

/**
 * Copies an object of stores. Errors of their methods, and of its own, are replaced by what `explain` returns. A store has
 * all its members, including optional ones, and can be spread.
 */
export function explainErrors<T extends object>(stores: T, explain: Explain): T {
  return Object.fromEntries(
    Object.entries(stores).map(([name, member]: [string, unknown]) => [
      name,
      typeof member === "object" && member !== null
        ? copyStore(member, explain)
        : explained(member, stores, explain),
    ]),
  ) as T;
}

function copyStore(store: object, explain: Explain): object {
  const copy: Record<string, unknown> = {};
  for (const name of memberNames(store)) {
    copy[name] = explained((store as Record<string, unknown>)[name], store, explain);
  }
  return copy;
}

/** The names of all members of an instance, of its class too. */
function memberNames(store: object): ReadonlySet<string> {
  const names = new Set<string>();
  for (
    let level: unknown = store;
    typeof level === "object" && level !== null && level !== Object.prototype;
    level = Object.getPrototypeOf(level)
  ) {
    for (const name of Object.getOwnPropertyNames(level)) names.add(name);
  }
  names.delete("constructor");
  return names;
}

function explained(member: unknown, owner: object, explain: Explain): unknown {
  if (typeof member !== "function") return member;
  return (...args: unknown[]): unknown => {
    try {
      const result: unknown = Reflect.apply(member, owner, args);
      return result instanceof Promise
        ? result.catch((error: unknown) => {
            throw explain(error);
          })
        : result;
    } catch (error) {
      throw explain(error);
    }
  };
}
