import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { mcpSource } from "@toolweave/mcp";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { installedVersion, median, printTable, spread } from "../lib/table.ts";
import { inSession } from "./calls/in-session.ts";

// The time from nothing to the list of a server's tools over stdio, with its process, beside the SDK's first line
// (README.md):
//
// node bench/mcp/connect.ts [--rounds 31] [--save]
const { values } = parseArgs({
  options: { rounds: { type: "string" }, save: { type: "boolean" } },
});
const rounds = Number(values.rounds ?? 31);
const warmUps = 3;

const command = process.execPath;
const args = [join(import.meta.dirname, "calls/stdio-server.ts")];

const contenders: Readonly<Record<string, () => Promise<() => Promise<void>>>> = {
  "sdk v1": async () => {
    const client = new Client({ name: "bench", version: "1" });
    await client.connect(new StdioClientTransport(inSession(args)));
    const { tools } = await client.listTools();
    if (tools.length !== 1) throw new Error(`${tools.length} tools were listed`);
    return () => client.close();
  },
  toolweave: async () => {
    const source = mcpSource({ name: "echo", command, args });
    await source.ready;
    if (source.tools().length !== 1) throw new Error(`${source.tools().length} tools were listed`);
    return () => source.close();
  },
};

interface Cost {
  readonly wall: number;
  readonly cpu: number;
}

const taken = new Map<string, Cost[]>(Object.keys(contenders).map((name) => [name, []]));
for (let round = -warmUps; round < rounds; round++) {
  for (const [name, connect] of Object.entries(contenders)) {
    const cpu = process.cpuUsage();
    const start = performance.now();
    const close = await connect();
    const wall = performance.now() - start;
    const { user, system } = process.cpuUsage(cpu);
    await close();
    if (round >= 0) taken.get(name)?.push({ wall, cpu: (user + system) / 1000 });
  }
}

const bare = taken.get("sdk v1") ?? [];
printTable("mcp-connect", {
  title: "Connecting to an MCP server over stdio",
  page: "bench/mcp/README.md",
  meaning: `The time from nothing to the list of the tools, with the start of the server's process, and how many times as long as with the SDK 1.x that is: lower is faster. The CPU is that of the client. The median of ${rounds} rounds, with the lowest and highest.`,
  versions: { "@modelcontextprotocol/sdk": installedVersion("mcp", "@modelcontextprotocol/sdk") },
  columns: ["client", "ms", "× time", "CPU ms", "× CPU"],
  rows: [...taken].map(([name, costs]) => {
    const ratios = costs.map(({ wall }, index) => wall / (bare[index]?.wall ?? Number.NaN));
    const ofCpu = costs.map(({ cpu }, index) => cpu / (bare[index]?.cpu ?? Number.NaN));
    return [
      name,
      median(costs.map(({ wall }) => wall)).toFixed(0),
      spread(ratios),
      median(costs.map(({ cpu }) => cpu)).toFixed(1),
      median(ofCpu).toFixed(2),
    ];
  }),
});
process.exit(0);
