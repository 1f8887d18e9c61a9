import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Interruption, ToolOutcome } from "@toolweave/core";
import { inFullRun } from "@toolweave/test-support";
import { startMuseum, type Museum } from "../../src/service.ts";
import type { ScriptOrder } from "./script-process.ts";
import { scriptTasks } from "./script-tasks.ts";

const program = fileURLToPath(new URL("./script-process.ts", import.meta.url));

let folder: string;
let museum: Museum;
const processes = new Set<ChildProcess>();
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "scripts-"));
  museum = await startMuseum();
});
afterEach(async () => {
  for (const child of processes) child.kill("SIGKILL");
  processes.clear();
  await museum.close();
  rmSync(folder, { recursive: true });
});

/** Gives an order to a new process, and kills it as soon as it has answered. */
async function orderAndKill(order: ScriptOrder): Promise<ToolOutcome & { message?: string }> {
  const child = fork(program, [folder, museum.documentUrl], {
    execArgv: ["--conditions=@toolweave/source"],
  });
  processes.add(child);
  const gone = once(child, "exit");
  child.send(order);
  const outcome = await Promise.race([
    once(child, "message").then(([message]) => message as ToolOutcome),
    gone.then(() => Promise.reject(new Error("The process ended without an answer."))),
  ]);
  child.kill("SIGKILL");
  await gone;
  return outcome;
}

function writes(): readonly string[] {
  return museum.requests
    .filter(({ method }) => method !== "GET")
    .map(({ method, url }) => `${method} ${url}`);
}

async function addEvent(startsOn: string): Promise<void> {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ title: "A talk", kind: "talk", startsOn, capacity: 20 });
  const { status } = await fetch(`${museum.url}/events`, { method: "POST", headers, body });
  expect(status).toBe(201);
}

// Several processes start one after the other, which is slow on a busy machine.
const slow = { timeout: 300_000 };

test.each(inFullRun(scriptTasks, scriptTasks.slice(0, 1)))(
  "$name: ends right, although each process is killed",
  slow,
  async (task) => {
    for (const startsOn of task.events ?? []) await addEvent(startsOn);
    const before = writes().length;
    let outcome = await orderAndKill({ script: task.script });
    const asked: string[] = [];
    const seen = new Set<string>();
    while (outcome.status === "interrupted") {
      const interruption: Interruption = outcome.interruption;
      for (const request of interruption.requests) {
        if (request.type === "approval") asked.push(request.call?.name ?? "");
      }
      seen.add(interruption.id);
      outcome = await orderAndKill({ interruption, answers: [{ type: "approve", by: "eve" }] });
    }
    expect(outcome.message).toBeUndefined();
    expect(outcome.result?.value).toEqual(task.result);
    expect(asked).toEqual(task.approvals);
    expect(seen.size).toBe(task.approvals.length);
    // Nothing happened twice, and nothing before it was approved.
    expect(writes().slice(before)).toEqual(task.writes);
  },
);

test("a rejected call ends the script, in another process, too", slow, async () => {
  const [task] = scriptTasks;
  const outcome = await orderAndKill({ script: task?.script ?? "" });
  const interruption = outcome.interruption as Interruption;
  const end = await orderAndKill({ interruption, answers: [{ type: "reject", reason: "No." }] });
  expect(end.error?.code).toBe("approval_rejected");
  expect(writes()).toEqual([]);
});

test("a journal that was changed continues nothing", slow, async () => {
  const [task] = scriptTasks;
  const outcome = await orderAndKill({ script: task?.script ?? "" });
  const interruption = outcome.interruption as Interruption;
  const answers = [{ type: "approve" }] as const;
  const state = `${interruption.state.slice(0, -4)}AAAA`;
  const call = { ...interruption.call, arguments: { script: "delete_event(eventId=1)" } };
  for (const forged of [
    { ...interruption, state },
    { ...interruption, call },
  ]) {
    const end = await orderAndKill({ interruption: forged, answers });
    expect(end.error?.code).toBe("approval_invalid");
  }
  expect(writes()).toEqual([]);
});
