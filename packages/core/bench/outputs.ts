// The model's view of outputs that are not short texts, and the peak memory of each, in a fresh
// process each, above that of a process that has called a tool with a short answer.
import { spawnSync } from "node:child_process";
import { defineTool, ToolExecutor, ToolRegistry } from "@toolweave/core";

/**
 * Created within the call, so that it counts: the data that the tool itself holds is part of the
 * peak.
 */
const cases: Readonly<Record<string, () => unknown>> = {
  "a short text": () => "hello",
  "5 MB of text": () => "The quick brown fox jumps over the lazy dog.\n".repeat(5_000_000 / 45),
  "20 MB of bytes": () => new Uint8Array(20_000_000).map((_, index) => index * 7),
  "20 MB of bytes as a stream": () =>
    new Response(
      ReadableStream.from(
        (function* () {
          for (let done = 0; done < 20_000_000; done += 65_536)
            yield new Uint8Array(65_536).fill(7);
        })(),
      ),
      { headers: { "content-type": "application/zip" } },
    ),
  "100,000 rows of JSON": () =>
    Array.from({ length: 100_000 }, (_, id) => ({ id, name: `row ${id}`, tags: ["a", "b"] })),
  "10,000,000 items": () => Array.from({ length: 10_000_000 }, (_, index) => index),
  "500 MB of text": () => "x".repeat(500_000_000),
  "a stream that never ends": () => ({
    async *[Symbol.asyncIterator]() {
      for (;;) yield "one more line\n";
    },
  }),
  "a stream that stalls, 200 ms": () =>
    new ReadableStream({ start: (controller) => controller.enqueue("so far") }),
  "a cycle": () => {
    const cycle: Record<string, unknown> = { name: "me" };
    cycle["me"] = cycle;
    return cycle;
  },
  "objects linked 60 deep": () => {
    let at: unknown = 1;
    for (let level = 0; level < 60; level++) at = { a: at, b: at };
    return at;
  },
  "a bigint": () => 12345678901234567890n,
  undefined: () => undefined,
  "a thrown text": () => {
    // oxlint-disable-next-line no-throw-literal -- that is what this is about
    throw "no disk left";
  },
};

const [, , name] = process.argv;
if (name === undefined) {
  const first = Object.keys(cases)[0] as string;
  const base = measure(first);
  for (const each of Object.keys(cases)) {
    const { mib, ms, seen } = each === first ? base : measure(each);
    const over = (mib - base.mib).toFixed(0).padStart(5);
    console.log(`\n${each}: ${over} MiB over ${base.mib.toFixed(0)}, ${ms.toFixed(0)} ms\n${seen}`);
  }
} else {
  const work = cases[name] as () => unknown;
  const executor = new ToolExecutor({
    registry: new ToolRegistry([
      defineTool({
        name: "t",
        description: "Answer.",
        input: { type: "object" },
        timeoutMs: name.endsWith("200 ms") ? 200 : 30_000,
        execute: () => work() as never,
      }),
    ]),
  });
  const start = performance.now();
  const outcome = await executor.execute({ id: "call", name: "t", arguments: {} });
  const ms = performance.now() - start;
  const mib = process.resourceUsage().maxRSS / 1024;
  const content = outcome.status === "interrupted" ? [] : outcome.result.content;
  const all = JSON.stringify(content);
  const seen = `${outcome.status}, ${Buffer.byteLength(all)} bytes of content: ${all.slice(0, 300)}`;
  console.log(JSON.stringify({ mib, ms, seen }));
}

function measure(each: string): { mib: number; ms: number; seen: string } {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [...process.execArgv, import.meta.filename, each],
    { encoding: "utf8", timeout: 120_000 },
  );
  if (stdout === "") throw new Error(`${each}: ${stderr}`);
  return JSON.parse(stdout) as { mib: number; ms: number; seen: string };
}
