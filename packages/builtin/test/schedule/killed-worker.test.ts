import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineTool } from "@toolweave/core";
import { specHashOf } from "@toolweave/core/adapter";
import { sqliteStore } from "@toolweave/stores";
import { compileCache, inFullRun } from "@toolweave/test-support";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { expect, onTestFinished, test } from "vitest";

const worker = fileURLToPath(new URL("support/working-process.ts", import.meta.url));
const kills = inFullRun(500, 6);
const workersAtOnce = 2;

/** The same tool as that of the process. */
const tool = defineTool({
  name: "note",
  description: "Note the call.",
  input: { type: "object", properties: {}, additionalProperties: false },
  execute: () => "noted",
});

const readLines = (path: string): string[] =>
  existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

test(
  "workers that are killed run no slot twice, and the jobs continue",
  { timeout: 1_200_000 },
  async () => {
    const folder = tempFolder();
    const database = join(folder, "store.sqlite");
    const lines = join(folder, "lines");
    const store = sqliteStore({ path: database, leaseMs: 200 });
    onTestFinished(() => store.close());
    const now = Date.now();
    const specHash = await specHashOf(tool);
    const ids = ["a", "b", "c"];
    for (const id of ids) {
      const schedule = { everyMs: 20, from: now } as const;
      const job = { id, owner: "o", schedule, tool: "note", arguments: {}, specHash } as const;
      await store.schedules.add({ ...job, missed: "once", createdAt: now }, now);
    }
    for (let round = 0; round < kills; round += workersAtOnce) {
      const before = readLines(lines).length;
      const processes = Array.from({ length: workersAtOnce }, () =>
        spawn(process.execPath, ["--conditions=@toolweave/source", worker, database, lines], {
          stdio: ["ignore", "pipe", "inherit"],
          env: { ...process.env, ...compileCache },
        }),
      );
      await Promise.all(processes.map(({ stdout }) => once(stdout, "data")));
      // In the middle of the work, a little later each time.
      await until(() => readLines(lines).length > before + (round % 7));
      for (const one of processes) one.kill("SIGKILL");
      await Promise.all(processes.map((one) => once(one, "exit")));
    }
    const noted = readLines(lines);
    expect(new Set(noted).size).toBe(noted.length);
    const jobs = await store.schedules.list("o");
    const taken = jobs.reduce((sum, { runs }) => sum + runs, 0);
    // A worker that is killed loses at most the slots that it had taken: one of each job.
    expect(taken).toBeGreaterThanOrEqual(noted.length);
    expect(taken - noted.length).toBeLessThanOrEqual(kills * ids.length);
    for (const { nextAt, id } of jobs) {
      expect(nextAt).toBeGreaterThan(now);
      expect(noted.some((callId) => callId.startsWith(`${id}:`))).toBe(true);
    }
  },
);
