import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import fc from "fast-check";
import { MockLanguageModelV4 } from "ai/test";
import { describe, expect, test } from "vitest";
import type { Tool, ToolEvent } from "@toolweave/core";
import { runAgent, subAgentTool, type AgentEvent } from "@toolweave/subagent";
import { ended, executorFor, recorded, tool } from "./support/executor-for.ts";
import { readPrompt, toParts, scriptedModel, type Script } from "./support/scripted-model.ts";

/** The time of each piece of a model's answer, and of each tool. */
const stepMs = 10;
/** The time by which all of `crew` is done, with a margin. */
const maxMs = 800;

/** Models and tools that take time on a clock, and count their starts and the running ones. */
class World {
  readonly clock: FakeClock = new FakeClock();
  starts = 0;
  running = 0;
  /** Whether models and tools end on request. */
  readonly #heeds: boolean;

  constructor(heeds: boolean) {
    this.#heeds = heeds;
  }

  model(script: Script): MockLanguageModelV4 {
    return new MockLanguageModelV4({
      doStream: async (options) => {
        const end = this.#begin(options);
        await this.#wait(options.abortSignal);
        const parts = toParts(await script(readPrompt(options)));
        return { stream: this.#stream(parts, options, end) };
      },
    });
  }

  tool(name: string): Tool {
    return tool(name, async (_, ctx) => {
      const end = this.#begin({ abortSignal: ctx.signal });
      try {
        await this.#wait(ctx.signal);
        ctx.progress({ message: "half" });
        await this.#wait(ctx.signal);
        return `${name} ran`;
      } finally {
        end();
      }
    });
  }

  /** A started one counts as running until it ends, or is requested to. */
  #begin({ abortSignal }: Pick<LanguageModelV4CallOptions, "abortSignal">): () => void {
    this.starts += 1;
    this.running += 1;
    let isOver = false;
    const end = (): void => {
      if (!isOver) this.running -= 1;
      isOver = true;
    };
    if (this.#heeds) abortSignal?.addEventListener("abort", end);
    return end;
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      this.clock.setTimeout(resolve, stepMs);
      if (this.#heeds) signal?.addEventListener("abort", () => reject(signal.reason as Error));
    });
  }

  #stream(
    parts: readonly LanguageModelV4StreamPart[],
    { abortSignal }: LanguageModelV4CallOptions,
    end: () => void,
  ): ReadableStream<LanguageModelV4StreamPart> {
    let next = 0;
    return new ReadableStream(
      {
        pull: async (controller) => {
          await this.#wait(abortSignal);
          const part = parts[next++];
          if (part !== undefined) return controller.enqueue(part);
          end();
          controller.close();
        },
        cancel: end,
      },
      { highWaterMark: 0 },
    );
  }
}

/** An agent with two sub-agents at once, each with one sub-agent and two tools. */
function crew(world: World) {
  const worker: Script = ({ turn }) =>
    turn === 0
      ? {
          text: "I call two. ",
          calls: [
            { id: "1", name: "read" },
            { id: "2", name: "write" },
          ],
        }
      : { text: "done" };
  const lead: Script = ({ turn }) =>
    turn === 0
      ? {
          calls: [
            { id: "1", name: "worker", input: { task: "x" } },
            { id: "2", name: "read" },
          ],
        }
      : { text: "led" };
  const agent = (name: string, script: Script, maxDepth: number): Tool =>
    subAgentTool({
      name,
      description: name,
      system: name,
      model: world.model(script),
      tools: ["read", "write", "worker"],
      maxDepth,
      limits: { durationMs: 60_000 },
    });
  const executor = executorFor(
    [world.tool("read"), world.tool("write"), agent("lead", lead, 2), agent("worker", worker, 1)],
    { clock: world.clock, retry: { attempts: 3, initialDelayMs: 5 } },
  );
  const top = world.model(({ turn }) =>
    turn === 0
      ? { calls: ["a", "b"].map((id) => ({ id, name: "lead", input: { task: id } })) }
      : { text: "all done" },
  );
  return { executor, top };
}

