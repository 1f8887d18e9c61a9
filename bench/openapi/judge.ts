import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { documentNames } from "../../packages/openapi/corpus/documents.ts";
import { defaultSeed } from "../../packages/openapi/corpus/oracles/sample-calls.ts";
import { contenders } from "./contenders.ts";

// The generated calls that Prism accepts, ours and three peers', in one run (README.md):
//
// node --conditions=@toolweave/source bench/openapi/judge.ts [--most 50] [--rejections file] [part
// of a document's name…]
const { values, positionals } = parseArgs({
  options: { most: { type: "string" }, rejections: { type: "string" } },
  allowPositionals: true,
});
const most = values.most ?? "50";
/** For the load of a document and all its calls. */
const timeout = 180_000;
const child = fileURLToPath(new URL("judge-child.ts", import.meta.url));
const run = promisify(execFile);

interface Result {
  readonly operations: number;
  readonly tools: number;
  readonly called: number;
  readonly tally: Readonly<Record<"accepted" | "oracles" | "ours" | "notChecked", number>>;
  readonly rejections: readonly string[];
}

interface Sum {
  documents: number;
  operations: number;
  tools: number;
  calls: number;
  accepted: number;
}

const documents = documentNames().filter(
  (name) => positionals.length === 0 || positionals.some((part) => name.includes(part)),
);
const sums = new Map<string, Sum>();
const rejections: Record<string, Record<string, readonly string[]>> = {};
print(["document", "contender", "tools", "operations", "calls", "accepted", "%"]);
for (const document of documents) {
  for (const name of Object.keys(contenders)) {
    const result = await judged(name, document);
    if (typeof result === "string") {
      print([document, name, result]);
      continue;
    }
    const { operations, tools, called, tally } = result;
    const calls = 2 * called;
    // Known faults of the judge are excluded for all contenders alike.
    const accepted = tally.accepted + tally.oracles;
    print([document, name, tools, operations, calls, accepted, percent(accepted, calls)]);
    (rejections[name] ??= {})[document] = result.rejections;
    const sum = sums.get(name) ?? { documents: 0, operations: 0, tools: 0, calls: 0, accepted: 0 };
    sums.set(name, {
      documents: sum.documents + 1,
      operations: sum.operations + operations,
      tools: sum.tools + tools,
      calls: sum.calls + calls,
      accepted: sum.accepted + accepted,
    });
  }
}
print([]);
print(["all", "contender", "tools", "operations", "calls", "accepted", "%"]);
for (const [name, { documents: loaded, operations, tools, calls, accepted }] of sums) {
  const of = `${loaded} of ${documents.length} documents`;
  print([of, name, tools, operations, calls, accepted, percent(accepted, calls)]);
}
if (values.rejections !== undefined) {
  writeFileSync(values.rejections, JSON.stringify(rejections, null, 2));
}

async function judged(name: string, document: string): Promise<Result | string> {
  const options = ["--conditions=@toolweave/source", "--max-old-space-size=3000"];
  const args = [...options, child, name, document, `${defaultSeed()}`, most];
  try {
    const { stdout } = await run(process.execPath, args, {
      timeout,
      killSignal: "SIGKILL",
      maxBuffer: 2 ** 28,
    });
    return JSON.parse(stdout) as Result;
  } catch (error) {
    const { killed, stderr = "" } = error as { killed?: boolean; stderr?: string };
    if (killed === true) return `no end after ${timeout / 1000} s`;
    const said = stderr.split("\n").find((line) => /^\w*Error\b/.test(line)) ?? stderr.trim();
    return `does not load it: ${said.slice(0, 100)}`;
  }
}

function percent(part: number, whole: number): string {
  return whole === 0 ? "" : ((100 * part) / whole).toFixed(1);
}

function print(cells: readonly (string | number)[]): void {
  const widths = [48, 32, 6, 10, 6, 8, 6];
  const line = cells.map((cell, index) => `${cell}`.padEnd(widths[index] ?? 0)).join(" ");
  process.stdout.write(`${line.trimEnd()}\n`);
}
