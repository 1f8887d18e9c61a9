import fc from "fast-check";
import { parse } from "jsonc-parser";
import { expect, test } from "vitest";
import { parseJsonObject, withJsonValue } from "../src/commands/shared/json-file.ts";

const server = { command: "npx", args: ["-y"] };

/** Files as people and hosts write them. */
const files = [
  "",
  "{}",
  "{\n}\n",
  '{ "a": 1 }',
  '{"mcpServers":{"docs":1,"z":2}}',
  '{\n\t"mcpServers": {\n\t\t"docs": { "x": 1 }, // one\n\t},\n}\n',
  '{\n    "mcpServers": {\n        "docs": { "x": 1 } // one, two\n    }\n}',
  '{\r\n  "mcpServers": {}\r\n}\r\n',
  '{ "mcpServers": { "docs": 1, } }',
  "{\n  // none yet\n}",
  '\uFEFF{\n  "mcpServers": {\n    "docs": 1\n    /* the last */\n  },\n  "more": [1]\n}\n',
];

test.each(files)("a server is added to %j without another change", (text) => {
  const before = parseJsonObject(text, "mcp.json");
  const added = withJsonValue(text, ["mcpServers", "toolweave"], server);
  const servers = { ...(before["mcpServers"] as object), toolweave: server };
  expect(parseJsonObject(added, "mcp.json")).toEqual({ ...before, mcpServers: servers });
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  for (const line of lines.filter((line) => line.includes("//") || line.includes("/*"))) {
    expect(added).toContain(line.replace(/^.*(?=\/[/*])/, ""));
  }
  expect(/(?<!\r)\n/.test(added)).toBe(!text.includes("\r\n") && added.includes("\n"));
});

test.each(files.filter((text) => text.includes("docs") && text.includes("\n")))(
  "a server that is added to %j and removed again leaves no trace",
  (text) => {
    const added = withJsonValue(text, ["mcpServers", "toolweave"], server);
    expect(withJsonValue(added, ["mcpServers", "toolweave"], undefined)).toBe(text);
  },
);

test("a server is removed from one line", () => {
  expect(withJsonValue('{ "s": { "a": 1, "b": 2 } }', ["s", "b"], undefined)).toBe(
    '{ "s": { "a": 1 } }',
  );
});

test("a value is replaced in its place, and one is appended to a list", () => {
  const text = '{\n  "a": { "b": 1 }, // one\n  "list": ["x"]\n}';
  expect(withJsonValue(text, ["a", "b"], [2])).toBe(
    '{\n  "a": { "b": [\n    2\n  ] }, // one\n  "list": ["x"]\n}',
  );
  expect(withJsonValue(text, ["list", -1], "y")).toBe(
    '{\n  "a": { "b": 1 }, // one\n  "list": ["x", "y"]\n}',
  );
});

test("any change of any object is what was meant", () => {
  const key = fc.constantFrom("a", "b", "c", "a/b", "__proto__x", '"', "ü");
  const value = fc.jsonValue({ maxDepth: 2 });
  const object = fc.dictionary(key, fc.dictionary(key, value, { maxKeys: 3 }), { maxKeys: 3 });
  const spaces = fc.constantFrom(undefined, 2, 4, "\t");
  fc.assert(
    fc.property(object, spaces, key, key, value, (before, space, block, name, added) => {
      const text = JSON.stringify(before, null, space);
      const plain = JSON.parse(text) as Record<string, Record<string, unknown>>;
      const json = JSON.parse(JSON.stringify(added)) as never;
      const changed = withJsonValue(text, [block, name], json);
      expect(parse(changed)).toEqual({ ...plain, [block]: { ...plain[block], [name]: json } });
      const { [name]: _, ...others } = plain[block] ?? {};
      const removed = withJsonValue(changed, [block, name], undefined);
      expect(parse(removed)).toEqual({ ...plain, [block]: others });
    }),
    { numRuns: 300 },
  );
});

test.each([
  ['{\n  "a": ]\n}', "mcp.json:2:8"],
  ["[]", "does not contain a JSON object"],
])("%j is refused", (text, error) => {
  expect(() => parseJsonObject(text, "mcp.json")).toThrow(error);
});
