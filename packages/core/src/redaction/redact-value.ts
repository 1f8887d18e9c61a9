import { exactDigits } from "../contract/exact-json.ts";

/** Deeper than anything that is JSON here; a cycle ends so, too. */
const deepest = 1000;

/** Replaces a text; receives also its key, if it has one. */
export type TextRule = (text: string, key?: string) => string;

/**
 * A value with every text in it, keys included, replaced by what `rule` makes of it: a copy where one
 * has changed, the very same where none has.
 *
 * @throws RangeError for a value without end.
 */
export function redactValue<Value>(value: Value, rule: TextRule, key?: string, depth = 0): Value {
  return redacted(value, rule, key, depth) as Value;
}

/** @param exact the digits of a number that holds them rounded: they are what a text of it has. */
function redacted(
  value: unknown,
  rule: TextRule,
  key: string | undefined,
  depth: number,
  exact?: string,
): unknown {
  switch (typeof value) {
    case "string":
      return rule(value, key);
    case "number":
    case "bigint": {
      // Shorter ones are no secrets.
      if (value > -100 && value < 1000 && Number.isInteger(value)) return value;
      const digits = exact ?? String(value);
      const clean = rule(digits, key);
      return clean === digits ? value : clean;
    }
    case "object":
      if (value === null) return value;
      if (depth > deepest) throw new RangeError("The value has no end.");
      return Array.isArray(value)
        ? redactedItems(value, rule, key, depth)
        : redactedMembers(value as Record<string, unknown>, rule, depth);
    default:
      return value;
  }
}

function redactedItems(
  items: readonly unknown[],
  rule: TextRule,
  key: string | undefined,
  depth: number,
): unknown {
  let copy: unknown[] | undefined;
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    const clean = redacted(item, rule, key, depth + 1, exactDigits(items, `${index}`, item));
    if (clean !== item && copy === undefined) copy = items.slice(0, index);
    copy?.push(clean);
  }
  return copy ?? items;
}

function redactedMembers(
  members: Readonly<Record<string, unknown>>,
  rule: TextRule,
  depth: number,
): unknown {
  const keys = Object.keys(members);
  let changed = false;
  // Each is read once: the searched value is the emitted one.
  const values: unknown[] = [];
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string;
    const value = members[key];
    const clean = redacted(value, rule, key, depth + 1, exactDigits(members, key, value));
    const cleanKey = rule(key);
    if (clean !== value || cleanKey !== key) changed = true;
    keys[index] = cleanKey;
    values.push(clean);
  }
  if (!changed) return members;
  // Two keys that were secret must not become one.
  const used = new Set<string>();
  const entries = keys.map((given, index) => {
    let key = given;
    for (let count = 2; used.has(key); count++) key = `${given} ${count}`;
    used.add(key);
    return [key, values[index]] as const;
  });
  // Not by assignment: a key may be `__proto__`.
  return Object.fromEntries(entries);
}
