import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
  ToolExecutor,
  ToolRegistry,
  toolsSource,
  type JsonObject,
  type JsonValue,
  type ToolSource,
} from "@toolweave/core";
import { describeScripts, scriptTools } from "@toolweave/markdown";
import { mcpSource } from "@toolweave/mcp";
import { openApiSource } from "@toolweave/openapi";
import { museumKey } from "../../examples/museum/src/routes.ts";
import { startMuseum } from "../../examples/museum/src/service.ts";
import { installedVersion, printTable } from "../lib/table.ts";
import { Conversation, type Cost } from "./conversation.ts";
import { startGithub } from "./github-answers.ts";
import type { Task } from "./task.ts";
import { fileTasks, writeFiles } from "./tasks/files.ts";
import { githubTasks } from "./tasks/github.ts";
import { museumTasks } from "./tasks/museum.ts";

// The tokens of tasks with plain calls and with scripts (README.md):
//
// node bench/scripts/tokens.ts [--save]
const document = new URL("../../../shared/specs/github-api-3.0.json", import.meta.url);

/** A source of tools in a fresh state, until it is closed. */
interface Place {
  readonly registry: ToolRegistry;
  close(): Promise<void>;
}

const places: Readonly<Record<Task["source"], () => Promise<Place>>> = {
  museum: async () => {
    const museum = await startMuseum();
    const kinds = ["tour", "talk", "workshop", "concert", "exhibition"];
    for (let n = 0; n < 40; n++) {
      const day = `2027-${String(5 + (n % 5)).padStart(2, "0")}-${String(1 + ((n * 11) % 27)).padStart(2, "0")}`;
      const body = {
        title: `${kinds[n % 5]} no. ${n + 1} of the season`,
        kind: kinds[n % 5],
        startsOn: day,
        endsOn: day,
        room: `Room ${1 + (n % 8)}`,
        capacity: 8 + ((n * 7) % 60),
        priceCents: 500 + ((n * 130) % 2500),
        tags: n % 4 === 0 ? ["family", "season"] : ["season"],
      };
      const headers = { "content-type": "application/json" };
      const { status } = await fetch(`${museum.url}/events`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      if (status !== 201) throw new Error(`The museum answers ${status}.`);
    }
    const source = openApiSource.fromUrl(museum.documentUrl, { auth: { apiKey: museumKey } });
    return opened(source, () => museum.close());
  },
  github: async () => {
    const server = await startGithub();
    const source = openApiSource.fromFile(document, {
      id: "github",
      baseUrl: server.url,
      allowOrigins: [server.url],
    });
    return opened(source, async () => server.close());
  },
  files: async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "bench-scripts-")));
    writeFiles(root);
    const main = join(
      import.meta.dirname,
      "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js",
    );
    const source = mcpSource({
      name: "files",
      command: process.execPath,
      args: [main, root],
      cwd: root,
    });
    return opened(source, async () => rmSync(root, { recursive: true }));
  },
};

async function opened(source: ToolSource, close: () => Promise<void>): Promise<Place> {
  const registry = new ToolRegistry([source, toolsSource("scripts", scriptTools())]);
  await registry.ready;
  return {
    registry,
    close: async () => {
      await registry.close();
      await close();
    },
  };
}

/** An executor whose person approves everything at once: approvals cost no tokens. */
function approvingExecutor(registry: ToolRegistry): ToolExecutor {
  return new ToolExecutor({ registry, policy: "supervised", onAsk: () => ({ approved: true }) });
}

const isScript = (name: string): boolean => name === "run_script" || name === "describe_functions";

function definition(registry: ToolRegistry, name: string): JsonObject {
  const spec = registry.toolset().get(name)?.spec;
  if (spec === undefined) throw new Error(`There is no tool ${name}.`);
  const description =
    name === "run_script" ? describeScripts(registry.toolset()) : spec.description;
  return { name, description, inputSchema: spec.inputSchema as JsonObject };
}

