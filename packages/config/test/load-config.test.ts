import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { ToolError, ToolExecutor } from "@toolweave/core";
import { loadConfig, serverOf } from "@toolweave/config";
import { expect, test } from "vitest";
import { configFile, folderWith } from "./support/config-file.ts";
import { echo, loaded, refusal, startedWith } from "./support/echo.ts";

const document = {
  openapi: "3.1.0",
  info: { title: "Pets", version: "1" },
  servers: [{ url: "https://pets.example.com" }],
  paths: {
    "/pets": { get: { operationId: "list_pets", responses: { 200: { description: "ok" } } } },
    "/pets/{id}": {
      delete: {
        operationId: "delete_pet",
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
        responses: { 204: { description: "ok" } },
      },
    },
  },
};

test("a file with servers, documents and a policy results in one registry", async () => {
  const folder = folderWith({
    "api/pets.json": JSON.stringify(document),
    "toolweave.json": `{
      "$schema": "./node_modules/@toolweave/config/src/toolweave.schema.json",
      // as other hosts write it
      "mcpServers": { "echo": ${JSON.stringify(echo)}, },
      "mcp": { "echo": { "trustAnnotations": true } },
      "openapi": { "pets": { "file": "api/pets.json", "prefix": "shop" } },
      "policy": { "rules": [{ "effect": "deny", "tools": "*delete*" }] },
    }`,
  });
  const { registry, executorOptions, sources, warnings } = await loaded(
    pathToFileURL(join(folder, "toolweave.json")),
  );
  expect([...registry.toolset().names()]).toEqual([
    "echo__other",
    "echo__started_with",
    "shop__delete_pet",
    "shop__list_pets",
  ]);
  expect(sources.map(({ kind, name }) => [kind, name])).toEqual([
    ["mcp", "echo"],
    ["openapi", "pets"],
  ]);
  expect(warnings).toEqual([]);
  const executor = new ToolExecutor({ registry, ...executorOptions });
  expect((await executor.explain({ name: "echo__started_with" })).effect).toBe("allow");
  expect((await executor.explain({ name: "shop__delete_pet" })).effect).toBe("deny");
});

test("a rule that can never match is a warning, with its line and column", async () => {
  const path = configFile(
    `{\n  "policy": {\n    "rules": [\n      { "effect": "deny", "permissions": { "kind": "network", "target": "/pets/*" } }\n    ]\n  }\n}`,
  );
  const { warnings } = await loaded(path);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatch(/:4:\d+: "\/pets\/\*" never matches: the target is METHOD URL/);
});

test("an object results in the same registry as the file", async () => {
  const written = { mcpServers: { echo } };
  const ofFile = await loaded(configFile(written));
  const ofObject = await loaded(written);
  expect([...ofObject.registry.toolset().names()]).toEqual([...ofFile.registry.toolset().names()]);
});

test("references are resolved in every text, and paths are relative to the file", async () => {
  const path = configFile({
    mcpServers: {
      echo: {
        command: "${RUNTIME}",
        args: [...echo.args, "${env:PLACE}/docs", "--port=${PORT:-8080}", "$${PORT}"],
        env: { API_KEY: "${KEY}", NAME: "${env:WHO:-unknown}" },
      },
    },
  });
  const env = { RUNTIME: process.execPath, PLACE: "/data", KEY: "k3y-0123456789" };
  expect(await startedWith(await loaded(path, { env }), "echo")).toEqual({
    args: ["/data/docs", "--port=8080", "${PORT}"],
    cwd: realpathSync(dirname(path)),
    key: "[redacted]",
    name: "unknown",
  });
});

test("references are resolved in options, policies and documents as well, and unset ones of a policy refuse the file", async () => {
  const written = {
    mcpServers: { echo },
    mcp: { echo: { prefix: "${MINE}" } },
    openapi: { pets: { file: "${DOCUMENT}", prefix: "${env:SHOP}" } },
    policy: { rules: [{ effect: "deny", tools: "${SHOP}__delete_*" }] },
  };
  const folder = folderWith({
    "pets.json": JSON.stringify(document),
    "toolweave.json": JSON.stringify(written),
  });
  const path = join(folder, "toolweave.json");
  const env = { MINE: "mine", SHOP: "shop", DOCUMENT: "pets.json" };
  const { registry, executorOptions } = await loaded(path, { env });
  const executor = new ToolExecutor({ registry, ...executorOptions });
  expect([...registry.toolset().names()]).toContain("mine__started_with");
  expect((await executor.explain({ name: "shop__delete_pet" })).effect).toBe("deny");
  const unset = await refusal(path, { env: {} });
  const missing = Array.from(unset.matchAll(/variable (\w+) is not set/g), ([, name]) => name);
  expect(missing).toEqual(["SHOP"]);
  expect(unset.split("\n")).toHaveLength(missing.length);
});

