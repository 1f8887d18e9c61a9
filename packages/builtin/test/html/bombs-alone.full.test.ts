import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { bombs } from "./support/bombs.ts";

/** MiB that a conversion may take beside the page itself. */
const maxMemory = 64;
/** Milliseconds of the processor on an idle machine. */
const goalMs = 250;

interface Converted {
  readonly ms: number;
  readonly length: number;
}

/** Converts a bomb in a thread of its own, which ends if it takes more memory. */
async function convert(name: string, pageMiB: number): Promise<Converted> {
  const worker = new Worker(new URL("support/bomb-worker.ts", import.meta.url), {
    workerData: name,
    execArgv: ["--conditions=@toolweave/source"],
    resourceLimits: { maxOldGenerationSizeMb: maxMemory + pageMiB, maxYoungGenerationSizeMb: 8 },
  });
  try {
    const [answer] = (await once(worker, "message")) as [Converted];
    return answer;
  } finally {
    await worker.terminate();
  }
}

const times: string[] = [];

test.each(Object.keys(bombs))(
  "%s is converted within 64 MiB",
  { timeout: 120_000 },
  async (name) => {
    // A text has one byte for each character here, and is there twice: its pieces, and as a whole.
    const pageMiB = Math.ceil(((bombs[name]?.().length ?? 0) * 2) / 1_048_576);
    const { ms, length } = await convert(name, pageMiB);
    times.push(`${ms.toFixed(0)} ms ${name}`);
    expect(length).toBeLessThanOrEqual(4 * 1_048_576);
  },
);

test("the times of the processor are reported", () => {
  const sorted = times.toSorted((a, b) => Number.parseFloat(b) - Number.parseFloat(a));
  const slower = sorted.filter((line) => Number.parseFloat(line) > goalMs).length;
  process.stdout.write(
    `bombs: ${times.length}, ${slower} over ${goalMs} ms; the slowest: ${sorted.slice(0, 3).join(", ")}\n`,
  );
  expect(times.length).toBe(Object.keys(bombs).length);
});
