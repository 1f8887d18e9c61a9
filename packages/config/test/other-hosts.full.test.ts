import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ToolExecutor, type ToolOutcome } from "@toolweave/core";
import { expect, test } from "vitest";
import { configFile, folderWith } from "./support/config-file.ts";
import { echo, loaded, startedWith } from "./support/echo.ts";

const fixture = (path: string): string =>
  fileURLToPath(new URL(`fixtures/${path}`, import.meta.url));

const readText = (outcome: ToolOutcome): string => {
  expect(outcome.status).toBe("completed");
  const [block] = outcome.status === "interrupted" ? [] : outcome.result.content;
  return block?.type === "text" ? block.text : "";
};

// In the format of these hosts, with several servers each.
test.each([
  ["Claude Desktop", "claude-desktop/claude_desktop_config.json", "note.txt"],
  ["VS Code", "vs-code/.vscode/mcp.json", ".vscode"],
])("the unchanged file of %s connects, lists and calls", async (_, path, entry) => {
  const { registry, executorOptions, warnings } = await loaded(fixture(path));
  expect([registry.problems, warnings]).toEqual([[], []]);
  const names = [...registry.toolset().names()];
  expect(names).toContain("filesystem__read_text_file");
  expect(names).toContain("memory__read_graph");
  const onAsk = (): { approved: true } => ({ approved: true });
  const executor = new ToolExecutor({ registry, ...executorOptions, onAsk });
  const call = (name: string, args: object = {}): Promise<ToolOutcome> =>
    executor.execute({ id: name, name, arguments: JSON.stringify(args) });
  expect(JSON.parse(readText(await call("memory__read_graph")))).toHaveProperty("entities");
  const [, folder = ""] = readText(await call("filesystem__list_allowed_directories")).split("\n");
  expect(readText(await call("filesystem__list_directory", { path: folder }))).toContain(entry);
});

/** The JSON in a server's own README, for hosts of one kind and without a container, unchanged. */
function published(server: string, member: string): string {
  const readme = createRequire(import.meta.url).resolve(`${server}/package.json`);
  const page = readFileSync(join(dirname(readme), "README.md"), "utf8");
  const blocks = Array.from(page.matchAll(/^```json\n([^]*?)^```$/gm), ([, json = ""]) => json);
  const block = blocks.find((json) => json.includes(`"${member}"`) && json.includes('"npx"'));
  if (block === undefined) throw new Error(`${server} shows no ${member}.`);
  return block;
}

test.each([
  [
    "server-memory publishes for Claude Desktop",
    "@modelcontextprotocol/server-memory",
    "mcpServers",
    "claude_desktop_config.json",
    ["memory__read_graph", {}],
    '"entities"',
  ],
  [
    "server-filesystem publishes for VS Code",
    "@modelcontextprotocol/server-filesystem",
    "servers",
    ".vscode/mcp.json",
    ["filesystem__list_directory", { path: "." }],
    "[DIR] .vscode",
  ],
] as const)(
  "the file that %s connects, lists and calls unchanged",
  async (_, server, member, path, [name, args], answer) => {
    // Inside this package: npx uses the installed server.
    const parent = fileURLToPath(new URL("../node_modules/.cache/", import.meta.url));
    mkdirSync(parent, { recursive: true });
    const folder = folderWith({ [path]: published(server, member) }, parent);
    const { registry, executorOptions, warnings } = await loaded(join(folder, path));
    expect([registry.problems, warnings]).toEqual([[], []]);
    const onAsk = (): { approved: true } => ({ approved: true });
    const executor = new ToolExecutor({ registry, ...executorOptions, onAsk });
    const outcome = await executor.execute({ id: "1", name, arguments: JSON.stringify(args) });
    expect(readText(outcome)).toContain(answer);
  },
);

test("fields that only other hosts support are a warning that says where they belong", async () => {
  const path = configFile(`{
  "mcpServers": {
    "echo": {
      "command": ${JSON.stringify(echo.command)},
      "args": ${JSON.stringify(echo.args)},
      "autoApprove": ["other"],
      "alwaysAllow": [],
      "timeout": 60,
      "gallery": true,
      "comand": "x"
    }
  }
}`);
  const { warnings, registry } = await loaded(path);
  expect(registry.size).toBe(2);
  const approval =
    'is ignored: what runs without a question is for `policy` to say, as { "effect": "allow", "tools": "…" }.';
  expect(warnings).toEqual([
    `${path}:6:7: "autoApprove" ${approval}`,
    `${path}:7:7: "alwaysAllow" ${approval}`,
    `${path}:8:7: "timeout" is ignored, since hosts write it in different units: use "timeoutMs" in "mcp".`,
    `${path}:9:7: Unknown option "gallery".`,
    `${path}:10:7: Unknown option "comand". Did you mean "command"?`,
  ]);
});

test("tools that another host excludes are excluded here", async () => {
  const { registry } = await loaded({
    mcpServers: { echo: { ...echo, disabledTools: ["other"] } },
  });
  expect([...registry.toolset().names()]).toEqual(["echo__started_with"]);
});

test("inputs that VS Code would ask for come from the environment", async () => {
  const folder = folderWith({
    ".env": "NAME=from-a-file\nAPI_KEY=not-this-one\n",
    ".vscode/mcp.json": JSON.stringify({
      inputs: [{ type: "promptString", id: "api-key", description: "Key", password: true }],
      servers: {
        echo: {
          type: "stdio",
          ...echo,
          args: [...echo.args, "${workspaceFolder}"],
          env: { API_KEY: "${input:api-key}" },
          envFile: "${workspaceFolder}/.env",
        },
      },
    }),
  });
  const config = await loaded(`${folder}/.vscode/mcp.json`, {
    env: { API_KEY: "k3y-of-this-machine" },
  });
  expect(config.secrets).toEqual(["k3y-of-this-machine"]);
  expect(await startedWith(config, "echo")).toMatchObject({
    args: [folder],
    key: "[redacted]",
    name: "from-a-file",
  });
});

test.each(["mcpServers", "servers"])(
  "an option of Toolweave in %s is a warning with its place",
  async (block) => {
    const config = {
      [block]: {
        "my/memory": { command: "x", disabled: true, trustAnnotations: true, prefix: "m" },
      },
    };
    const { warnings } = await loaded(config);
    expect(warnings).toEqual([
      `/${block}/my~1memory/trustAnnotations: "trustAnnotations" is ignored here: write it into "mcp": { "my/memory": { "trustAnnotations": true } }.`,
      `/${block}/my~1memory/prefix: "prefix" is ignored here: write it into "mcp": { "my/memory": { "prefix": … } }.`,
    ]);
  },
);