test("a source that needs variables which are not set fails alone, and its problem has the place and remedy of each", async () => {
  const path = configFile(
    JSON.stringify(
      {
        mcpServers: {
          echo,
          wiki: { command: "wiki", args: ["${WIKI_DIR}"], env: { A: "${WIKI_A}", B: "${SET}-b" } },
        },
        mcp: { wiki: { prefix: "${WIKI_PREFIX}" } },
        openapi: { shop: { url: "${SHOP_URL}", auth: { bearer: "${SHOP_KEY}" } } },
        tools: ["${MODULE}.ts"],
        agents: {
          helper: { description: "Helps.", system: "${PROMPT}", model: "openai/x", tools: ["*"] },
        },
      },
      undefined,
      2,
    ),
  );
  const { registry, sources } = await loaded(path, { env: { SET: "correct-horse" } });
  expect([...registry.toolset().names()]).toEqual(["echo__other", "echo__started_with"]);
  const problems = Object.fromEntries(registry.problems.map((one) => [one.source, one.message]));
  expect(Object.keys(problems)).toEqual(["wiki", "shop", "${MODULE}.ts", "helper"]);
  expect(problems["wiki"]?.replaceAll(path, "FILE").split("\n")).toEqual([
    "FILE:12:9: the environment variable WIKI_DIR is not set: set it, or write ${WIKI_DIR:-text} with a text for when it is not.",
    'FILE:15:9: the environment variable WIKI_A is not set: set it, or write ${WIKI_A:-text} with a text for when it is not, or set it in a file that "envFile" of the server names, in place of this line.',
    "FILE:22:7: the environment variable WIKI_PREFIX is not set: set it, or write ${WIKI_PREFIX:-text} with a text for when it is not.",
  ]);
  expect(problems["shop"]).toMatch(/SHOP_URL is not set[^]*SHOP_KEY is not set/);
  expect(JSON.stringify(problems)).not.toContain("correct-horse");
  expect(sources.filter(({ kind }) => kind === "incomplete")).toHaveLength(4);
});

test("the options of a server that needs a variable which is not set are refused, and those of another are not", async () => {
  const config = { mcpServers: { echo, wiki: { command: "wiki", env: { A: "${UNSET}" } } } };
  await expect(serverOf(config, "wiki", { env: {} })).rejects.toThrow("UNSET is not set");
  expect(await serverOf(config, "echo", { env: {} })).toMatchObject({ name: "echo" });
});

test("a value from the environment is in no output of an executor, whatever the variable is called", async () => {
  const config = await loaded(
    { mcpServers: { echo: { ...echo, env: { NAME: "${LOGIN}" } } } },
    { env: { LOGIN: "correct-horse-battery" } },
  );
  expect(await startedWith(config, "echo")).toMatchObject({ name: "[redacted]" });
  expect(config.secrets).toEqual(["correct-horse-battery"]);
});

test("SE10: a secret of the environment is refused in the arguments of a program", async () => {
  const env = { GITHUB_TOKEN: "ghp_0123456789", PLAIN: "abcdef-123456", HOME: "/home/ada" };
  const path = configFile(`{
  "mcpServers": {
    "a": { "command": "a", "args": ["\${GITHUB_TOKEN}"] },
    "b": { "command": "b", "args": ["--api-key", "\${PLAIN}"] },
    "c": { "command": "c", "args": ["--api-key=\${PLAIN}"] },
    "d": { "command": "d", "args": ["\${PLAIN}"], "env": { "API_KEY": "\${PLAIN}" } },
    "e": { "command": "e", "args": ["\${HOME}/files", "\${PLAIN}"] }
  }
}`);
  const message = await refusal(path, { env });
  const advice =
    'looks like a secret, and arguments stand in the list of processes: give it to the server in "env".';
  expect(message.split("\n")).toEqual([
    `${path}:3:37: the value of GITHUB_TOKEN ${advice}`,
    `${path}:4:50: the value of PLAIN ${advice}`,
    `${path}:5:37: the value of PLAIN ${advice}`,
    `${path}:6:37: the value of PLAIN ${advice}`,
  ]);
  expect(message).not.toContain("abcdef");
});

