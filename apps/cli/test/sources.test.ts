import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { splitCallWords, splitSources } from "../src/input/source-words.ts";
import { petDocument } from "./support/pet-document.ts";
import { idIn, runCommand, runIn } from "./support/run-cli.ts";
import { tempStore } from "./support/temp-file.ts";
import { createFolder, greeter, toolCode } from "./support/tool-module.ts";

const yaml = `openapi: 3.1.0
info: { title: Shop, version: "1" }
servers: [{ url: https://api.example.com }]
paths: { /pets: { get: { operationId: listPets, summary: List, responses: {} } } }
`;

const small = {
  info: { title: "Shop", version: "1" },
  servers: [{ url: "https://api.example.com" }],
  paths: { "/pets": { get: { operationId: "listPets", summary: "List", responses: {} } } },
  openapi: "3.1.0",
};

/** A server that answers each path with a status, headers and a body. */
async function answering(
  paths: Readonly<Record<string, readonly [number, Readonly<Record<string, string>>, string]>>,
): Promise<{ url: string; seen: string[] }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? ""}`.trim());
    const [status, headers, body] = paths[request.url ?? ""] ?? [404, {}, ""];
    response.writeHead(status, headers).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

async function listedTools(argv: readonly string[]): Promise<string[]> {
  const { code, stdout, stderr } = await runCommand(["inspect", ...argv]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout.match(/^\w+(?= {2})/gm) ?? [];
}

test.each([
  ["a module", "tools.mjs", greeter("Hello"), ["greet"]],
  ["a document in YAML", "api.yaml", yaml, ["list_pets"]],
  ["a document without an ending", "api", yaml, ["list_pets"]],
  ["a document in JSON", "api.json", JSON.stringify(small), ["list_pets"]],
  ["a configuration", "any.json", '{ // comment\n "tools": ["./more.mjs"], }', ["wave"]],
])(
  "a source without an option is known as %s by its content",
  async (_what, name, content, names) => {
    const folder = createFolder({
      [name]: content,
      "more.mjs": `export const wave = ${toolCode("wave", "() => 'bye'")};`,
    });
    const listed = await listedTools([join(folder, name)]);
    expect(listed).toEqual(names);
  },
);

test("several sources are one list", async () => {
  const folder = createFolder({ "a.mjs": greeter("Hello"), "b.yaml": yaml });
  expect(await listedTools([join(folder, "a.mjs"), join(folder, "b.yaml")])).toEqual([
    "greet",
    "list_pets",
  ]);
});

test("a URL without the ending of a file is a document if that is what it returns", async () => {
  const { url } = await answering({
    "/spec": [200, { "content-type": "application/json" }, JSON.stringify(petDocument)],
  });
  expect(await listedTools([`${url}/spec`, "--filter", "get_pet"])).toContain("get_pet");
});

test("a URL that refuses a GET as MCP servers do is an MCP server", async () => {
  const { url, seen } = await answering({ "/mcp": [405, {}, ""] });
  const { code } = await runCommand(["inspect", `${url}/mcp`, "--auth", "bearer:t0ken"]);
  expect(code).toBe(4);
  expect(seen[0]).toBe("GET /mcp Bearer t0ken");
  expect(seen).toContain("POST /mcp Bearer t0ken");
});

test.each([
  ["page", "returns 200 with text/html"],
  ["login", "requires credentials (401)"],
  ["gone", "returns 404"],
])("a URL that may be anything (%s) is refused with what to write", async (path, text) => {
  const { url } = await answering({
    "/page": [200, { "content-type": "text/html" }, "<html>"],
    "/login": [401, {}, ""],
  });
  const { code, stderr } = await runCommand(["inspect", `${url}/${path}`]);
  expect(code).toBe(2);
  expect(stderr.toLowerCase()).toContain(text);
  expect(stderr).toContain("Name what it is with --openapi or --mcp.");
});

test("a URL that cannot be reached ends the command with 4", async () => {
  const { code, stderr } = await runCommand(["inspect", "http://127.0.0.1:1/mcp"]);
  expect(code).toBe(4);
  expect(stderr).toContain("http://127.0.0.1:1/mcp cannot be loaded:");
});

test.each([
  ["other.json", "is neither an OpenAPI document nor a configuration"],
  [".", "is a folder"],
  ["missing.yaml", "There is no file"],
  ["npx -y some-server", "write --mcp before it"],
])("the source %s is refused with what to write", async (name, text) => {
  const folder = createFolder({ "other.json": '{"a": 1}' });
  const { code, stderr } = await runCommand(["inspect", join(folder, name)]);
  expect([code, stderr.includes(text)]).toEqual([2, true]);
});

test("two configurations are refused", async () => {
  const folder = createFolder({ "a.json": '{"tools": []}' });
  const path = join(folder, "a.json");
  const { code, stderr } = await runCommand(["inspect", path, "--config", path]);
  expect([code, stderr.includes("A command reads one configuration")]).toEqual([2, true]);
});

test("the source of a call is before the tool", async () => {
  const folder = createFolder({ "tools.mjs": greeter("Hello") });
  const path = join(folder, "tools.mjs");
  expect(await runCommand(["call", path, "greet", "name=Ada"])).toMatchObject({
    code: 0,
    stdout: "Hello Ada\n",
  });
  expect(await runCommand(["call", "greet", "name=Ada", "--tools", path])).toMatchObject({
    stdout: "Hello Ada\n",
  });
  expect((await runCommand(["search", path, "greet"])).stdout).toContain("1 of 1 tool");
  expect((await runCommand(["policy", "explain", path, "greet"])).code).toBe(0);
});

test("an argument may be written like a source, and a source after the tool is refused", () => {
  expect(
    splitCallWords(["a.json", "get", "file=./b.json", "url=https://x.example"], "call"),
  ).toEqual({
    sources: ["a.json"],
    tool: "get",
    words: ["file=./b.json", "url=https://x.example"],
  });
  expect(() => splitCallWords(["get", "a.json"], "call")).toThrow(
    "write it before the tool: `toolweave call a.json get`",
  );
  expect(() => splitCallWords(["a.json"], "call")).toThrow("The name of a tool is missing");
  expect(splitSources(["https://x.example/?a=b", "C:\\a", "find", "a.ts"])).toEqual({
    sources: ["https://x.example/?a=b", "C:\\a"],
    rest: ["find", "a.ts"],
  });
});

test("a pending call of a module is approved from another folder", async () => {
  const folder = createFolder({
    "tools.mjs": `export const wipe = ${toolCode("wipe", "() => 'wiped'", false)};`,
    "ask.json": '{"rules": [{ "effect": "ask", "tools": "*" }]}',
  });
  const path = join(folder, "tools.mjs");
  const run = runIn(tempStore());
  const waits = await run(["call", path, "wipe", "--policy", join(folder, "ask.json")]);
  expect(waits.code).toBe(3);
  const id = idIn(waits);
  expect((await run(["approvals", "show", id])).stdout).toContain(`from ${path}`);
  expect((await run(["approvals", "approve", id])).stdout).toBe("wiped\n");
});

test("a module of a configuration that was found is not run before it is trusted", async () => {
  const folder = createFolder({
    "tools.mjs": "globalThis.toolweaveTestRan = true; export default [];",
    "toolweave.json": '{"tools": ["./tools.mjs"]}',
  });
  const before = process.cwd();
  process.chdir(folder);
  onTestFinished(() => process.chdir(before));
  const { code, stderr } = await runCommand(["inspect"]);
  expect([code, stderr.includes("is not trusted")]).toEqual([3, true]);
  expect((globalThis as { toolweaveTestRan?: boolean }).toolweaveTestRan).toBeUndefined();
});
