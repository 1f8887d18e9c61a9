import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { JsonObject, JsonValue } from "@toolweave/core";
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

/** A folder with a program that `npx` and a script run, and what changes in it. */
function installed(command: readonly string[]): {
  readonly digest: () => string;
  readonly write: (file: string, content: string | object) => void;
} {
  const [program = "", ...args] = command;
  const path = configFile({ mcpServers: { a: { command: program, args } } });
  const write = (file: string, content: string | object): void => {
    const at = join(dirname(path), file);
    mkdirSync(dirname(at), { recursive: true });
    writeFileSync(at, typeof content === "string" ? content : JSON.stringify(content));
  };
  write("package.json", manifest);
  write("node_modules/srv/package.json", srv);
  write("node_modules/srv/i.js", "one");
  return { digest: () => describeConfig(path).digest, write };
}

const srv = { name: "srv", version: "1.0.0", bin: "i.js" };
const manifest = {
  name: "app",
  version: "1.0.0",
  scripts: { serve: "srv --port 1", other: "x" },
  dependencies: { srv: "^1.0.0" },
};

const runners: readonly (readonly string[])[] = [
  ["npx", "-y", "srv", "."],
  ["npm", "run", "serve"],
  ["pnpm", "serve"],
];

test.each(runners.map((command) => [command] as const))(
  "what an installation changes beside the program of %j is no change",
  (command) => {
    const { digest, write } = installed(command);
    const before = digest();
    write("package.json", {
      ...manifest,
      version: "1.0.1",
      dependencies: { ...manifest.dependencies, other: "^2.0.0" },
      devDependencies: { tool: "1" },
    });
    write("package-lock.json", { lockfileVersion: 3 });
    write("node_modules/.package-lock.json", { lockfileVersion: 3 });
    write("node_modules/other/index.js", "other");
    write("node_modules/srv/i.js", "one");
    write("node_modules/srv/package.json", { ...srv, _resolved: "file:/tmp/srv.tgz" });
    write("node_modules/srv/node_modules/nested/index.js", "nested");
    expect(digest()).toBe(before);
  },
);

const changes: readonly (readonly [string, string, string | object])[] = [
  ["a new version of the program", "node_modules/srv/package.json", { ...srv, version: "1.0.1" }],
  ["its code", "node_modules/srv/i.js", "two"],
  ["a script", "package.json", { ...manifest, scripts: { serve: "srv --port 2" } }],
  ["what is loaded", "package.json", { ...manifest, imports: { "#a": "./b.js" } }],
  ["a package.json that is no JSON", "package.json", "{"],
];

test.each(runners.flatMap((command) => changes.map((change) => [command, ...change] as const)))(
  "for %j, %s is a change",
  (command, _what, file, content) => {
    const { digest, write } = installed(command);
    const before = digest();
    write(file, content);
    expect(digest()).not.toBe(before);
  },
);

test("the files and packages of the scripts that run around a script count, too", () => {
  const { write, digest } = installed(["npm", "start"]);
  write("package.json", {
    scripts: { prestart: "node ./prepare.js; npm run start", start: "npm run serve", serve: "srv" },
  });
  write("prepare.js", "one");
  const before = digest();
  write("prepare.js", "two");
  const between = digest();
  expect(between).not.toBe(before);
  write("node_modules/srv/i.js", "two");
  expect(digest()).not.toBe(between);
});

test("lists of dependencies count for a program that installs what is missing", () => {
  const { digest, write } = installed(["bun", "run", "serve"]);
  const before = digest();
  write("package.json", { ...manifest, dependencies: { srv: "https://evil.example/srv.tgz" } });
  expect(digest()).not.toBe(before);
});