test("SE10: a secret that is written in the arguments of a program is a warning with its place", async () => {
  const path = configFile(
    `{
  "mcpServers": {
    "a": { ...echo, "args": ["--api-key", "sk-0123456789"] },
    "b": { ...echo, "args": ["--token=correct-horse"] },
    "c": { ...echo, "args": ["run", "-e", "GITHUB_PAT=ghp_0123456789", "image"] },
    "d": { ...echo, "args": ["--key", "./server.pem", "--max-tokens", "4096", "--auth", "none", "--author", "ada lovelace"] },
    "e": { ...echo, "args": ["--password", "--verbose", "-e", "API_KEY", "--keyboard=german"] }
  }
}`.replaceAll("...echo", '"command": "no-such-program"'),
  );
  const { warnings } = await loaded(path);
  const advice =
    "looks like a secret, and arguments stand in the list of processes: give it to the server in";
  expect(warnings).toEqual([
    `${path}:3:64: the value of --api-key ${advice} "env", as "API_KEY": "\${API_KEY}".`,
    `${path}:4:51: the value of --token ${advice} "env", as "TOKEN": "\${TOKEN}".`,
    `${path}:5:64: the value of GITHUB_PAT ${advice} "env", as "GITHUB_PAT": "\${GITHUB_PAT}".`,
  ]);
});

test.each([
  ['{\n  "polcy": {} }', ['2:3: Unknown option "polcy". Did you mean "policy"?']],
  [
    '{ "policy": {\n  "prest": "strict" } }',
    ['2:3: Unknown option "prest" in policy. Did you mean "preset"?'],
  ],
  [
    '{ "policy": ["strict", { "rules": [\n  { "efect": "deny", "tools": "a" }] }] }',
    ['2:5: Unknown option "efect" in policy[1].rules[0]. Did you mean "effect"?'],
  ],
  [
    '{ "policy": { "rules": [\n  { "effect": "dny", "tools": "a" }] } }',
    ['2:5: policy.rules[0].effect cannot be "dny": did you mean deny?'],
  ],
  // What is required is not missed as well.
  [
    '{ "agents": { "a": { "description": "x", "model": "a/b", "tools": ["*"],\n  "systm": "x" } } }',
    ['2:3: Unknown option "systm". Did you mean "system"?'],
  ],
  [
    '{ "mcpServers": { "a": {\n  "comand": "x" } } }',
    ['2:3: Unknown option "comand". Did you mean "command"?'],
  ],
])(
  "an unknown option of %j is named once, at its place, with the one that was meant",
  async (text, lines) => {
    const path = configFile(text);
    const message = await refusal(path);
    expect(message.split("\n").map((line) => line.replace(`${path}:`, ""))).toEqual(lines);
  },
);

test.each([
  [{ markdown: { limts: {} } }, ':1:14: Unknown option "limts". Did you mean "limits"?'],
  [{ store: "mysql://x" }, ":1:2: mysql:// is no store: name a folder, or a PostgreSQL database"],
  [
    { store: "s", builtin: { schedule: { timeZone: "Mars/X" } } },
    'scheduleTools: timeZone is "Mars/X"; use the name of a time zone',
  ],
  [
    { builtin: { browser: { executable: "/none/chrome" } } },
    'browserTools: executable is "/none/chrome"; use the path of Chromium or Chrome.',
  ],
])("%j is refused with the option", async (config, message) => {
  expect(await refusal(configFile(JSON.stringify(config)))).toContain(message);
});

test("all errors are reported at once, with line and column and a correction", async () => {
  const path = configFile(`{
  "mcpServer": {},
  "mcp": { "echo": { "command": "x", "includes": ["a"], "timeoutMs": "1s" } },
  "openapi": { "pets": { "document": "pets.json" } },
  "policy": "strictt"
}`);
  const lines = (await refusal(path)).split("\n");
  expect(lines.slice(0, 4)).toEqual([
    `${path}:2:3: Unknown option "mcpServer". Did you mean "mcpServers"?`,
    `${path}:3:38: Unknown option "includes". Did you mean "include"?`,
    expect.stringMatching(/:4:26: Unknown option "document"\. The options here are url, file, /),
    `${path}:3:57: "timeoutMs" must be integer.`,
  ]);
  expect(lines.slice(4).join("\n")).toContain(`${path}:5:3: "policy" `);
});

