import { parseArgs } from "node:util";
import { installedVersion, printTable } from "../lib/table.ts";
import { checkBuild } from "./consoles/studio.ts";
import { measureFirstLoad } from "./parts/first-load.ts";
import { measureInstall } from "./parts/install.ts";
import { measureLive } from "./parts/live.ts";
import { measureManyTools } from "./parts/many-tools.ts";
import { measureServer } from "./parts/server.ts";
import { measureSpans } from "./parts/spans.ts";
import { killProcesses } from "./processes.ts";
import { columns, toCells, type Row } from "./report.ts";

const help = `Compares toolweave studio with MCP Inspector (README.md).

node bench/studio/measure.ts [--only PART] [--json] [--save]

--only PART  load, install, tools, spans, live or server; may be repeated
--json       prints the results as JSON
--save       saves the results for docs/reference/performance.md
--help       prints this text
`;

const parts: Readonly<Record<string, () => Promise<readonly Row[]> | readonly Row[]>> = {
  load: measureFirstLoad,
  install: measureInstall,
  tools: measureManyTools,
  spans: measureSpans,
  live: measureLive,
  server: measureServer,
};
/** All of it takes less; a browser that hangs does not keep the command from its end. */
const deadlineMs = 20 * 60_000;

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    json: { type: "boolean" },
    save: { type: "boolean" },
    help: { type: "boolean" },
  },
});

if (values.help === true) process.stdout.write(help);
else await measure();

async function measure(): Promise<void> {
  const chosen = values.only ?? Object.keys(parts);
  const unknown = chosen.find((name) => !(name in parts));
  if (unknown !== undefined) throw new Error(`--only ${unknown}: ${Object.keys(parts).join(", ")}`);
  checkBuild();
  process.once("exit", killProcesses);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  const deadline = setTimeout(() => {
    process.stderr.write("The benchmark has not ended within 20 minutes.\n");
    process.exit(1);
  }, deadlineMs);
  const rows: Row[] = [];
  for (const name of chosen) {
    process.stderr.write(`${name} …\n`);
    rows.push(...((await parts[name]?.()) ?? []));
  }
  clearTimeout(deadline);
  printTable("studio", {
    title: "Toolweave Studio",
    page: "bench/studio/README.md",
    meaning:
      "The page and the server of `toolweave studio`, with its goals, beside MCP Inspector on the same machine, with the same MCP servers and in the same browser. Lower is better.",
    versions: {
      "@modelcontextprotocol/inspector": installedVersion(
        "studio",
        "@modelcontextprotocol/inspector",
      ),
    },
    columns,
    rows: rows.map(toCells),
  });
}
