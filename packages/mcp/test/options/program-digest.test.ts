import { join } from "node:path";
import { expect, test } from "vitest";
import { toProgramOrigin } from "../../src/source-tools.ts";
import type { McpServer } from "../../src/options/mcp-options.ts";

const program = { name: "files", command: "node", args: ["server.mjs", "--root", "."], cwd: "/" };
const digest = /^[0-9a-f]{64}$/;

test("the same program has the same digest, without the values of variables", () => {
  const origin = toProgramOrigin({ ...program, env: { B: "1", A: "2" } });
  expect(origin).toEqual({
    program: expect.stringMatching(digest),
    place: expect.stringMatching(digest),
  });
  expect(toProgramOrigin({ ...program, env: { A: "other", B: "values" } })).toEqual(origin);
});

test.each<[string, McpServer]>([
  ["another command", { ...program, command: "bun" }],
  ["another argument", { ...program, args: ["server.mjs", "--root", ".."] }],
  ["one more word", { ...program, args: ["server.mjs --root", "."] }],
  ["another variable", { ...program, env: { NODE_OPTIONS: "" } }],
  ["a URL", { name: "files", url: "http://127.0.0.1:1/mcp" }],
])("%s is another program", (_what, other) => {
  expect(toProgramOrigin(other)["program"]).not.toBe(toProgramOrigin(program)["program"]);
});

test("another URL is another program", () => {
  const at = (url: string): unknown => toProgramOrigin({ name: "files", url })["program"];
  expect(at("https://a.example/mcp")).toBe(at("https://a.example:443/mcp"));
  expect(at("https://a.example/mcp")).not.toBe(at("https://b.example/mcp"));
  expect(at("https://a.example/mcp")).not.toBe(at("https://a.example/mcp?tenant=2"));
});

test("in another folder it is the same program in another place", () => {
  const at = (cwd: string): ReturnType<typeof toProgramOrigin> =>
    toProgramOrigin({ ...program, cwd, args: [join(cwd, "server.mjs")] });
  expect(at("/one")["program"]).toBe(at("/two")["program"]);
  expect(at("/one")["place"]).not.toBe(at("/two")["place"]);
});

test("a declaration determines the digest, whatever the values of its references", () => {
  const declaration = '{"url":"https://a.example/mcp?key=${KEY}"}';
  const of = (key: string): McpServer => ({
    name: "files",
    declaration,
    url: `https://a.example/mcp?key=${key}`,
  });
  expect(toProgramOrigin(of("first-secret"))).toEqual(toProgramOrigin(of("second-secret")));
});
