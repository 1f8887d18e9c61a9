import { expect, test } from "vitest";
import { ResultTemplate } from "../../src/execution/result-template.ts";

const now = Date.now();

test.each([
  ["the same text", "tea", "tea", "tea"],
  ["UUIDs", ...three(() => `for ${crypto.randomUUID()}`)],
  [
    "ids with a prefix",
    "chatcmpl-9aXkQ2mB7cVd0",
    "chatcmpl-0bYlR3nC8dWe1",
    "chatcmpl-1cZmS4oD9eXf2",
  ],
  ["members of JSON", '{"id":1}', '{"id":2}', '{"id":"three"}'],
  [
    "members of JSON in a text",
    String.raw`"{\"userId\":1}"`,
    String.raw`"{\"userId\":2}"`,
    String.raw`"{\"userId\":3}"`,
  ],
  ["members with an underscore", '{"created_at":1.5}', '{"created_at":2.5}', '{"created_at":3.5}'],
  ["dates of today", ...three((n) => `at ${new Date(now + n).toISOString()}.`)],
  ["dates of HTTP", ...three((n) => new Date(now + 1000 * n).toUTCString())],
  ["milliseconds since the epoch", ...three((n) => `[${now + n}]`)],
  ["seconds since the epoch", ...three((n) => `[${Math.floor(now / 1000) + n}]`)],
  ["durations", "took 12 ms", "took 9.5 ms", "took 1300 ms"],
])("%s are the same result", (_what, first, second, third) => {
  const template = ResultTemplate.of([first, second]);
  expect(template?.matches(third)).toBe(true);
});

test.each([
  ["numbers", "[0.12345678901234567]", "[0.9876543210123456]"],
  ["large numbers", "[91234567890]", "[81234567890]"],
  ["dates of other years", "1815-12-23T10:00:00Z", "1816-12-23T10:00:00Z"],
  ["members that end with these letters", '{"paid":1}', '{"paid":2}'],
  ["lengths", '["a"]', '["a","b"]'],
  ["texts beside an id", `a ${crypto.randomUUID()}`, `b ${crypto.randomUUID()}`],
  ["an id and a text", "the answer is 9aXkQ2mB7cVd0Yzw1", "the answer is tea"],
])("%s that differ are not", (_what, first, second) => {
  expect(ResultTemplate.of([first, second])).toBeUndefined();
});

test("an id that is the same twice belongs to the result", () => {
  const [mine, other] = [crypto.randomUUID(), crypto.randomUUID()];
  const template = ResultTemplate.of([`user ${mine}`, `user ${mine}`]);
  expect(template?.matches(`user ${mine}`)).toBe(true);
  expect(template?.matches(`user ${other}`)).toBe(false);
});

function three(make: (n: number) => string): [string, string, string] {
  return [make(1), make(2), make(3)];
}
