import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { ToolOutcome } from "@toolweave/core";
import { expect, it, onTestFinished } from "vitest";
import { executorOver, opened } from "../support/open-source.ts";

const host = fileURLToPath(new URL("../support/killed-gateway.ts", import.meta.url));
const script = fileURLToPath(new URL("../support/ledger-server.ts", import.meta.url));

/** The number of kills of the gateway: more with `TOOLWEAVE_KILLS=300`. */
const kills = Number(process.env["TOOLWEAVE_KILLS"] ?? 3);

/**
 * No more rounds are started after this number of minutes: a slow machine does fewer, and reports
 * the number.
 */
const maxMinutes = Number(process.env["TOOLWEAVE_KILLS_MINUTES"] ?? Infinity);

/** The number of simultaneous calls. */
const callers = 4;

/** The same pseudo-random numbers each time, between 0 and 1. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The point at which the server behind the gateway exits, in some of the calls. */
const ends = ["before", "after", "midst"];
const outcomesPerSeed = 24;

const isDone = (outcome: ToolOutcome): boolean =>
  outcome.status === "completed" && !outcome.result.isError;

function readText(outcome: ToolOutcome): string {
  if (outcome.status === "interrupted") throw new Error("no person is asked here");
  const blocks = outcome.result.content.map((block) => (block.type === "text" ? block.text : ""));
  return `${blocks.join(" ")} ${outcome.error?.message ?? ""}`;
}

// On Windows nothing ends the child processes of a killed gateway.
it.skipIf(process.platform === "win32")(
  `kill -9 of a gateway over HTTP, ${kills} times at any moment, while the server behind it exits at any point of a call: each call runs at most once, and the error says when it may have run`,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "toolweave-killed-gateway-"));
    const ledger = join(folder, "ledger");
    const random = seeded(23);
    const children = new Set<ChildProcess>();
    onTestFinished(() => {
      for (const child of children) child.kill("SIGKILL");
      rmSync(folder, { recursive: true });
    });
    let made = 0;
    /** The next one, which loads while this one works. */
    const spare = (): ChildProcess => {
      const generation = (made += 1) % 2 === 0 ? "legacy" : "modern";
      const child = fork(host, [script, ledger, generation], {
        execArgv: ["--conditions=@toolweave/source"],
        // Each is the same program: it is compiled once.
        env: { ...process.env, NODE_COMPILE_CACHE: join(folder, "compiled") },
      });
      children.add(child);
      return child;
    };
    const begin = async (child: ChildProcess, port: number): Promise<string> => {
      const begun = once(child, "message");
      child.send(port);
      const [url] = (await begun) as [string];
      return url;
    };

    let gateway = spare();
    let next = spare();
    const url = await begin(gateway, 0);
    const port = Number(new URL(url).port);
    const source = opened({ name: "gateway", url, prefix: false });
    await source.ready;
    const executor = executorOver(source);
    const outcomes = new Map<string, ToolOutcome>();
    let begun = 0;
    const progress = { done: 0, isOver: false };
    /** While the gateway is down, at most one call of each caller fails. */
    let back: Promise<unknown> = Promise.resolve();
    const call = async (): Promise<void> => {
      while (!progress.isOver) {
        const id = `call-${(begun += 1)}`;
        const how = ends[Math.floor(random() * outcomesPerSeed)];
        const args = how === undefined ? { id } : { id, ends: how };
        const outcome = await executor.execute({ id, name: "write", arguments: args });
        outcomes.set(id, outcome);
        if (isDone(outcome)) progress.done += 1;
        else await Promise.all([back, wait(10)]);
      }
    };
    const calling = Array.from({ length: callers }, call);
    let killedCount = 0;
    const startedAt = performance.now();
    const isLate = (): boolean => performance.now() - startedAt > maxMinutes * 60_000;
    for (let round = 1; round <= kills && !isLate(); round += 1) {
      // In this life calls are completed, and then it is killed at some point of later ones.
      const until = progress.done + 1 + Math.floor(random() * 3 * callers);
      while (progress.done < until) await wait(1);
      await wait(random() * 10);
      const killed = gateway;
      killed.kill("SIGKILL");
      killedCount += 1;
      gateway = next;
      back = once(killed, "exit").then(() => begin(gateway, port));
      await back;
      children.delete(killed);
      if (round < kills) next = spare();
    }
    progress.isOver = true;
    await Promise.all(calling);

    const runs = new Map<string, number>();
    for (const id of readFileSync(ledger, "utf8").split("\n").filter(Boolean)) {
      runs.set(id, (runs.get(id) ?? 0) + 1);
    }
    const faults: string[] = [];
    const counts = { completed: 0, mayHaveRun: 0, ranOfThose: 0, notRun: 0 };
    for (const [id, outcome] of outcomes) {
      const ran = runs.get(id) ?? 0;
      const said = readText(outcome);
      const mayHaveRun = /may have (run|been carried out)/.test(said);
      if (isDone(outcome)) counts.completed += 1;
      else if (mayHaveRun) counts.mayHaveRun += 1;
      else counts.notRun += 1;
      if (mayHaveRun && ran === 1) counts.ranOfThose += 1;
      if (ran > 1 || (isDone(outcome) ? ran !== 1 : ran > 0 && !mayHaveRun)) {
        faults.push(`${id} ran ${ran} times: ${said}`);
      }
    }
    process.stdout.write(
      `${killedCount} gateways killed: ${outcomes.size} calls, ${JSON.stringify(counts)}, ${faults.length} faults\n`,
    );
    expect(faults).toEqual([]);
    expect(counts.completed).toBeGreaterThan(0);
    expect(counts.ranOfThose).toBeGreaterThan(0);
  },
  60_000 + kills * 20_000,
);
