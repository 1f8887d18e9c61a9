import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { ToolOutcome } from "@toolweave/core";
import { afterAll, describe, expect, it, vi } from "vitest";
import { inFullRun } from "@toolweave/test-support";
import { fragile, lives, pidsIn } from "../support/fragile-source.ts";
import { executorOver, opened } from "../support/open-source.ts";

const host = fileURLToPath(new URL("../support/killed-host.ts", import.meta.url));
const script = fileURLToPath(new URL("../support/fragile-server.ts", import.meta.url));

const rounds = inFullRun(50, 4);

const folder = mkdtempSync(join(tmpdir(), "toolweave-killed-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** The same pseudo-random numbers each time, between 0 and 1. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * Starts a host with three servers, ends it after a number of processes and some time, and returns
 * the files of the process ids.
 */
async function killedHost(
  round: number | string,
  processes: number,
  afterMs = 0,
  signal: NodeJS.Signals = "SIGKILL",
): Promise<readonly string[]> {
  const files = [0, 1, 2].map((index) => join(folder, `${round}-${index}`));
  const child = spawn(
    process.execPath,
    ["--conditions=@toolweave/source", host, script, ...files],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  await once(child.stdout, "data");
  // However long a busy machine takes to start them.
  while (files.flatMap(pidsIn).length < processes) await wait(5);
  await wait(afterMs);
  child.kill(signal);
  await once(child, "exit");
  return files;
}

// On Windows nothing ends the child processes of a killed host.
describe.skipIf(process.platform === "win32")("a host", () => {
  it.each(inFullRun(["SIGINT", "SIGTERM", "SIGHUP"] as const, ["SIGTERM"] as const))(
    "without a handler for %s leaves no process",
    async (signal) => {
      const files = await killedHost(signal, 5, 0, signal);
      const left = (): readonly number[] => files.flatMap(pidsIn).filter(lives);
      await vi.waitFor(() => expect(left()).toEqual([]), { timeout: 60_000, interval: 100 });
    },
    60_000,
  );
});

// On Windows nothing ends the child processes of a killed host.
describe.skipIf(process.platform === "win32")("kill -9", () => {
  it(`of the host, ${rounds} times at any moment, leaves no process`, async () => {
    const random = seeded(7);
    const files: string[] = [];
    // From before the first process until after servers were closed and started again.
    const moments = Array.from({ length: rounds }, () => ({
      processes: Math.floor(random() * 7),
      afterMs: Math.round(random() * 200),
    }));
    for (let round = 0; round < rounds; round += 2) {
      const two = moments
        .slice(round, round + 2)
        .map(({ processes, afterMs }, index) => killedHost(round + index, processes, afterMs));
      files.push(...(await Promise.all(two)).flat());
    }
    const left = (): readonly number[] => files.flatMap(pidsIn).filter(lives);
    await vi.waitFor(() => expect(left()).toEqual([]), { timeout: 60_000, interval: 100 });
    const all = files.flatMap(pidsIn).length;
    process.stdout.write(
      `${rounds} hosts killed: ${all} processes started, ${left().length} left\n`,
    );
    expect(all).toBeGreaterThan(rounds);
  }, 600_000);

  it(`of the server, ${rounds} times at any moment, leaves no call without an end and no process`, async () => {
    const random = seeded(11);
    let kills = 0;
    let calls = 0;
    const outcomes = new Map<string, number>();
    const all: (() => readonly number[])[] = [];
    const perServer = Math.min(10, rounds / 2);
    const one = async (): Promise<void> => {
      const { server, pids } = fragile("children");
      all.push(pids);
      const source = opened(server);
      await source.ready;
      const executor = executorOver(source);
      const over = new AbortController();
      const call = async (name: string): Promise<void> => {
        while (!over.signal.aborted) {
          calls += 1;
          const id = `${calls}`;
          const outcome: ToolOutcome = await executor.execute({ id, name, arguments: {} });
          const code = outcome.status === "failed" ? outcome.error.code : outcome.status;
          outcomes.set(code, (outcomes.get(code) ?? 0) + 1);
          await wait(5);
        }
      };
      const calling = ["echo", "late", "hang"].map(call);
      for (let kill = 0; kill < perServer; kill += 1) {
        await wait(random() * 400);
        const known = pids();
        const latest = known.at(-2) ?? known[0];
        try {
          process.kill(latest as number, "SIGKILL");
          kills += 1;
        } catch {
          // It was already killed, and the next one does not exist yet: the next moment counts.
          kill -= 1;
        }
        if (source.tools()[0]?.availability?.status === "unavailable")
          await source.refresh().catch(() => {});
      }
      over.abort();
      await source.close();
      await Promise.all(calling);
    };
    await Promise.all(Array.from({ length: rounds / perServer }, one));
    const left = (): readonly number[] => all.flatMap((pids) => pids()).filter(lives);
    await vi.waitFor(() => expect(left()).toEqual([]), { timeout: 60_000 });
    const counts = JSON.stringify(Object.fromEntries(outcomes));
    process.stdout.write(
      `${kills} servers killed: ${calls} calls, ${counts}, ${left().length} processes left\n`,
    );
    expect(kills).toBe(rounds);
    expect([...outcomes.values()].reduce((sum, count) => sum + count, 0)).toBe(calls);
    expect([...outcomes.keys()].sort()).toEqual(["completed", "unavailable"]);
  }, 600_000);
});
