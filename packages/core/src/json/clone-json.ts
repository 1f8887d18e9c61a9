/** The maximum cost of a copy: 8 units for each value and each key, 1 for each of their characters. */
const maxCopyWork = 33_554_432;

const perValue = 8;

/**
 * A copy of JSON data, as `JSON.stringify` reads it.
 *
 * @param maxWork what it may cost. What is there twice is copied twice, and each hole of a list is
 * copied as `null`, so that a small value can be a copy without an end.
 * @throws TypeError or RangeError for what JSON cannot hold, such as a cycle, and for more than that.
 */
export function cloneJson<T>(value: T, maxWork: number = maxCopyWork): T {
  let left = maxWork;
  const count = (key: string, member: unknown): unknown => {
    left -= perValue + key.length + (typeof member === "string" ? member.length : 0);
    if (left < 0) throw new RangeError(`it is more than ${maxWork} characters of JSON`);
    return member;
  };
  return JSON.parse(JSON.stringify(value, count)) as T;
}
