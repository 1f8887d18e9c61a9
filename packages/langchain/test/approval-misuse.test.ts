import { MemorySaver } from "@langchain/langgraph";
import { memoryPendingCalls } from "@toolweave/core/stores";
import { afterEach, describe, expect, it, vi } from "vitest";
import { langchainTools } from "../src/index.ts";
import { agent, readCode, graphMakers, Thread, createThread } from "./support/graphs.ts";
import { look, remove, restarting, workshop } from "./support/workshop.ts";

afterEach(() => void vi.useRealTimers());

describe("an answer that cannot be used", () => {
  it("is asked about until a rejection ends it, if the call was answered elsewhere", async () => {
    const { done, executor } = workshop();
    const thread = createThread(agent, () => langchainTools(executor), [remove("c1", 1)]);
    await thread.begin();
    const interruption = thread.asked[0]?.interruption as never;
    await executor.resume(interruption, [{ type: "approve", by: "another person" }]);
    expect(done).toEqual(["remove 1"]);
    await thread.answerAll(({ problem }) =>
      problem === undefined ? { type: "approve" } : { type: "reject" },
    );
    expect(done).toEqual(["remove 1"]);
    expect(readCode(thread.answers["c1"])).toBe("approval_invalid");
  });

  it("ends the call if it is too late", async () => {
    const yesterday = Date.now() - 25 * 3_600_000;
    const store = memoryPendingCalls();
    const asking = workshop({
      key: "k".repeat(32),
      pendingCalls: {
        add: (interruption) => store.add(interruption),
        claim: (interruption) => store.claim(interruption),
        finish: (id) => store.finish(id),
        get: (id) => store.get(id),
        list: () => store.list(),
        now: () => yesterday,
      },
    });
    const answering = workshop({ key: "k".repeat(32), pendingCalls: store });
    let executor = asking.executor;
    const thread = createThread(agent, () => langchainTools(executor), [remove("c1", 1)]);
    await thread.begin();
    executor = answering.executor;
    await thread.answerAll(() => ({ type: "approve" }));
    expect(answering.done).toEqual([]);
    expect(readCode(thread.answers["c1"])).toBe("approval_invalid");
  });

  it("does not end, when it expires, a call that was resumed with a later one", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { done, executor } = restarting();
    const thread = createThread(agent, () => langchainTools(executor()), [
      { id: "c1", name: "pack", args: { id: 1 } },
    ]);
    await thread.begin();
    await thread.answerAll(({ interruption, problem }) => {
      const isFirst = JSON.stringify(interruption.requests).includes("How, 0?");
      if (isFirst && problem === undefined) return { type: "approve" };
      // The first question is valid for a day, and so is the second.
      vi.advanceTimersByTime(20 * 3_600_000);
      return { type: "input", value: "well" };
    });
    expect(done).toEqual(["pack 1 round 0", "pack 1 round 1", "pack 1 round 2"]);
    expect(thread.answers["c1"]?.text).toBe("packed");
  });

  it("applies to the displayed call: a checkpoint that was changed meanwhile runs nothing", async () => {
    const { done, executor } = restarting();
    const saver = new MemorySaver();
    const thread = new Thread(async () =>
      agent(await langchainTools(executor()), [remove("c1", 7)], saver),
    );
    await thread.begin();
    let changed = 0;
    for (const writes of Object.values(saver.writes)) {
      for (const write of Object.values(writes)) {
        const text = new TextDecoder().decode(write[2]);
        if (!text.includes('"arguments":{"id":7}')) continue;
        write[2] = new TextEncoder().encode(
          text.replaceAll('"arguments":{"id":7}', '"arguments":{"id":8}'),
        );
        changed += 1;
      }
    }
    expect(changed).toBeGreaterThan(0);
    await thread.answerAll(({ problem }) => ({
      type: problem === undefined ? "approve" : "reject",
    }));
    expect(done).toEqual([]);
    expect(readCode(thread.answers["c1"])).toBe("approval_invalid");
  });

  it("runs nothing in a process with another key", async () => {
    const asking = workshop();
    const answering = workshop();
    let executor = asking.executor;
    const thread = createThread(agent, () => langchainTools(executor), [remove("c1", 1)]);
    await thread.begin();
    executor = answering.executor;
    await thread.answerAll(({ problem }) =>
      problem === undefined ? { type: "approve" } : { type: "reject" },
    );
    expect(answering.done).toEqual([]);
    expect(thread.answers["c1"]?.status).toBe("error");
  });
});

it.each([[{ decisions: [{ type: "approve" }] }], [true], [{ type: "approve" }], [{}]])(
  "the answer %j names no interruption: the call asks again, and says how to answer",
  async (resume) => {
    const { done, executor } = workshop();
    const thread = createThread(agent, () => langchainTools(executor), [remove("c1", 1)]);
    await thread.begin();
    await thread.resume(resume as never);
    expect(done).toEqual([]);
    expect(thread.asked[0]?.problem).toMatch(
      /^The answer names no interruption: resume with \{ "[0-9a-f-]{36}": \{ "type": "approve" \} \}\.$/,
    );
    await thread.answerAll(() => ({ type: "approve" }));
    expect(done).toEqual(["remove 1"]);
  },
);

describe("a policy", () => {
  it.each(Object.entries(graphMakers))(
    "refuses a call of %s, which the model reads",
    async (_, maker) => {
      const rules = [{ effect: "deny" as const, tools: "look" }];
      const { done, executor } = workshop({ policy: { rules } });
      // A list from before the rule: a denied tool is not listed.
      const run = executor.startRun({ toolset: executor.registry.toolset() });
      const thread = createThread(maker, () => langchainTools(run), [look("c1", 1)]);
      await thread.begin();
      expect(readCode(thread.answers["c1"])).toBe("permission_denied");
      expect(thread.answers["c1"]?.status).toBe("error");
      expect(thread.last).toBe("done");
      expect(done).toEqual([]);
    },
  );

  it("is answered inline by an approver, and the graph is not interrupted", async () => {
    const { done, executor } = workshop({ onAsk: () => ({ approved: true }) });
    const thread = createThread(agent, () => langchainTools(executor), [remove("c1", 1)]);
    await thread.begin();
    expect(thread.asked).toEqual([]);
    expect(done).toEqual(["remove 1"]);
  });

  it("that denies at the time of the answer still denies", async () => {
    const shared = { key: "k".repeat(32), pendingCalls: memoryPendingCalls() };
    const asking = workshop(shared);
    const denying = workshop({
      ...shared,
      policy: () => ({ effect: "deny", reason: "not any more" }),
    });
    let executor = asking.executor;
    const thread = createThread(agent, () => langchainTools(executor), [remove("c1", 1)]);
    await thread.begin();
    executor = denying.executor;
    await thread.answerAll(() => ({ type: "approve" }));
    expect(denying.done).toEqual([]);
    expect(readCode(thread.answers["c1"])).toBe("permission_denied");
  });
});
