import { Command, MemorySaver, type CompiledStateGraph } from "@langchain/langgraph";
import {
  defineTool,
  suspend,
  ToolError,
  type Interruption,
  type JsonValue,
  type Tool,
} from "@toolweave/core";
import { describe, expect, it } from "vitest";
import { langchainTools, type ToolInterrupt, type ToolResume } from "../src/index.ts";
import {
  answered,
  readCode,
  graphMakers,
  createThread,
  type ScriptedCall,
} from "./support/graphs.ts";
import { look, plan, remove, restarting, workshop } from "./support/workshop.ts";

/** A tool that makes two calls which need approval, and passes on their interruptions. */
const errand = defineTool({
  name: "errand",
  description: "Remove two things.",
  input: { type: "object" },
  execute: async (_, { scope, resumed }) => {
    const begun = [8, 9].map((id) => ({ id: `e${id}`, name: "remove", arguments: { id } }));
    const outcomes = await Promise.all(
      resumed === undefined
        ? begun.map((call) => scope.execute(call))
        : (resumed.state as unknown as Interruption[]).map((one) => scope.resume(one)),
    );
    const waiting = outcomes.flatMap((one) =>
      one.status === "interrupted" ? one.interruption : [],
    );
    return waiting.length > 0
      ? suspend(
          waiting.flatMap(({ requests }) => requests),
          waiting as unknown as JsonValue,
        )
      : outcomes.flatMap((one) => (one.status === "interrupted" ? [] : one.result.content));
  },
}) as Tool;

describe.each(Object.entries(graphMakers))("%s", (_, maker) => {
  it("interrupts with the request, and runs an approved call once, in another process", async () => {
    const { done, executor } = restarting();
    const thread = createThread(maker, () => langchainTools(executor()), [remove("c1", 7)]);
    await thread.begin();
    const [asked] = thread.asked;
    expect(asked?.interruption.call).toMatchObject({ name: "remove", arguments: { id: 7 } });
    expect(JSON.parse(JSON.stringify(asked))).toEqual(asked);
    expect(done).toEqual([]);
    await thread.answerAll(() => ({ type: "approve", by: "ada" }));
    expect(done).toEqual(["remove 7"]);
    expect(thread.answers["c1"]).toMatchObject({ status: "success", content: '{"removed":7}' });
    expect(answered(thread.answers["c1"]).value).toEqual({ removed: 7 });
    expect(thread.last).toBe("done");
  });

  it("keeps the results of siblings, whatever the end of a call", async () => {
    const { done, executor } = restarting();
    const thread = createThread(maker, () => langchainTools(executor()), [
      look("c1", 1),
      remove("c2", 2),
      remove("c3", 3),
      look("c4", 4),
    ]);
    await thread.begin();
    expect(done.toSorted()).toEqual(["look 1", "look 4"]);
    await thread.answerAll(({ interruption }) =>
      interruption.call.id === "c2" ? { type: "reject", reason: "not that" } : { type: "approve" },
    );
    expect(done.toSorted()).toEqual(["look 1", "look 4", "remove 3"]);
    expect(readCode(thread.answers["c2"])).toBe("approval_rejected");
    expect(thread.answers["c2"]?.text).toContain("not that");
    expect(thread.answers["c2"]?.status).toBe("error");
    for (const id of ["c1", "c3", "c4"]) expect(thread.answers[id]?.status).toBe("success");
  });

  it("answers one of two pending calls, while the other still waits", async () => {
    const { done, executor } = restarting();
    const thread = createThread(maker, () => langchainTools(executor()), [
      remove("c1", 1),
      remove("c2", 2),
    ]);
    await thread.begin();
    const [first] = thread.asked;
    await thread.resume({ [first?.interruption.id as string]: { type: "approve" } });
    expect(done).toHaveLength(1);
    expect(thread.waiting).toHaveLength(1);
    expect(thread.waiting).not.toContain(first?.interruption.call.id);
    await thread.answerAll(() => ({ type: "approve" }));
    expect(done.toSorted()).toEqual(["remove 1", "remove 2"]);
  });

  it("accepts an answer by LangGraph's own id of an interrupt, too", async () => {
    const { done, executor } = restarting();
    const thread = createThread(maker, () => langchainTools(executor()), [
      remove("c1", 1),
      remove("c2", 2),
    ]);
    await thread.begin();
    while (thread.asked.length > 0) {
      await thread.resume({
        [thread.interruptIds[0] as string]: {
          [thread.asked[0]?.interruption.id as string]: { type: "approve" },
        },
      });
    }
    expect(done.toSorted()).toEqual(["remove 1", "remove 2"]);
  });

  it.each([
    { type: "approve" },
    [{ type: "approve" }],
    true,
    "yes",
    { decisions: [{ type: "approve" }] },
    { unknown: { type: "approve" } },
  ])(
    "ignores %j, which names no call, as an answer: LangGraph passes it to all",
    async (resume) => {
      const { done, executor } = restarting();
      const thread = createThread(maker, () => langchainTools(executor()), [
        remove("c1", 1),
        remove("c2", 2),
      ]);
      await thread.begin();
      const before = thread.waiting;
      await thread.resume(resume);
      expect(done).toEqual([]);
      // In one node one call is displayed at a time, and either is right.
      expect(thread.waiting).toHaveLength(before.length);
      await thread.answerAll(() => ({ type: "approve" }));
      expect(done.toSorted()).toEqual(["remove 1", "remove 2"]);
    },
  );

  it("resumes a tool that asked in the middle of its work, and repeats nothing", async () => {
    const { done, executor } = restarting();
    const thread = createThread(maker, () => langchainTools(executor()), [
      plan("c1", 1),
      look("c2", 2),
      plan("c3", 3),
    ]);
    await thread.begin();
    expect(done.toSorted()).toEqual(["ask 1", "ask 3", "look 2"]);
    await thread.answerAll(({ interruption }) => ({
      type: "input",
      requestId: "day",
      value: `${interruption.call.id} day`,
    }));
    expect(done.toSorted()).toEqual(["ask 1", "ask 3", "look 2", "plan 1", "plan 3"]);
    expect(thread.answers["c1"]?.text).toBe("planned for c1 day");
    expect(thread.answers["c3"]?.text).toBe("planned for c3 day");
  });

  it("asks about the nested calls of a tool, two at once, and resumes each", async () => {
    const { done, executor } = restarting([errand]);
    const calls = [look("c1", 1), { id: "c2", name: "errand", args: {} }];
    const thread = createThread(maker, () => langchainTools(executor()), calls);
    await thread.begin();
    const [asked] = thread.asked;
    const about = asked?.interruption.requests.map((request) =>
      request.type === "approval" ? request.call?.arguments : undefined,
    );
    expect(about).toEqual([{ id: 8 }, { id: 9 }]);
    expect(done).toEqual(["look 1"]);
    await thread.answerAll(({ interruption: { requests } }) =>
      requests.map(({ id }, index) =>
        index === 0
          ? { type: "approve", requestId: id }
          : { type: "reject", requestId: id, reason: "too dear" },
      ),
    );
    expect(done).toEqual(["look 1", "remove 8"]);
    expect(thread.answers["c2"]?.text).toMatch(/^\{"removed":8\}.*too dear/s);
  });

  it("runs edited arguments, and asks again with the reason if they are invalid", async () => {
    const { done, executor } = restarting();
    const thread = createThread(maker, () => langchainTools(executor()), [remove("c1", 1)]);
    await thread.begin();
    const id = thread.asked[0]?.interruption.id as string;
    await thread.resume({ [id]: { type: "approve", arguments: { id: "seven" } } });
    expect(done).toEqual([]);
    expect(thread.asked[0]?.problem).toContain("id must be integer");
    expect(thread.asked[0]?.interruption.id).toBe(id);
    await thread.resume({ [id]: { type: "approve", arguments: { id: 7 } } });
    expect(done).toEqual(["remove 7"]);
    expect(thread.asked).toEqual([]);
  });

  it("reports to the model that a call waits, if there is no checkpointer for the question", async () => {
    const { done, executor } = workshop();
    const graph = maker(
      await langchainTools(executor),
      [remove("c1", 1), look("c2", 2)],
      undefined,
    );
    const { messages } = (await graph.invoke(
      { messages: [{ role: "user", content: "Go." }] },
      // A thread without a checkpointer, as a host may have for its own purposes.
      { configurable: { thread_id: "t" } },
    )) as { messages: { text: string; status?: string; artifact?: unknown }[] };
    const answer = messages.find(({ text }) => text.includes("is not finished"));
    expect(answer).toMatchObject({
      status: "error",
      artifact: { interruption: { call: { id: "c1" } } },
    });
    expect(done).toEqual(["look 2"]);
  });
});

