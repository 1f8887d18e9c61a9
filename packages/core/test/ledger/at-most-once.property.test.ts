import { settled } from "@toolweave/test-support/fake-clock";
import fc from "fast-check";
import { expect, test } from "vitest";
import { inFullRun } from "@toolweave/test-support";
import { suspend, type Interruption, type ToolExecutor, type ToolOutcome } from "@toolweave/core";
import { memoryLedger, memoryPendingCalls } from "@toolweave/core/stores";
import { executorFor, tool } from "../support/executor-for.ts";
import { key } from "../support/pending-call-stores.ts";

const calls = ["1", "2", "3"] as const;

type Step =
  | { readonly do: "make"; readonly call: (typeof calls)[number]; readonly process: number }
  | { readonly do: "finish"; readonly effect: number; readonly fails: boolean }
  | { readonly do: "crash"; readonly process: number }
  | { readonly do: "resume"; readonly call: (typeof calls)[number]; readonly process: number };

const process = fc.nat({ max: 2 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("make" as const),
      call: fc.constantFrom(...calls),
      process,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("finish" as const),
      effect: fc.nat({ max: 9 }),
      fails: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("crash" as const), process }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("resume" as const),
      call: fc.constantFrom(...calls),
      process,
    }),
  },
);

interface Process {
  readonly identity: object;
  readonly executor: ToolExecutor;
}

/** Three processes that make the calls of one run, with tools that end when a step says so. */
class World {
  readonly #stores = { key, ledger: memoryLedger(), pendingCalls: memoryPendingCalls() };
  /** The starts of each tool, before and after its question. */
  readonly effects: string[] = [];
  readonly #running: { readonly process: object; readonly end: (fails: boolean) => void }[] = [];
  readonly #received = new Map<string, Set<string>>();
  readonly #interruptions = new Map<string, Interruption>();
  #processes = [this.#start(), this.#start(), this.#start()];

  async take(next: Step): Promise<void> {
    if (next.do === "crash") {
      // What it runs never ends, and nothing that it would write arrives.
      const crashed = this.#processes[next.process];
      for (const running of this.#running.splice(0)) {
        if (running.process !== crashed?.identity) this.#running.push(running);
      }
      this.#processes[next.process] = this.#start();
    } else if (next.do === "finish") {
      const [running] = this.#running.splice(next.effect % Math.max(1, this.#running.length), 1);
      running?.end(next.fails);
    } else if (next.do === "make") {
      const { executor } = this.#processes[next.process] as Process;
      const run = executor.startRun({ id: "run", durable: true });
      const name = next.call === "3" ? "ask" : "pay";
      void run
        .execute({ id: next.call, name, arguments: {} })
        .then((outcome) => this.#tell(next.call, outcome));
    } else {
      const { executor } = this.#processes[next.process] as Process;
      const interruption = this.#interruptions.get(next.call);
      if (interruption === undefined) return;
      const answers = [{ type: "input", value: 1 }] as const;
      void executor.resume(interruption, answers).then((outcome) => this.#tell(next.call, outcome));
    }
    for (let turn = 0; turn < 12; turn++) await settled();
  }

  /** The effects that happened twice, and the calls with several outcomes. */
  get violations(): readonly string[] {
    const repeated = this.effects.filter((effect, at) => this.effects.indexOf(effect) !== at);
    const changed = [...this.#received].filter(([, outcomes]) => outcomes.size > 1);
    return [...repeated, ...changed.map(([id]) => `outcome of ${id}`)];
  }

  #tell(call: string, outcome: ToolOutcome): void {
    if (outcome.status === "interrupted") {
      this.#interruptions.set(call, outcome.interruption);
      return;
    }
    const code = outcome.error?.code;
    if (code === "outcome_unknown" || code === "approval_invalid") return;
    const received = this.#received.get(call) ?? new Set();
    this.#received.set(call, received.add(JSON.stringify(outcome)));
  }

  #start(): Process {
    const identity = {};
    const effect = (name: string): Promise<string> => {
      this.effects.push(name);
      return new Promise((resolve, reject) => {
        const end = (fails: boolean): void => (fails ? reject(new Error(name)) : resolve(name));
        this.#running.push({ process: identity, end });
      });
    };
    const pay = tool("pay", (_, { callId }) => effect(`pay ${callId}`));
    const ask = tool("ask", async (_, { callId, resumed }) => {
      if (resumed !== undefined) return effect(`answered ${callId}`);
      await effect(`ask ${callId}`);
      return suspend([{ id: "q", type: "input", message: "?" }], null);
    });
    return { identity, executor: executorFor([pay, ask], this.#stores) };
  }
}

test("in any order of calls, crashes and answers, each effect happens at most once, and each outcome stays", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const world = new World();
      for (const next of steps) await world.take(next);
      expect(world.violations).toEqual([]);
    }),
    { numRuns: inFullRun(2000, 60) },
  );
});
