import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { configFile } from "./support/config-file.ts";
import { echo, loaded, refusal } from "./support/echo.ts";

const names = ["echo__other", "echo__started_with"];

test("settings of other hosts beside their servers are warnings", async () => {
  const path = configFile(
    JSON.stringify({
      globalShortcut: "Ctrl+Space",
      preferences: { menuBarEnabled: false },
      mcpServers: { echo },
    }),
    "claude_desktop_config.json",
  );
  const { registry, warnings } = await loaded(path);
  expect([...registry.toolset().names()].sort()).toEqual(names);
  expect(warnings).toEqual([
    expect.stringContaining('"globalShortcut" is ignored: it is a setting of another host.'),
    expect.stringContaining('"preferences" is ignored: it is a setting of another host.'),
  ]);
});

test.each([
  ["a policy that is misspelt", { mcpServers: {}, polcy: "readOnly" }, 'Did you mean "policy"?'],
  ["beside a block of this package", { mcpServers: {}, mcp: {}, preferences: {} }, '"preferences"'],
  ["without servers", { preferences: {}, inputs: [] }, 'Unknown option "preferences"'],
])("an unknown key is a fault: %s", async (_, value, message) => {
  expect(await refusal(configFile(value, "servers.json"))).toContain(message);
});

test("an unknown key, and a server that is written wrongly, are faults in a toolweave.json", async () => {
  expect(await refusal(configFile({ mcpServers: {}, preferences: {} }))).toContain("preferences");
  expect(await refusal(configFile({ mcpServers: { a: { ...echo, args: null } } }))).toContain(
    "args",
  );
});

describe("a server that is written wrongly is left out, with its problem,", () => {
  test.each<readonly [string, unknown, string]>([
    ["args that are null", { ...echo, args: null }, '"args" must be'],
    ["a variable that is null", { ...echo, env: { X: null } }, '"X" must be'],
    ["env that is a list", { ...echo, env: ["A=b"] }, '"env" must be'],
    ["numbers as arguments", { command: "x", args: ["--port", 8080] }, '"1" must be'],
    ["an unknown type", { ...echo, type: "pipe" }, '"pipe" is no type'],
    ["nothing to reach it by", {}, "how to reach the server is missing"],
    ["no address", { url: "example" }, "this is no address"],
    ["null", null, '"bad/server" must be'],
    ["a text", "npx server", '"bad/server" must be'],
    ["a header that is null", { url: "http://127.0.0.1:9", headers: { A: null } }, '"A" must be'],
    ["a file of variables that is missing", { ...echo, envFile: "none.env" }, "cannot be read"],
  ])("because of %s", async (_, server, problem) => {
    for (const block of ["mcpServers", "servers"]) {
      const { registry, sources } = await loaded(
        configFile({ [block]: { echo, "bad/server": server } }, "mcp.json"),
      );
      expect([...registry.toolset().names()].sort()).toEqual(names);
      expect(registry.problems.map(({ message }) => message).join("\n")).toContain(problem);
      expect(sources.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
        "mcp echo",
        "incomplete bad/server",
      ]);
    }
  });
});

test.each([
  ["UTF-16 with a byte order mark, as PowerShell writes it", "utf16le", "\uFEFF"],
  ["UTF-16 without one", "utf16le", ""],
  ["UTF-8 with one", "utf8", "\uFEFF"],
] as const)("a file can be in %s", async (_, encoding, mark) => {
  const path = configFile("{}");
  const text = JSON.stringify({ mcpServers: { echo: { ...echo, env: { NAME: "Zoë" } } } });
  writeFileSync(path, Buffer.from(mark + text, encoding));
  expect([...(await loaded(path)).registry.toolset().names()].sort()).toEqual(names);
  if (encoding === "utf8") return;
  writeFileSync(path, Buffer.from(mark + text, encoding).swap16());
  expect((await loaded(path)).registry.size).toBe(2);
});

test("the tools that Copilot CLI lists are the only ones, and * is all", async () => {
  for (const [tools, expected] of [
    [["*"], names],
    [["other"], ["echo__other"]],
  ] as const) {
    const { registry, warnings } = await loaded({ mcpServers: { echo: { ...echo, tools } } });
    expect([[...registry.toolset().names()].sort(), warnings]).toEqual([expected, []]);
  }
});