test.each([
  [
    "a server without a command or an address",
    { mcpServers: { a: {} } },
    '/mcpServers/a: how to reach the server is missing: give "command" for a program, or "url".',
  ],
  [
    "two ways",
    { mcpServers: { a: { command: "a", url: "https://a.example" } } },
    '/mcpServers/a: both command and url are there: take one out, or write "type".',
  ],
  [
    "an unknown type",
    { mcpServers: { a: { type: "websocket", url: "wss://a" } } },
    '/mcpServers/a/type: "websocket" is no type: use stdio, http, streamable-http or sse.',
  ],
  [
    "not a web address",
    { mcpServers: { a: { url: "a.example" } } },
    "/mcpServers/a/url: this is no address: write http:// or https:// and the rest.",
  ],
  [
    "one name for two servers",
    { mcpServers: { a: echo }, servers: { a: echo } },
    '/servers/a: a server "a" is in mcpServers, too: rename one.',
  ],
  [
    "a place that is set twice",
    { mcpServers: { a: echo }, mcp: { a: { command: "b" } } },
    '/mcp/a/command: "command" is said where the server "a" stands.',
  ],
  [
    "one name for a server and a document",
    { mcpServers: { a: echo }, openapi: { a: { file: "a" } } },
    '/openapi/a: an MCP server has the name "a", too: rename one.',
  ],
  [
    "a document without a place",
    { openapi: { a: {} } },
    '/openapi/a: where the document is has to be said once: "url" or "file".',
  ],
  [
    "an invalid prefix",
    { mcpServers: { a: echo }, mcp: { a: { prefix: "1 a" } } },
    '/mcpServers/a: mcpSource: prefix "1 a" is not valid at the beginning of a tool name',
  ],
  ["no object", [], 'the configuration: this must be one object, such as { "mcpServers": {} }.'],
])("%s is refused", async (_, config, message) => {
  expect(await refusal(config)).toContain(message);
});

test("a missing file is unavailable", async () => {
  const error: unknown = await loadConfig("/nowhere/toolweave.json").catch((e: unknown) => e);
  expect(ToolError.is(error) && [error.code, error.message]).toEqual([
    "unavailable",
    "The file /nowhere/toolweave.json cannot be read (ENOENT).",
  ]);
});

test("a server that cannot be started is a problem, and the others work", async () => {
  const { registry } = await loaded({
    mcpServers: { echo, dead: { command: "/nowhere/no-such-program" } },
  });
  expect([...registry.toolset().names()]).toEqual(["echo__other", "echo__started_with"]);
  expect(registry.problems.map(({ source }) => source)).toEqual(["dead"]);
});

test("an excluded server needs nothing, not even its variables", async () => {
  const off = { command: "x", env: { A: "${UNSET}" } };
  const { registry, warnings } = await loaded({
    mcpServers: { a: { ...off, disabled: true }, b: { ...off, enabled: false }, c: off },
    mcp: { c: { disabled: true } },
    openapi: { d: { url: "${UNSET}", disabled: true } },
  });
  expect(registry.size).toBe(0);
  expect([registry.problems, warnings]).toEqual([[], []]);
});

test("a server receives the folders that the file names", async () => {
  const require = createRequire(import.meta.url);
  const script = require.resolve("@modelcontextprotocol/server-filesystem/dist/index.js");
  const folder = folderWith({
    "docs/a.txt": "a",
    "toolweave.json": JSON.stringify({
      mcpServers: { files: { command: process.execPath, args: [script, "${workspaceFolder}"] } },
      mcp: { files: { roots: ["docs"] } },
    }),
  });
  const { registry } = await loaded(join(folder, "toolweave.json"));
  const executor = new ToolExecutor({ registry, policy: "autonomous" });
  const call = { id: "1", name: "files__list_allowed_directories", arguments: {} };
  // The server requests them some time after the connection.
  await expect
    .poll(async () => JSON.stringify(await executor.execute(call)), { timeout: 60_000 })
    .toContain(JSON.stringify(`Allowed directories:\n${join(realpathSync(folder), "docs")}`));
});

test("a server may be in mcp only, with all fields that only Toolweave has", async () => {
  const { registry } = await loaded({ mcp: { echo: { ...echo, prefix: "e" } } });
  expect([...registry.toolset().names()]).toEqual(["e__other", "e__started_with"]);
});

test("the store is a folder beside the file", async () => {
  const path = configFile({ store: "./state" });
  expect((await loaded(path)).store).toBe(join(dirname(path), "state"));
});