/** The cost of a plan in a fresh place, and its answer. */
async function measure(
  task: Task,
  plan: "plain" | "scripts",
): Promise<{ cost: Cost; answer: JsonValue }> {
  const place = await places[task.source]();
  try {
    const { registry } = place;
    const executor = approvingExecutor(registry);
    const used = new Set<string>();
    if (plan === "plain") {
      // Run once for the names, so that only the tools that it calls are listed.
      const dry = new Conversation(executor, [], "");
      await task.plain((...calls) => {
        for (const [name] of calls) used.add(name);
        return dry.turn(...calls);
      });
      await place.close();
      return await measurePlain(task, used);
    }
    const tools = ["run_script", "describe_functions"].map((name) => definition(registry, name));
    const conversation = new Conversation(executor, tools, task.prompt);
    if (task.describe !== undefined)
      await conversation.turn(["describe_functions", { names: [...task.describe] }]);
    let answer: JsonValue = null;
    for (const script of task.scripts)
      [answer = null] = await conversation.turn(["run_script", { script }]);
    return { cost: conversation.end(answer), answer };
  } finally {
    await place.close().catch(() => undefined);
  }
}

async function measurePlain(
  task: Task,
  used: ReadonlySet<string>,
): Promise<{ cost: Cost; answer: JsonValue }> {
  const { registry, close } = await places[task.source]();
  try {
    const executor = approvingExecutor(registry);
    const tools = [...used]
      .filter((name) => !isScript(name))
      .map((name) => definition(registry, name));
    const conversation = new Conversation(executor, tools, task.prompt);
    const answer = await task.plain((...calls) => conversation.turn(...calls));
    return { cost: conversation.end(answer), answer };
  } finally {
    await close();
  }
}

const percent = (part: number, whole: number): string => `${Math.round((100 * part) / whole)} %`;
const rows: string[][] = [];
const sums = { plainNew: 0, scriptNew: 0, plainContext: 0, scriptContext: 0 };
for (const task of [...museumTasks, ...githubTasks, ...fileTasks]) {
  const plain = await measure(task, "plain");
  const scripts = await measure(task, "scripts");
  if (
    !isDeepStrictEqual(
      JSON.parse(JSON.stringify(plain.answer)),
      JSON.parse(JSON.stringify(scripts.answer)),
    )
  )
    throw new Error(
      `${task.name}: ${JSON.stringify(plain.answer)} and ${JSON.stringify(scripts.answer)} differ.`,
    );
  sums.plainNew += plain.cost.newTokens;
  sums.scriptNew += scripts.cost.newTokens;
  sums.plainContext += plain.cost.contextTokens;
  sums.scriptContext += scripts.cost.contextTokens;
  rows.push([
    task.source,
    `${task.name}${task.asks === true ? " (approvals)" : ""}`,
    `${plain.cost.calls}`,
    `${plain.cost.newTokens}`,
    `${scripts.cost.newTokens}`,
    percent(scripts.cost.newTokens, plain.cost.newTokens),
    `${plain.cost.contextTokens}`,
    `${scripts.cost.contextTokens}`,
    percent(scripts.cost.contextTokens, plain.cost.contextTokens),
  ]);
}
rows.push([
  "all",
  `${rows.length} tasks`,
  "",
  `${sums.plainNew}`,
  `${sums.scriptNew}`,
  percent(sums.scriptNew, sums.plainNew),
  `${sums.plainContext}`,
  `${sums.scriptContext}`,
  percent(sums.scriptContext, sums.plainContext),
]);
const few = (column: number): string => {
  const tasks = rows.slice(0, -1);
  const count = tasks.filter((row) => Number.parseInt(row[column] ?? "", 10) <= 25).length;
  return `${count} of ${tasks.length}`;
};
rows.push(["all", "tasks at 25 % or less", "", "", "", few(5), "", "", few(8)]);
printTable("scripts", {
  title: "Scripts of a model in place of single calls",
  page: "bench/scripts/README.md",
  meaning:
    "The tokens (o200k) of the same tasks with plain calls and with `run_script`. New: everything that is written or read once. Context: everything that the model reads in all turns together, with the definitions of its tools. Lower is better.",
  versions: {
    "gpt-tokenizer": installedVersion("scripts", "gpt-tokenizer"),
    "@modelcontextprotocol/server-filesystem": installedVersion(
      "scripts",
      "@modelcontextprotocol/server-filesystem",
    ),
  },
  columns: [
    "source",
    "task",
    "plain calls",
    "new, plain",
    "new, scripts",
    "new",
    "context, plain",
    "context, scripts",
    "context",
  ],
  rows,
});
process.exit(0);
