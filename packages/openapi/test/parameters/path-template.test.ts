import type { JsonValue } from "@toolweave/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compilePathTemplate } from "../../src/parameters/path-template.ts";
import type { Parameter } from "../../src/document/operation.ts";
import { parameter } from "../support/operations.ts";

function template(
  path: string,
  given: Partial<Parameter> = {},
): (args: Record<string, JsonValue>) => string {
  const names = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name as string);
  const compiled = compilePathTemplate(
    path,
    names.map((name) => ({ argument: name, parameter: parameter({ name, in: "path", ...given }) })),
  );
  return (args) => compiled.expand(args);
}

describe("a path", () => {
  test.each([
    ["/pets/{id}", { id: 7 }, "/pets/7"],
    ["/pets/{id}/", { id: "a" }, "/pets/a/"],
    ["/files/{name}.{ext}", { name: "a", ext: "txt" }, "/files/a.txt"],
    ["/jobs/{id}:cancel", { id: "x" }, "/jobs/x:cancel"],
    [
      "/repos/{owner}/{repo}/compare/{base}...{head}",
      { owner: "o", repo: "r", base: "v1", head: "v2" },
      "/repos/o/r/compare/v1...v2",
    ],
    ["/a/{id}#fragment", { id: 1 }, "/a/1"],
    ["pets/{id}", { id: 1 }, "/pets/1"],
    ["//evil.example/{id}", { id: 1 }, "//evil.example/1"],
    ["/caf%C3%A9/é/{id}", { id: 1 }, "/caf%C3%A9/%C3%A9/1"],
    ["/odata/Users('{id}')", { id: "a'b" }, "/odata/Users('a%27b')"],
    ["/{a/b}/x", { "a/b": 1 }, "/1/x"],
  ])("%s with %j is %s", (path, args, expected) => {
    expect(template(path)(args)).toBe(expected);
  });

  test("keeps its query separate", () => {
    const compiled = compilePathTemplate("/search?kind=pets&x=é#top", []);
    expect(compiled.expand({})).toBe("/search");
    expect(compiled.expandQuery({})).toBe("kind=pets&x=%C3%A9");
  });

  test("leaves an undeclared variable unchanged", () => {
    expect(compilePathTemplate("/a/{b}", []).expand({})).toBe("/a/%7Bb%7D");
  });
});

const traversals = [
  "..",
  ".",
  "",
  "../admin",
  "..%2fadmin",
  "%2e%2e",
  "%2E%2E/admin",
  "%252e%252e",
  ".%2e",
  "..\\admin",
  "a/../b",
  "a/./b",
  "a/..",
  "..;",
  "..;x=1/admin",
  "a%2f..%2fb",
  "x\r\nX-Admin: 1",
  "x%0d%0aX-Admin: 1",
  "\u0000",
];

describe("a value in a path", () => {
  test.each(traversals)("is refused if it could lead to another path: %j", (value) => {
    expect(() => template("/pets/{id}/photo")({ id: value })).toThrow(
      expect.objectContaining({
        code: "invalid_arguments",
        message: expect.stringContaining('"id"'),
      }) as Error,
    );
  });

  test.each([
    ["label", { id: "" }],
    ["label", { id: "." }],
    ["simple", { id: null }],
    ["simple", { id: [] }],
    ["simple", {}],
  ] as const)("of style %s is refused if the result is empty or dots: %j", (style, args) => {
    expect(() => template("/pets/{id}", { style })(args as Record<string, JsonValue>)).toThrow(
      /"id"/,
    );
  });

  test("is refused if two harmless ones result in dots", () => {
    expect(() => template("/x/{a}{b}/y")({ a: ".", b: "." })).toThrow(/"a" and "b"/);
  });

  test.each([
    ["a/b?x=1#y", "a%2Fb%3Fx%3D1%23y"],
    ["...", "..."],
    [".env", ".env"],
    ["v1..v2", "v1..v2"],
    ["100%", "100%25"],
    ["a.b", "a.b"],
  ])("is one segment otherwise: %s", (value, expected) => {
    expect(template("/x/{id}")({ id: value })).toBe(`/x/${expected}`);
  });

  test("never changes the number of segments of the URL", () => {
    const hostile = fc.string({ unit: fc.constantFrom(..."./\\%2eEfF5;:ab\r\n?#"), maxLength: 8 });
    fc.assert(
      fc.property(hostile, hostile, (first, second) => {
        let path: string;
        try {
          path = template("/a/{first}/b/{second}/c")({ first, second });
        } catch {
          return;
        }
        const url = new URL(`http://host.example/base${path}`);
        expect(url.pathname).toBe(`/base${path}`);
        const segments = url.pathname.split("/");
        expect(segments).toHaveLength(7);
        expect(decodeURIComponent(segments[3] as string)).toBe(first);
        expect(decodeURIComponent(segments[5] as string)).toBe(second);
      }),
      { numRuns: 2000 },
    );
  });
});