describe("a graph that is resumed at a checkpoint that the host names", () => {
  it("repeats no work that was done there", async () => {
    const { done, executor } = restarting();
    const saver = new MemorySaver();
    const config = { configurable: { thread_id: "t" } };
    const make = async (calls: readonly ScriptedCall[]) =>
      graphMakers["a bare ToolNode"]?.(
        await langchainTools(executor()),
        calls,
        saver,
      ) as unknown as CompiledStateGraph<unknown, unknown>;
    const first = await make([look("c1", 1), remove("c2", 2), remove("c3", 3)]);
    await first.invoke({ messages: [] }, config);
    for (;;) {
      const graph = await make([]);
      const state = await graph.getState(config);
      const [asked] = state.tasks.flatMap(({ interrupts }) => interrupts);
      if (asked === undefined) break;
      const { interruption } = asked.value as ToolInterrupt;
      const resume: ToolResume = { [interruption.id]: { type: "approve" } };
      expect(state.config.configurable).toHaveProperty("checkpoint_id");
      await graph.invoke(new Command({ resume }), state.config);
    }
    expect(done.toSorted()).toEqual(["look 1", "remove 2", "remove 3"]);
  });
});

describe("a tool without a graph", () => {
  it("reports to a tool call that it waits, and throws if no message can contain that", async () => {
    const { done, executor } = workshop();
    const tool = (await langchainTools(executor)).find(({ name }) => name === "remove");
    const message: unknown = await tool?.invoke({ ...remove("c1", 1), type: "tool_call" });
    expect(message).toMatchObject({ status: "error", tool_call_id: "c1" });
    const thrown: unknown = await tool?.invoke({ id: 1 }).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(ToolError);
    expect(thrown).toMatchObject({ code: "approval_invalid" });
    expect(done).toEqual([]);
  });
});
