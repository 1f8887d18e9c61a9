import { settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import { suspend, type Tool, type ToolContext } from "@toolweave/core";
import { call, executorFor, foreignTool, tool } from "../support/executor-for.ts";
import { readCode, completed, failed, getInterruption } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";

/**
 * Defects that users of other libraries have reported about stopping. (Timeouts, retries and
 * concurrency are in their own files.)
 */

const never = (): Promise<never> => new Promise(() => {});

describe("mastra #14820: aborting a supervisor does not reach its sub-agents", () => {
  /** An agent that calls repeatedly until it is stopped, or has an answer. */
  function agents(log: string[]): readonly Tool[] {
    const delegating = (name: string, to: string): Tool =>
      tool(name, async (_, { scope, signal }: ToolContext) => {
        signal.addEventListener("abort", () => log.push(`${name} stops`));
        for (let step = 1; step <= 3; step++) {
          const { status } = await scope.execute(call(to, {}, `${name}>${to} ${step}`));
          if (status === "completed") return "done";
        }
        return "gave up";
      });
    return [
      delegating("supervisor", "researcher"),
      delegating("researcher", "crawler"),
      delegating("crawler", "fetch"),
      tool("fetch", (_, { signal }) => {
        log.push("fetch starts");
        signal.addEventListener("abort", () => log.push("fetch stops"));
        return never();
      }),
    ];
  }
  const allStop = ["crawler stops", "fetch starts", "fetch stops", "researcher stops"];

  test("all agents are aborted at once, three levels down, and none of them starts anything more", async () => {
    const log: string[] = [];
    const controller = new AbortController();
    const run = executorFor(agents(log)).startRun({ signal: controller.signal });
    const outcome = run.execute(call("supervisor"));
    await settled();
    controller.abort();
    expect(readCode(await outcome)).toBe("cancelled");
    await settled();
    expect(log.toSorted()).toEqual([...allStop, "supervisor stops"]);
  });

  test("also after the supervisor was resumed with a person's answer", async () => {
    const log: string[] = [];
    const asks = tool("asks", async (_, { resumed, scope }) => {
      if (resumed === undefined) return suspend([{ id: "q", type: "input", message: "?" }], null);
      return (await scope.execute(call("researcher"))).status;
    });
    const executor = executorFor([asks, ...agents(log)]);
    const interruption = getInterruption(await executor.execute(call("asks")));
    const controller = new AbortController();
    const outcome = executor.resume(interruption, [{ type: "input", value: 1 }], {
      signal: controller.signal,
    });
    while (!log.includes("fetch starts")) await settled();
    controller.abort();
    expect(readCode(await outcome)).toBe("cancelled");
    await settled();
    expect(log.toSorted()).toEqual(allStop);
  });
});

describe("vercel/ai #19966: a tool is never notified that its call was aborted", () => {
  test("here it is notified, with the reason, for every cause; its siblings are not", async () => {
    const received = new Map<string, unknown>();
    let finish = (): void => {};
    const work = ({ callId, signal }: ToolContext): Promise<never> => {
      signal.addEventListener("abort", () => received.set(callId, signal.reason));
      return never();
    };
    const executor = executorFor(
      [
        tool("own", (_, ctx) => work(ctx)),
        new TestSource("server", [foreignTool("remote", { invoke: (_, ctx) => work(ctx) })], {
          trusted: true,
        }),
        tool("sibling", () => new Promise<void>((resolve) => (finish = resolve))),
      ],
      { policy: "autonomous" },
    );
    const run = executor.startRun();
    const controller = new AbortController();
    const { signal } = controller;
    const stopped = [run.execute(call("own"), { signal }), run.execute(call("remote"), { signal })];
    const sibling = run.execute(call("sibling"));
    await settled();
    controller.abort();
    for (const outcome of stopped) {
      const { error, result } = failed(await outcome);
      expect(error.code).toBe("cancelled");
      expect(received.get(result.callId)).toBe(error);
    }
    finish();
    completed(await sibling);
  });

  test("one that ignores the signal is not awaited, and its later answer is not used", async () => {
    let answer = (): void => {};
    const deaf = tool("deaf", () => new Promise<void>((resolve) => (answer = resolve)));
    const executor = executorFor(deaf);
    const emitted: string[] = [];
    executor.on(({ type }) => emitted.push(type));
    const controller = new AbortController();
    const outcome = executor.execute(call("deaf"), { signal: controller.signal });
    await settled();
    controller.abort();
    expect(readCode(await outcome)).toBe("cancelled");
    answer();
    await settled();
    expect(emitted.slice(-2)).toEqual(["tool.failed", "tool.late"]);
  });
});
