import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { loadConfig } from "@toolweave/config";
import { ajvValidator, ToolExecutor, ToolRegistry, type PolicyInput } from "@toolweave/core";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { expect, test } from "vitest";
import { subjectSchema } from "../../src/commands/conform/config-schema.ts";
import { checkedSnippets, root } from "./pages.ts";

type Json = Readonly<Record<string, unknown>>;

const schema = JSON.parse(
  readFileSync(join(root, "packages/config/src/toolweave.schema.json"), "utf8"),
) as { readonly properties: Json };

/** The kind of file of which a block is an example. */
type Kind = "configuration" | "models" | "policy" | "subject of conform" | "other";

function kindOfBlock(value: unknown): Kind {
  if (Array.isArray(value)) return value.every((one) => hasKey(one, "model")) ? "models" : "other";
  if (hasKey(value, "samples")) return "subject of conform";
  if (Object.keys(value as object).some((key) => hasKey(schema.properties, key))) {
    return "configuration";
  }
  return hasKey(value, "rules") || hasKey(value, "preset") ? "policy" : "other";
}

function hasKey(value: unknown, key: string): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key);
}

/** A document with the tags and the security of the examples. */
const document = {
  openapi: "3.1.0",
  info: { title: "A shop", version: "1" },
  servers: [{ url: "http://127.0.0.1:9" }],
  security: [{ token: [] }],
  paths: {
    "/orders": {
      get: {
        operationId: "list_orders",
        tags: ["orders"],
        responses: { 200: { description: "" } },
      },
    },
  },
  components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
};

/** An MCP server with the names of the examples. */
const server = `
import { createInterface } from "node:readline";
const tool = (name) => ({ name, description: "A tool.", inputSchema: { type: "object" } });
const results = {
  initialize: {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "files", version: "1" },
  },
  "tools/list": { tools: ["read_file", "list_folder"].map(tool) },
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  const error = { code: -32601, message: "Method not found" };
  const answer = method in results ? { result: results[method] } : { error };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
});
`;

const files: Readonly<Record<string, string>> = {
  "server.mjs": server,
  "openapi.json": JSON.stringify(document),
  "prompts/librarian.md": "You know the files.",
};

/** Replaces the programs that a configuration starts, and the addresses to which it connects. */
function withStandIns(config: Json): Json {
  const mcp = (part: Json): Json =>
    hasKey(part, "command")
      ? { ...part, command: process.execPath, args: ["server.mjs"] }
      : { ...part, url: "http://127.0.0.1:9/mcp" };
  const openapi = (part: Json): Json => ({ ...part, url: undefined, file: "openapi.json" });
  const standIns: Readonly<Record<string, (part: Json) => Json>> = {
    mcpServers: mcp,
    servers: mcp,
    openapi,
  };
  return Object.fromEntries(
    Object.entries(config).map(([key, parts]) => {
      if (key === "store") return [key, String(parts).replace("db.example.com", "127.0.0.1:9")];
      const change = standIns[key];
      if (change === undefined) return [key, parts];
      const entries = Object.entries(parts as Readonly<Record<string, Json>>);
      return [key, Object.fromEntries(entries.map(([name, part]) => [name, change(part)]))];
    }),
  );
}

/** Every fault of a configuration, also those of its sources and of its policy. */
async function findFaults(config: Json): Promise<readonly string[]> {
  const folder = tempFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const variables = JSON.stringify(config).matchAll(/\$\{(\w+)\}/g);
  const env = Object.fromEntries(Array.from(variables, ([, name]) => [name, "standin"]));
  const problems: string[] = [];
  const loaded = await loadConfig(JSON.parse(JSON.stringify(withStandIns(config))) as object, {
    folder,
    env,
    onProblem: () => {},
  });
  try {
    await loaded.registry.ready;
    const executor = new ToolExecutor({ registry: loaded.registry, ...loaded.executorOptions });
    problems.push(
      ...loaded.registry.problems
        .map(({ message }) => message)
        // Nothing answers there, and no database.
        .filter((message) => !/127\.0\.0\.1:9|credential store is not available/.test(message)),
    );
    problems.push(...executor.configurationWarnings().map(({ message }) => message));
  } finally {
    await loaded.close();
  }
  return [...loaded.warnings, ...problems];
}

const agent = { description: "Files.", system: "You file.", tools: [] };

/** The faults of a block, by what it is. */
async function findBlockFaults(value: Json): Promise<readonly unknown[]> {
  switch (kindOfBlock(value)) {
    case "configuration":
      return findFaults(value);
    case "models": {
      const models = value as unknown as readonly Json[];
      const agents = models.map((model, index) => [`agent_${index}`, { ...agent, model }] as const);
      return findFaults({ agents: Object.fromEntries(agents) });
    }
    case "policy":
      return new ToolExecutor({
        registry: new ToolRegistry(),
        policy: value as PolicyInput,
      }).configurationWarnings();
    case "subject of conform":
      return (await ajvValidator().compile(subjectSchema))(value) ?? [];
    case "other":
      return [];
  }
}

test.each(checkedSnippets("json", "jsonc").map((one) => [one.place, one] as const))(
  "the JSON of %s is valid",
  async (_place, { code }) => {
    expect(await findBlockFaults(JSON.parse(code) as Json)).toEqual([]);
  },
);

test.each([
  [{ markdown: true, polcy: {} }, "polcy"],
  [{ policy: { rules: [{ effect: "allow", permission: { kind: "process" } }] } }, "permission"],
  [{ mcpServers: { files: { command: "x" } }, mcp: { files: { include: ["reed_*"] } } }, "reed_"],
  [{ markdown: true, openapi: { shop: { url: "x", include: [{ tags: ["order"] }] } } }, "order"],
])("the fault of the configuration %j is found", async (config, text) => {
  const faults = await findFaults(config).catch((error: Error) => [error.message]);
  expect(faults.join("\n")).toContain(text);
  expect(faults).not.toEqual([]);
});
