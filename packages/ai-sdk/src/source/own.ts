/** What stands in a record itself: names come from outside, and `constructor` is none of its own. */
export function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
