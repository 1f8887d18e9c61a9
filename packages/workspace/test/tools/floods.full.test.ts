import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { inFullRun } from "@toolweave/test-support";
import { describe, expect, test } from "vitest";
import { ControlGroup } from "../../src/processes/control-group.ts";
import type { FloodReport } from "../support/flooding-process.ts";
import { hasSandbox } from "../support/sandbox-level.ts";

const script = join(import.meta.dirname, "../support/flooding-process.ts");
const floodBytes = inFullRun(10_000_000_000, 200_000_000);
const maxAddedBytes = 32 * 1024 * 1024;
const levels = hasSandbox ? (["none", "bwrap"] as const) : (["none"] as const);
const group = ControlGroup.create({ processes: 10, memoryBytes: 1024 ** 3 });
group?.remove();

async function flood(command: string, sandbox: string, timeoutMs: number): Promise<FloodReport> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--expose-gc",
    "--conditions=@toolweave/source",
    script,
    command,
    `${timeoutMs}`,
    sandbox,
  ]);
  return JSON.parse(stdout) as FloodReport;
}

describe.each(levels)("with the sandbox %s", (sandbox) => {
  test("an output of any length needs little memory", { timeout: 200_000 }, async () => {
    const report = await flood(
      `head -c ${floodBytes} /dev/zero | tr '\\0' '\\n'`,
      sandbox,
      100_000,
    );
    expect(report).toMatchObject({ timedOut: false, exitCode: 0, outputBytes: floodBytes });
    expect(report.addedBytes).toBeLessThan(maxAddedBytes);
  });

  test.each([
    ["a line without end", "tr '\\0' x < /dev/zero"],
    ["an output without end", "yes"],
    ["a signal that is ignored", "trap '' TERM; while :; do sleep 1; done"],
    ["processes in other sessions", "setsid sleep 1000 & (sleep 1000 &); wait; sleep 1000"],
  ])("%s ends with the time that it was given", async (_, command) => {
    const report = await flood(command, sandbox, 300);
    expect(report.timedOut).toBe(true);
    expect(report.addedBytes).toBeLessThan(maxAddedBytes);
  });

  test("a command that waits for an input gets none", async () => {
    expect(await flood("cat; read line || echo none", sandbox, 10_000)).toMatchObject({
      timedOut: false,
      exitCode: 0,
      outputBytes: 5,
    });
  });

  test.runIf(group?.enforced.has("pids") === true)(
    "a fork bomb ends with its command",
    async () => {
      const report = await flood(":(){ :|:& };: ; sleep 1000", sandbox, 500);
      expect(report.timedOut).toBe(true);
      expect(report.addedBytes).toBeLessThan(maxAddedBytes);
    },
  );
});
