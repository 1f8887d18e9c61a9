import { expect, test } from "vitest";
import {
  childPointer,
  decodeFragment,
  escapePointer,
  parsePointer,
  resolvePointer,
} from "../../src/json/json-pointer.ts";

/** The document of RFC 6901, section 5. */
const document = {
  foo: ["bar", "baz"],
  "": 0,
  "a/b": 1,
  "c%d": 2,
  "e^f": 3,
  "g|h": 4,
  "i\\j": 5,
  'k"l': 6,
  " ": 7,
  "m~n": 8,
};

test("each member is found at its pointer", () => {
  expect(resolvePointer(document, "")).toBe(document);
  expect(resolvePointer(document, "/foo/0")).toBe("bar");
  for (const [key, value] of Object.entries(document)) {
    const pointer = childPointer("", key);
    expect(parsePointer(pointer)).toEqual([key]);
    expect(resolvePointer(document, pointer)).toBe(value);
  }
});

test("the order of the escapes keeps `~01` apart from a slash", () => {
  expect(escapePointer("~1")).toBe("~01");
  expect(parsePointer("/~01/~10/")).toEqual(["~1", "/0", ""]);
});

test.each(["/none", "/foo/2", "/foo/length", "/foo/-", "/foo/00", "/toString", "/__proto__", "/a"])(
  "%s selects nothing",
  (pointer) => {
    expect(resolvePointer(document, pointer)).toBeUndefined();
  },
);

test("a fragment is decoded before its pointer is read, and stays if it is malformed", () => {
  expect(resolvePointer(document, decodeFragment("/c%25d"))).toBe(2);
  expect(parsePointer(decodeFragment("/a%2Fb"))).toEqual(["a", "b"]);
  expect(decodeFragment("/a%zz")).toBe("/a%zz");
});
