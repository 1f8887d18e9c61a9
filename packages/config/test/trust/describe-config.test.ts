import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describeConfig, type ConfigPartKind } from "@toolweave/config";
import { expect, test } from "vitest";
import { configFile } from "../support/config-file.ts";

/** The parts of one kind, as they are displayed. */
function displayedParts(path: string, kind: ConfigPartKind): string[] {
  return describeConfig(path)
    .parts.filter((part) => part.kind === kind)
    .map(({ name, text }) => (name === text ? text : `${name}: ${text}`));
}

test("the variables of all texts are named, and none is read", () => {
  const path = configFile({
    mcpServers: { a: { command: "run", args: ["${ONE}", "$${NOT}"], env: { K: "${env:TWO}" } } },
    servers: { b: { url: "https://b.example/${THREE:-x}", headers: { h: "${input:four-key}" } } },
    openapi: { c: { url: "https://c.example", auth: { bearer: "${ONE}" } } },
    mcp: { off: { command: "off", args: ["${NEVER}"], disabled: true } },
  });
  expect(displayedParts(path, "variable")).toEqual([
    "ONE: ONE (a, c)",
    "TWO: TWO (a)",
    "THREE: THREE (b)",
    "FOUR_KEY: FOUR_KEY (b)",
  ]);
  expect(displayedParts(path, "program")).toEqual(["a: run ${ONE} $${NOT} (sets K)"]);
});

test("every address is named, in any place", () => {
  const path = configFile({
    servers: { a: { url: "${HOST}/mcp" } },
    mcp: { a: { auth: { oauth: { issuer: "https://login.example" } } } },
    openapi: { b: { file: "b.json", baseUrl: "https://b.example" } },
  });
  expect(displayedParts(path, "url")).toEqual([
    "a: ${HOST}/mcp, https://login.example",
    "b: https://b.example",
  ]);
});

test.each([
  ["an argument", { args: ["./server.mjs"] }],
  ["an argument with an option", { args: ["--import=./server.mjs"] }],
  ["an argument with a place", { args: ["${workspaceFolder}/server.mjs"] }],
  ["an argument with a default", { args: ["${SERVER:-./server.mjs}"] }],
  ["the command", { command: "./server.mjs" }],
  ["a variable", { env: { NODE_OPTIONS: "--require ./server.mjs" } }],
])("a file that %s names is listed as code", (_what, server) => {
  const path = configFile({ mcpServers: { a: { command: "node", ...server } } });
  const file = join(dirname(path), "server.mjs");
  writeFileSync(file, "one");
  const before = describeConfig(path).digest;
  expect(displayedParts(path, "module")).toEqual(["server.mjs"]);
  expect(describeConfig(path).digest).toBe(before);
  writeFileSync(file, "two");
  expect(describeConfig(path).digest).not.toBe(before);
});

test("data that a program changes at run time is not part of the approval", () => {
  const path = configFile({
    mcpServers: {
      a: { command: "node", args: ["--db", "./data.sqlite"], env: { M: "memory.json" } },
    },
  });
  const before = describeConfig(path).digest;
  writeFileSync(join(dirname(path), "data.sqlite"), "rows");
  writeFileSync(join(dirname(path), "memory.json"), "{}");
  expect(describeConfig(path).digest).toBe(before);
});

test.skipIf(process.platform === "win32")(
  "a file without an extension for code counts if it can be executed",
  () => {
    const path = configFile({ mcpServers: { a: { command: "sh", args: ["-c", "./server"] } } });
    const file = join(dirname(path), "server");
    writeFileSync(file, "#!/bin/sh\n");
    chmodSync(file, 0o755);
    expect(displayedParts(path, "module")).toEqual(["server"]);
  },
);

test("a package of the folder takes precedence over the registry's, so its files count", () => {
  const path = configFile({ mcpServers: { a: { command: "npx", args: ["-y", "@x/server@1"] } } });
  const before = describeConfig(path).digest;
  const at = join(dirname(path), "node_modules/@x/server");
  mkdirSync(join(at, "lib"), { recursive: true });
  writeFileSync(join(at, "package.json"), '{"version":"1.0.0"}');
  writeFileSync(join(at, "lib/index.js"), "one");
  expect(displayedParts(path, "package")).toEqual([
    "@x/server: @x/server@1.0.0 in node_modules/@x/server",
  ]);
  const planted = describeConfig(path).digest;
  expect(planted).not.toBe(before);
  writeFileSync(join(at, "lib/index.js"), "two");
  expect(describeConfig(path).digest).not.toBe(planted);
});

test("a value that is not an object where one belongs is ignored: loading reports it", () => {
  const path = configFile({ mcpServers: [1], openapi: { a: "x" }, agents: null, policy: 7 });
  expect(describeConfig(path).parts.map(({ kind }) => kind)).toEqual(["file", "policy"]);
  expect(() => describeConfig(configFile("{"))).toThrow("toolweave.json:1:2");
});

test("trusted hints of a server are listed only where they take effect", () => {
  const memory = { command: "memory" };
  const ineffective = { mcpServers: { memory: { ...memory, trustAnnotations: true } } };
  expect(displayedParts(configFile(ineffective), "policy")).toEqual([]);
  const mcp = { memory: { trustAnnotations: true }, none: { trustAnnotations: true } };
  expect(displayedParts(configFile({ mcpServers: { memory }, mcp }), "policy")).toEqual([
    "memory: what memory says of its own tools is trusted",
  ]);
});
