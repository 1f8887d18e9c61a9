import { expect, test } from "vitest";
import { BoundedMap, perObject } from "../../src/integration/index.ts";

test("a bounded map removes the entry that was set least recently", () => {
  const map = new BoundedMap<string, number>(2);
  map.set("a", 1).set("b", 2).set("a", 3).set("c", 4);
  expect([...map]).toEqual([
    ["a", 3],
    ["c", 4],
  ]);
});

test("an entry of a bounded map is taken once", () => {
  const map = new BoundedMap<string, number>();
  map.set("a", 1);
  expect([map.take("a"), map.take("a"), map.size]).toEqual([1, undefined, 0]);
});

test("a function per object runs once for each object", () => {
  let count = 0;
  const make = perObject<object, number>(() => (count += 1));
  const [one, other] = [{}, {}];
  make(one);
  make(one);
  make(other);
  expect(count).toBe(2);
});
