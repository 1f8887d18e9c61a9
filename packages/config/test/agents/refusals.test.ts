import { loadConfig } from "@toolweave/config";
import { expect, test } from "vitest";
import { configFile } from "../support/config-file.ts";
import { echo, refusal } from "../support/echo.ts";

const clerk = {
  description: "Finds books.",
  system: "You know every book.",
  model: "openai/gpt-5",
  tools: ["books__*"],
};

test("errors of agents are reported with line and column and a correction", async () => {
  const path = configFile(`{
  "agents": {
    "a": { "description": "A.", "system": "A.", "model": "openai/gpt-5" },
    "b": { "description": "A.", "system": "A.", "model": "openai/gpt-5", "tool": ["*"], "tools": [] },
    "c": { "description": "A.", "system": "A.", "model": { "modle": "m", "model": "m" }, "tools": [] },
    "d": { "description": "A.", "system": { "path": "a.md" }, "model": "a/b", "tools": "*" },
    "e": { "description": "A.", "system": "A.", "model": "a/b", "tools": [], "limits": { "turns": 0 } },
    "f": { "description": "A.", "system": "A.", "model": "a/b", "tools": [], "thinking": "hard" },
  }
}`);
  expect((await refusal(path)).replaceAll(`${path}:`, "").split("\n")).toEqual([
    '4:74: Unknown option "tool". Did you mean "tools"?',
    '5:60: Unknown option "modle". Did you mean "model"?',
    '6:45: Unknown option "path". The options here are file.',
    '3:5: "tools" is required.',
    '6:33: "file" is required.',
    '6:79: "tools" must be array.',
    '7:90: "turns" must be >= 1.',
    expect.stringMatching(/^8:78: "thinking" must be one of "none", /),
  ]);
});

test.each([
  ["a model without a package", { model: "gpt-5" }, "/model: which package has the model"],
  [
    "a package that is a path",
    { model: { provider: "../evil", model: "m" } },
    "no name of a package",
  ],
  [
    "a package that is a URL",
    { model: { provider: "https://a.example/x.js", model: "m" } },
    "no name of a package",
  ],
  [
    "a server without an address",
    { model: { model: "m" } },
    '/model/baseURL: "baseURL" has to say where',
  ],
  [
    "an address with a password",
    { model: { model: "m", baseURL: "http://ada:pw@a.example/v1" } },
    "without a user name",
  ],
  [
    "a prompt that does not exist",
    { system: { file: "none.md" } },
    "/system/file: the file cannot be read (ENOENT).",
  ],
  [
    "a policy that allows",
    { policy: { rules: [{ effect: "allow", tools: "*" }] } },
    "can only narrow",
  ],
  [
    "an invalid policy",
    { policy: { rules: [{ effect: "denny", tools: "*" }] } },
    "/policy/rules/0/effect: ",
  ],
])("%s is refused", async (_, more, message) => {
  expect(await refusal({ agents: { clerk: { ...clerk, ...more } } })).toContain(message);
});

test.each([
  ["a name that no tool can have", { agents: { "a clerk": clerk } }, "/agents/a clerk: "],
  [
    "the name of a server",
    { mcpServers: { echo }, agents: { echo: clerk } },
    '/agents/echo: an MCP server has the name "echo", too: rename one.',
  ],
  [
    "the name of a document",
    { openapi: { a: { file: "a.json" } }, agents: { a: clerk } },
    '/agents/a: a document has the name "a", too: rename one.',
  ],
])("an agent with %s is refused", async (_, config, message) => {
  expect(await refusal(config)).toContain(message);
});

test("an unset variable of an agent is reported with its place, and nothing else of the agent", async () => {
  const model = { model: "m", baseURL: "${WHERE}", apiKey: "${KEY}" };
  const config = { agents: { clerk: { ...clerk, model } } };
  await using loaded = await loadConfig(config, { env: {}, onProblem: () => {} });
  await loaded.registry.ready;
  const lines = loaded.registry.problems.flatMap(({ message }) => message.split("\n"));
  expect(lines.map((line) => line.split(":", 1)[0])).toEqual([
    "/agents/clerk/model/baseURL",
    "/agents/clerk/model/apiKey",
  ]);
});

test("an agent's key in place of a package name is not displayed", async () => {
  const model = { provider: "../${KEY}", model: "m" };
  const env = { KEY: "tok-0123456789-abcdefghij" };
  const message = await refusal({ agents: { clerk: { ...clerk, model } } }, { env });
  expect(message).not.toContain("tok-0123456789");
});
