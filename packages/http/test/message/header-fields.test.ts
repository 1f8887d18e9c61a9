import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  formatFieldValue,
  getTextParameter,
  parseChallenges,
  parseDirectives,
  parseFieldValue,
  parseLinks,
} from "../../src/fields.ts";

const entries = (parameters: ReadonlyMap<string, string>): object => Object.fromEntries(parameters);

describe("a value with parameters (RFC 9110, section 5.6.6)", () => {
  test.each<[string, string, object]>([
    ["text/plain", "text/plain", {}],
    ["text/plain;charset=utf-8", "text/plain", { charset: "utf-8" }],
    [' text/plain ; Charset = "a;\\"b" ;; x=1; ', "text/plain", { charset: 'a;"b', x: "1" }],
    ['a/b; t="; charset=x"; charset=y', "a/b", { t: "; charset=x", charset: "y" }],
    ["a/b; x=1; x=2", "a/b", { x: "1" }],
    ["a/b; flag; x=1", "a/b", { flag: "", x: "1" }],
    ['a/b; x="1" "; y=2"; z=3', "a/b", { x: "1", z: "3" }],
    ['a/b; x="not closed; y=2', "a/b", { x: "not closed; y=2" }],
    [
      "attachment; filename=my report, final.pdf; x=1",
      "attachment",
      { filename: "my report, final.pdf", x: "1" },
    ],
    ["", "", {}],
  ])("%j", (field, value, parameters) => {
    const parsed = parseFieldValue(field);
    expect([parsed.value, entries(parsed.parameters)]).toEqual([value, parameters]);
  });
});

describe("a parameter as text (RFC 8187)", () => {
  test.each([
    ["a; t=x; t*=UTF-8''%e2%82%ac", "€"],
    ["a; t*=iso-8859-1'en'%A3", "£"],
    ["a; t*=\"UTF-8''a%20b\"", "a b"],
    ["a; t*=utf-8''%ff; t=plain", "plain"],
    ["a; t*=nothing; t=plain", "plain"],
    ["a; t*=utf-8''%zz", "%zz"],
    ["a", undefined],
  ])("%j", (field, expected) => {
    expect(getTextParameter(parseFieldValue(field).parameters, "t")).toBe(expected);
  });
});

describe("links (RFC 8288, section 3)", () => {
  test.each<[string, readonly (readonly [string, object])[]]>([
    [
      "<a>; rel=next, <b>;rel=last",
      [
        ["a", { rel: "next" }],
        ["b", { rel: "last" }],
      ],
    ],
    [
      '</x?p=9>; title="p;rel=next"; rel="last"',
      [["/x?p=9", { title: "p;rel=next", rel: "last" }]],
    ],
    ['<a>; title="b, <c>; rel=next"; rel=up', [["a", { title: "b, <c>; rel=next", rel: "up" }]]],
    ['<a>; title="\\", <b>; rel=next"', [["a", { title: '", <b>; rel=next' }]]],
    ["<a,b;c>", [["a,b;c", {}]]],
    [
      ", ,<a>,,<b>",
      [
        ["a", {}],
        ["b", {}],
      ],
    ],
    ['junk "<a>", <b>; rel=x', [["b", { rel: "x" }]]],
    ["<a", []],
    ["", []],
  ])("%j", (field, links) => {
    expect(parseLinks(field).map(({ value, parameters }) => [value, entries(parameters)])).toEqual(
      links,
    );
  });
});

test("directives are read by name, and a quoted list is one value (RFC 9111, section 5.2)", () => {
  const field = 'no-cache="set-cookie, max-age=1", Max-Age="60", private';
  expect(entries(parseDirectives(field))).toEqual({
    "no-cache": "set-cookie, max-age=1",
    "max-age": "60",
    private: "",
  });
});

test("a challenge may have a value without quotes that is no token", () => {
  const [challenge] = parseChallenges("Bearer resource_metadata=https://a.test/x, scope=a");
  expect(entries(challenge?.parameters ?? new Map())).toEqual({
    resource_metadata: "https://a.test/x",
    scope: "a",
  });
});

const token = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,8}$/);
const content = fc.string({ unit: fc.constantFrom(..." \t,;=\"\\<>'abcé/*"), maxLength: 12 });
const parameters = fc.uniqueArray(fc.tuple(token, content), {
  selector: ([key]) => key.toLowerCase(),
  maxLength: 4,
});
const isToken = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Prints a parameter in one of its spellings. */
function print([key, value]: readonly [string, string], index: number): string {
  const gap = index % 2 === 0 ? "; " : " ;";
  if (isToken.test(value) && index % 3 !== 2) return `${gap}${key}=${value}`;
  return `${gap}${key}="${value.replace(/["\\]/g, "\\$&")}"`;
}

const lowered = (all: readonly (readonly [string, string])[]): ReadonlyMap<string, string> =>
  new Map(all.map(([key, value]) => [key.toLowerCase(), value]));

test("what is printed as parameters and links is read as it was", () => {
  const target = fc.stringMatching(/^[a-z/?=&;,"' ]{1,12}$/).map((text) => text.trim());
  fc.assert(
    fc.property(fc.array(fc.tuple(target, parameters), { maxLength: 4 }), (links) => {
      const field = links.map(([value, all]) => `<${value}>${all.map(print).join("")}`).join(" , ");
      expect(parseLinks(field)).toEqual(
        links.map(([value, all]) => ({ value, parameters: lowered(all) })),
      );
      for (const [, all] of links) {
        const expected = { value: "a/b", parameters: lowered(all) };
        expect(parseFieldValue(`a/b${all.map(print).join("")}`)).toEqual(expected);
        expect(parseFieldValue(formatFieldValue(expected))).toEqual(expected);
      }
    }),
    { seed: Number(process.env["TOOLWEAVE_SEED"] ?? 31) },
  );
});

test("no field is read forever or throws", () => {
  const hostile = fc.string({ unit: fc.constantFrom(..."<>;,=\"\\ a*'%"), maxLength: 60 });
  fc.assert(
    fc.property(hostile, (field) => {
      for (const parse of [parseFieldValue, parseLinks, parseDirectives, parseChallenges]) {
        expect(() => parse(field)).not.toThrow();
      }
    }),
    { seed: Number(process.env["TOOLWEAVE_SEED"] ?? 32) },
  );
});