test("a value that is not an object where one belongs is ignored: loading reports it", () => {
  const path = configFile({ mcpServers: [1], openapi: { a: "x" }, agents: null, policy: 7 });
  expect(describeConfig(path).parts.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    "file toolweave.json",
    "policy policy",
    "setting mcpServers",
    "setting openapi.a",
    "setting agents",
  ]);
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

test("scripts in the file, and the variables of approvals, are listed with what they are for", () => {
  const path = configFile({
    tools: ["./tools.mjs", { name: "pay", script: "def run():\n  return 1" }],
    hooks: [{ name: "log", event: "call", script: "pass" }],
    markdown: { folder: "md", env: ["HOME_KEY"] },
    serve: {
      maxCalls: 5,
      approvals: {
        api: { approvers: { mallory: "PWD" }, readers: { board: "B" } },
        webhook: { url: "https://evil.example/x", secrets: ["W"] },
      },
    },
  });
  expect(displayedParts(path, "script")).toEqual([
    'tool 2: tool pay: {"script":"def run():\\n  return 1"}',
    'hook 1: hook log: {"event":"call","script":"pass"}',
  ]);
  expect(displayedParts(path, "variable")).toEqual([
    "HOME_KEY: HOME_KEY (markdown)",
    "PWD: PWD (the token of the approver mallory)",
    "B: B (the token of the reader board)",
    "W: W (a secret of the webhook)",
  ]);
  expect(displayedParts(path, "url")).toEqual(["serve: https://evil.example/x"]);
  expect(displayedParts(path, "setting")).toEqual([
    'markdown.env: ["HOME_KEY"]',
    "serve.maxCalls: 5",
    expect.stringContaining('serve.approvals: {"api":{"approvers":{"mallory":"PWD"}'),
  ]);
});

const schema = JSON.parse(
  readFileSync(
    createRequire(import.meta.url).resolve("@toolweave/config/toolweave.schema.json"),
    "utf8",
  ),
) as JsonObject;

/** Values that a description need not have: they make a part disappear, or have no effect. */
const withoutEffect = new Set(["$schema", "disabled", "enabled"]);

let count = 0;

/** A value for a part of the schema in which every text and number occurs once, with the keys that lead to them. */
function createMarked(part: JsonObject, key: string, marks: Map<string, string>): JsonValue {
  const { properties, additionalProperties, items } = part;
  const others = [part["anyOf"], part["oneOf"]].flat().filter((one) => one !== undefined);
  if (properties === undefined && others.length > 0) {
    const objects = (others as JsonObject[]).find((one) => one["properties"] !== undefined);
    if (objects !== undefined) return createMarked(objects, key, marks);
  }
  if (properties !== undefined || typeof additionalProperties === "object") {
    const own = Object.entries((properties ?? {}) as Record<string, JsonObject>);
    const entry = typeof additionalProperties === "object" ? [["entry", additionalProperties]] : [];
    return Object.fromEntries(
      [...own, ...(entry as [string, JsonObject][])]
        .filter(([name]) => !withoutEffect.has(name))
        .map(([name, member]) => [name, createMarked(member, `${key}.${name}`, marks)]),
    );
  }
  if (items !== undefined) return [createMarked(items as JsonObject, key, marks)];
  if (part["type"] === "boolean") {
    marks.set(key.slice(key.lastIndexOf(".") + 1), key);
    return true;
  }
  count += 1;
  const mark = 700_000 + count;
  marks.set(`${mark}`, key);
  return [part["type"]].flat().includes("integer") ? mark : `mark-${mark}`;
}

test("every key of the schema is in the description, whatever it is for", () => {
  const blocks = schema["properties"] as Record<string, JsonObject>;
  for (const [block, part] of Object.entries(blocks)) {
    if (withoutEffect.has(block)) continue;
    const marks = new Map<string, string>();
    const path = configFile({ [block]: createMarked(part, block, marks) });
    const texts = describeConfig(path)
      .parts.filter(({ kind }) => kind !== "file")
      .map(({ name, text }) => `${name} ${text}`)
      .join("\n");
    const missing = [...marks].flatMap(([mark, key]) => (texts.includes(mark) ? [] : [key]));
    expect(missing).toEqual([]);
    expect(marks.size).toBeGreaterThan(0);
  }
});

test("a key that the schema does not know yet is listed below its block", () => {
  const path = configFile({
    mcp: { a: { command: "a", later: 1 } },
    workspace: { root: ".", later: 2 },
    serve: { later: 3 },
  });
  expect(displayedParts(path, "setting")).toEqual([
    "mcp.a.later: 1",
    "workspace.later: 2",
    "serve.later: 3",
  ]);
});
