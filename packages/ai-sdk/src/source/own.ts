/** Reads an own property of a record: names come from outside, and `constructor` is inherited. */
export function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
