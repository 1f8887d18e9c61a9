import { run, RunState } from "@openai/agents-core";
import { memoryPendingCalls } from "@toolweave/core/stores";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { agentTools, waitingCalls } from "../src/index.ts";
import { call, say, scripted, textsRead } from "./support/agents.ts";
import { key, museum } from "./support/museum.ts";

type Decision = "approve" | "reject" | "later";

/** One call of the model; decisions are a person's, each time that they are asked about it. */
interface Planned {
  readonly tool: "remove" | "look";
  readonly decisions: readonly Decision[];
}

const planned = fc.record<Planned>({
  tool: fc.constantFrom("remove", "remove", "look"),
  decisions: fc.array(fc.constantFrom<Decision>("approve", "reject", "later"), { maxLength: 3 }),
});

/** The person's final decision on a call, however often it was postponed. */
function verdict({ decisions }: Planned): Decision {
  return decisions.find((decision) => decision !== "later") ?? "approve";
}

describe("any conversation, any decisions, and any moves to another process", () => {
  it("runs approved calls once and nothing else, and returns the model a result of every call", async () => {
    const turns = fc.array(fc.array(planned, { minLength: 1, maxLength: 3 }), { maxLength: 3 });
    const moves = fc.array(fc.boolean(), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(turns, moves, async (conversation, moving) => {
        const all = new Map<string, Planned & { readonly id: number }>();
        const script = conversation.map((turn) =>
          turn.map((one) => {
            const id = all.size;
            all.set(`c${id}`, { ...one, id });
            return call(`c${id}`, one.tool, { id });
          }),
        );
        const store = memoryPendingCalls();
        const process = () => museum({ key, pendingCalls: store });
        let at = process();
        const processes = [at];
        const first = scripted(await agentTools(at.executor), ...script, say("done"));
        const { model } = first;
        let { agent } = first;
        let result = await run(agent, "go");
        const asked = new Map<string, number>();
        for (let round = 0; result.interruptions.length > 0; round += 1) {
          expect(
            waitingCalls(result.runContext)
              .map(({ callId }) => callId)
              .sort(),
          ).toEqual(
            result.interruptions
              .map(({ rawItem }) => (rawItem as { callId: string }).callId)
              .sort(),
          );
          let { state } = result;
          if (moving[round % moving.length]) {
            at = process();
            processes.push(at);
            agent = scripted(await agentTools(at.executor)).agent;
            agent.model = model;
            state = await RunState.fromString(agent, state.toString());
          }
          for (const item of state.getInterruptions()) {
            const { callId } = item.rawItem as { callId: string };
            const times = asked.get(callId) ?? 0;
            asked.set(callId, times + 1);
            const decision = all.get(callId)?.decisions[times] ?? "approve";
            if (decision === "approve") state.approve(item);
            if (decision === "reject") state.reject(item, { message: "No." });
          }
          result = await run(agent, state);
        }
        expect(result.finalOutput).toBe("done");
        const calls = [...all.values()];
        const removals = calls.filter(({ tool }) => tool === "remove");
        const removed = processes.flatMap((each) => each.removed).sort((a, b) => a - b);
        expect(removed).toEqual(
          removals.flatMap((one) => (verdict(one) === "approve" ? [one.id] : [])),
        );
        const looked = processes.flatMap((each) => each.looked).sort((a, b) => a - b);
        expect(looked).toEqual(calls.flatMap(({ tool, id }) => (tool === "look" ? [id] : [])));
        expect(textsRead(model)).toEqual(
          Object.fromEntries(
            calls.map((one) => {
              const yes = verdict(one) === "approve" ? `{"removed":${one.id}}` : "No.";
              return [`c${one.id}`, one.tool === "look" ? `exhibit ${one.id}` : yes];
            }),
          ),
        );
        expect(await store.list()).toEqual([]);
      }),
      { numRuns: 30 },
    );
    // Hundreds of requests, also on busy machines.
  }, 120_000);
});
