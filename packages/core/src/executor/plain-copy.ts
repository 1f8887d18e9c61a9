/**
 * A copy of JSON data.
 *
 * @throws for what JSON cannot hold, such as a cycle.
 */
export function plainCopy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
