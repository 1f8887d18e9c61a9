import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Answer, Interruption } from "@toolweave/core";
import type { AgentResult } from "@toolweave/subagent";
import { ended, resultsIn } from "./support/executor-for.ts";
import type { Order } from "./support/office-process.ts";

const program = fileURLToPath(new URL("./support/office-process.ts", import.meta.url));
const yes: readonly Answer[] = [{ type: "approve", by: "eve" }];

let folder: string;
const processes = new Set<ChildProcess>();
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agents-"));
});
afterEach(() => {
  for (const child of processes) child.kill("SIGKILL");
  processes.clear();
  rmSync(folder, { recursive: true });
});

function started(name: string): ChildProcess {
  const child = fork(program, [folder, name], { execArgv: ["--conditions=@toolweave/source"] });
  processes.add(child);
  return child;
}

async function request(child: ChildProcess, order: Order): Promise<AgentResult> {
  child.send(order);
  const [result] = (await once(child, "message")) as [AgentResult];
  return result;
}

/** The processes and the runs. */
function ran(): string[] {
  return readFileSync(join(folder, "ran"), "utf8").trim().split("\n").sort();
}

async function killed(child: ChildProcess): Promise<void> {
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

// Three processes start one after the other, which is slow on a busy machine.
const slow = { timeout: 120_000 };

describe(
  "an agent whose process was killed while two of its sub-agents waited, three levels down",
  slow,
  () => {
    /** The state of process A when it is killed. */
    async function interrupted() {
      const first = started("A");
      const result = ended(await request(first, {}), "interrupted");
      await killed(first);
      const [a, b] = result.interruptions as readonly [Interruption, Interruption];
      return { result, a, b, second: started("B") };
    }
    const before = ["A: note ada", "A: note begun", "A: note bob"];

    test("is resumed in another one, with each as it is answered, and no tool runs twice", async () => {
      const { result, a, b, second } = await interrupted();
      expect(ran()).toEqual(before);
      const half = ended(
        await request(second, { state: result.state, answers: { [a.id]: yes } }),
        "interrupted",
      );
      expect(half.interruptions).toEqual([b]);
      expect(ran()).toEqual([...before, "B: pay ada 5"]);
      const whole = ended(
        await request(second, { state: half.state, answers: { [b.id]: yes } }),
        "completed",
      );
      expect(ran()).toEqual([...before, "B: pay ada 5", "B: pay bob 5"]);
      expect(whole.messages.map(({ role }) => role)).toEqual([
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
      ]);
      expect(resultsIn(whole)).toEqual([
        "heard: heard: noted ada and paid ada 5",
        "heard: heard: noted bob and paid bob 5",
        "noted begun",
      ]);
      expect(whole.usage).toMatchObject({ turns: 14, toolCalls: 11, inputTokens: 140 });
    });

    test("receives a rejection, keeps the sibling, and accepts other arguments as an answer", async () => {
      const { result, a, b, second } = await interrupted();
      const answers = {
        [a.id]: [{ type: "reject", reason: "no money" }],
        [b.id]: [{ type: "approve", arguments: { to: "bob", amount: 2 } }],
      } as const;
      const whole = ended(await request(second, { state: result.state, answers }), "completed");
      expect(ran()).toEqual([...before, "B: pay bob 2"]);
      expect(resultsIn(whole)[0]).toContain("no money");
      expect(resultsIn(whole)[1]).toContain("paid bob 2");
    });

    test("runs nothing for an answer that arrives twice, in a third process", async () => {
      const { result, a, second } = await interrupted();
      const order = { state: result.state, answers: { [a.id]: yes } };
      ended(await request(second, order), "interrupted");
      await killed(second);
      ended(await request(started("C"), order), "interrupted");
      expect(ran()).toEqual([...before, "B: pay ada 5"]);
    });

    test("EX16: and again while one of them was running is not run once more: its outcome is unknown", async () => {
      const { result, a } = await interrupted();
      const order = { state: result.state, answers: { [a.id]: yes } };
      const dying = started("dies");
      dying.send(order);
      await once(dying, "exit");
      expect(ran()).toEqual([...before, "dies: pay ada 5"]);
      const after = ended(await request(started("C"), order), "interrupted");
      expect(ran()).toEqual([...before, "dies: pay ada 5"]);
      expect(after.interruptions).toHaveLength(1);
      expect(JSON.stringify(after.state.turn[0])).toMatch(/error-text.*its outcome is not known/);
    });

    test("runs nothing that was tampered with", async () => {
      const { result, a, second } = await interrupted();
      const state = JSON.parse(
        JSON.stringify(result.state)
          .replaceAll('\\"to\\":\\"ada\\"', '\\"to\\":\\"eve\\"')
          .replaceAll('"to":"ada"', '"to":"eve"'),
      ) as typeof result.state;
      expect(state).not.toEqual(result.state);
      await request(second, { state, answers: { [a.id]: yes } });
      expect(ran()).toEqual(before);
    });
  },
);