/** The events of calls after their end. */
function afterEnds(events: readonly ToolEvent[]): string[] {
  const over = new Set<string>();
  const after: string[] = [];
  for (const event of events) {
    if (!("callId" in event)) continue;
    if (over.has(event.callId)) after.push(event.type);
    if (/^tool\.(?:completed|failed|rejected)$/.test(event.type)) over.add(event.callId);
  }
  return after;
}

describe("SA05: cancelling an agent", () => {
  test("without a cancellation it ends within the time that the tests assume", async () => {
    const world = new World(true);
    const { executor, top } = crew(world);
    const running = runAgent({ model: top, executor, prompt: "go" });
    await world.clock.advance(maxMs);
    expect(ended(await running, "completed").usage).toMatchObject({ turns: 10, toolCalls: 10 });
    expect([world.running, world.starts]).toEqual([0, 16]);
  });

  test("at any point prevents later starts and leaves nothing running, and every promise settles", async () => {
    let inMidst = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 400 }), fc.boolean(), async (at, heeds) => {
        const world = new World(heeds);
        const { executor, top } = crew(world);
        const recordedEvents = recorded(executor);
        const received: AgentEvent[] = [];
        const controller = new AbortController();
        const running = runAgent({
          model: top,
          executor,
          prompt: "go",
          signal: controller.signal,
          onEvent: (event) => received.push(event),
        });
        await world.clock.advance(at);
        controller.abort();
        const { starts } = world;
        await settled();
        const result = await running;
        if (result.status !== "completed") {
          inMidst += 1;
          ended(result, "cancelled");
        }
        expect(heeds ? world.running : 0).toBe(0);
        const heardThen = received.length;
        expect(received.at(-1)).toMatchObject({ type: "agent.ended", depth: 0 });
        await world.clock.advance(maxMs);
        // Code that ignores the signal has ended by itself, and its results are not used.
        if (!heeds) await settled();
        expect([world.running, world.starts, received.length]).toEqual([0, starts, heardThen]);
        expect(new Set(afterEnds(recordedEvents))).toEqual(
          new Set(afterEnds(recordedEvents).filter((type) => type === "tool.late")),
        );
        const begun = recordedEvents.filter(({ type }) => type === "tool.started").length;
        const over = recordedEvents.filter(({ type }) =>
          /^tool\.(?:completed|failed)$/.test(type),
        ).length;
        expect(over).toBe(begun);
        expect(world.clock.timers).toBe(0);
        const answered = result.messages.filter(({ role }) => role === "tool");
        expect(answered.every(({ content }) => content.length === 2)).toBe(true);
      }),
      { numRuns: 100 },
    );
    expect(inMidst).toBeGreaterThan(50);
  });

  test("before it begins starts nothing", async () => {
    const world = new World(true);
    const { executor, top } = crew(world);
    const result = await runAgent({
      model: top,
      executor,
      prompt: "go",
      signal: AbortSignal.abort(),
    });
    ended(result, "cancelled");
    expect(world.starts).toBe(0);
  });

  test("ends while its model never answers, and while it waits to call it again", async () => {
    const clock = new FakeClock();
    const executor = executorFor([], { clock });
    for (const script of [
      () => new Promise<never>(() => {}),
      () => Promise.reject(Object.assign(new Error("later"), { isRetryable: true })),
    ]) {
      const controller = new AbortController();
      const running = runAgent({
        model: scriptedModel(script),
        executor,
        prompt: "go",
        signal: controller.signal,
      });
      await settled();
      controller.abort();
      expect(ended(await running, "cancelled").error.code).toBe("cancelled");
    }
    expect(clock.timers).toBe(0);
  });

  test("of a sub-agent that a host has called itself is cancelling its call", async () => {
    const world = new World(true);
    const { executor } = crew(world);
    const controller = new AbortController();
    const call = { id: "1", name: "lead", arguments: { task: "x" } };
    const running = executor.execute(call, { signal: controller.signal });
    await world.clock.advance(95);
    controller.abort();
    expect(await running).toMatchObject({ status: "failed", error: { code: "cancelled" } });
    const { starts } = world;
    await world.clock.advance(maxMs);
    expect([world.starts, world.running]).toEqual([starts, 0]);
  });
});
