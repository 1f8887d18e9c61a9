import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import type { Manifest, SlowCall } from "../../src/index.ts";
import { toolsManifest } from "../fixtures/index.ts";
import { withInvoke } from "./mutant.ts";

/** Marks that it runs, and lets a process of its own write to the log after a third of a second. */
const script = ': > "$1"; (sleep 0.3; echo late >> "$0") & wait';

const folders: string[] = [];

/** Removes the logs of all orphans, after the tests. */
export function removeLogs(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

/** A command of which only the first process is stopped, as `execFile` does with its `signal`. */
export function orphanManifest(): Manifest {
  const folder = mkdtempSync(join(tmpdir(), "toolweave-orphan-"));
  folders.push(folder);
  const log = join(folder, "log");
  const running = new Set<string>();
  let calls = 0;
  const slowCall: Partial<SlowCall> = {
    count: () => (existsSync(log) ? readFileSync(log, "utf8").split("\n").length - 1 : 0),
    effectMs: 500,
    started: async () => {
      while (Array.from(running).some((marker) => !existsSync(marker))) await delay(5);
    },
  };
  return withSlowCall(slowCall, (tools) =>
    withInvoke(tools, "log_slowly", async (_, { signal }) => {
      const marker = `${log}.${++calls}`;
      running.add(marker);
      try {
        await promisify(execFile)("sh", ["-c", script, log, marker], { signal });
        return "logged";
      } finally {
        running.delete(marker);
      }
    }),
  );
}

/** The healthy tools, changed, with other members of the slow call that has an effect. */
export function withSlowCall(
  changes: Partial<SlowCall>,
  change?: Parameters<typeof toolsManifest>[0],
): Manifest {
  const manifest = toolsManifest(change);
  const slowCalls = manifest.samples?.slowCalls?.map((call) =>
    call.tool === "log_slowly" ? { ...call, ...changes } : call,
  );
  return { ...manifest, samples: { ...manifest.samples, ...(slowCalls && { slowCalls }) } };
}
