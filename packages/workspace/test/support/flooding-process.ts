// Runs a command, and measures its duration and the memory that this process needed more for it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { workspaceTools, type SandboxChoice } from "../../src/index.ts";

/** The answer of the process. */
export interface FloodReport {
  readonly durationMs: number;
  readonly addedBytes: number;
  readonly timedOut: boolean;
  readonly exitCode: number | null;
  readonly outputBytes: number;
  /** The longest time for which nothing else of the process ran. */
  readonly blockedMs: number;
}

const [, , command = "", timeout = "1000", sandbox = "none"] = process.argv;
const root = mkdtempSync(join(tmpdir(), "toolweave-flood-"));
const registry = new ToolRegistry([
  workspaceTools({ root, sandbox: sandbox as SandboxChoice, limits: { processes: 100 } }),
]);
const executor = new ToolExecutor({ registry, policy: "autonomous" });
const call = (id: string, text: string, timeoutMs: number) =>
  executor.execute({ id, name: "bash", arguments: { command: text, timeout_ms: timeoutMs } });
// Code is compiled, and buffers have their usual size.
await call("1", "head -c 20000000 /dev/zero", 60_000);
globalThis.gc?.();
const before = process.memoryUsage.rss();
let highest = before;
let blockedMs = 0;
let last = performance.now();
const timer = setInterval(() => {
  highest = Math.max(highest, process.memoryUsage.rss());
  const now = performance.now();
  blockedMs = Math.max(blockedMs, now - last - 20);
  last = now;
}, 20);
const started = performance.now();
const outcome = await call("2", command, Number(timeout));
const durationMs = performance.now() - started;
clearInterval(timer);
const { timedOut, exitCode, outputBytes } = (outcome.result?.value ?? {}) as unknown as FloodReport;
const report: FloodReport = {
  durationMs,
  addedBytes: highest - before,
  timedOut,
  exitCode,
  outputBytes,
  blockedMs,
};
await registry.close();
rmSync(root, { recursive: true });
console.log(JSON.stringify(report));
