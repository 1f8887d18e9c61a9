import { ToolExecutor, ToolRegistry, type ToolOutcome, type ToolSource } from "@toolweave/core";
import { describe, expect, it, onTestFinished } from "vitest";
import type { McpServer } from "../../src/index.ts";
import { fixtureHttp, type FixtureHttp } from "../support/fixture-server-http.ts";
import type { FixtureTask } from "../support/fixture-server-state.ts";
import { opened, findTool } from "../support/open-source.ts";
import { opening } from "../support/open-gateway.ts";

interface Setting {
  readonly http: FixtureHttp;
  readonly executor: ToolExecutor;
  readonly source: ToolSource;
  /** Calls a tool, and waits for the task that it may become. */
  call(name: string, args?: object): Promise<ToolOutcome>;
}

async function setting(era: "legacy" | "modern", more: Partial<McpServer> = {}): Promise<Setting> {
  const http = await fixtureHttp({ era });
  onTestFinished(() => http.close());
  const source = opened({ name: "fixture", url: http.url, prefix: false, ...more } as McpServer);
  await source.ready;
  const executor = new ToolExecutor({
    registry: new ToolRegistry([source]),
    policy: "autonomous",
  });
  const call = async (name: string, args: object = {}): Promise<ToolOutcome> => {
    const outcome = await executor.execute({ id: "call", name, arguments: { ...args } });
    const taskId = outcome.status === "completed" ? outcome.result.taskId : undefined;
    if (taskId === undefined) return outcome;
    return (await executor.tasks.result(taskId)) as ToolOutcome;
  };
  return { http, executor, source, call };
}

const listTasks = ({ world }: FixtureHttp): readonly FixtureTask[] => [...world.tasks.values()];

describe.each(["legacy", "modern"] as const)("a task of a %s server", (era) => {
  it("is awaited, and returns the result of the call", async () => {
    const { http, call } = await setting(era);
    expect(await call("task_required")).toMatchObject({
      status: "completed",
      result: {
        isError: false,
        content: [{ type: "text", text: "Done." }, { text: '{"steps":2}' }],
        value: { steps: 2 },
      },
    });
    expect(listTasks(http)).toMatchObject([{ status: "completed", looks: 3 }]);
  });

  it("reports its status as progress, each message once", async () => {
    const { executor, call } = await setting(era);
    const messages: unknown[] = [];
    executor.on((event) => {
      if (event.type === "tool.progressed") messages.push(event.progress.message);
    });
    await call("task_required", { steps: 1 });
    expect(messages).toEqual(["Step 0", "Step 1"]);
  });

  it("is polled at the server's interval", async () => {
    const { call } = await setting(era);
    const begun = performance.now();
    await call("task_required", { steps: 2, pollMs: 300 });
    expect(performance.now() - begun).toBeGreaterThan(2 * 300);
  });

  it("whose result is an error returns that result", async () => {
    const { call } = await setting(era);
    expect(await call("task_required", { outcome: "error" })).toMatchObject({
      status: "completed",
      result: { isError: true, content: [{ text: "It is not as it should be." }] },
    });
  });

  it("that fails is an error with the server's message", async () => {
    const { call } = await setting(era);
    expect(await call("task_required", { outcome: "fail" })).toMatchObject({
      status: "failed",
      error: { code: "upstream", message: "The work came to nothing." },
    });
  });

  it("is cancelled with its call", async () => {
    const { http, executor } = await setting(era);
    const run = executor.startRun({});
    const call = { id: "1", name: "task_required", arguments: { outcome: "never" } };
    const outcome = run.execute(call);
    await until(() => (listTasks(http)[0]?.looks ?? 0) > 0);
    run.cancel();
    await until(() => listTasks(http)[0]?.status === "cancelled");
    const isTask = era === "legacy";
    expect((await outcome).status).toBe(isTask ? "completed" : "failed");
  });

  it("that never ends is limited by the timeout of its call", async () => {
    // Enough time to connect, too.
    const { http, call } = await setting(era, { timeoutMs: 2_500 });
    expect(await call("task_required", { outcome: "never" })).toMatchObject({
      status: "failed",
      error: { code: "timeout" },
    });
    await until(() => listTasks(http)[0]?.status === "cancelled");
  });

  it("whose call is cancelled during its creation is cancelled too", async () => {
    const { http, source } = await setting(era);
    const gate = opening();
    http.world.answering = gate.opened;
    const call = new AbortController();
    const at = {
      callId: "c",
      runId: "r",
      attempt: 1,
      signal: call.signal,
      progress() {},
      idempotencyKey: async () => "k",
    };
    const pending = findTool(source, "task_required").invoke({ outcome: "never" }, at as never);
    await until(() => listTasks(http).length > 0);
    call.abort();
    await expect(pending).rejects.toMatchObject({ code: "cancelled" });
    // In the newer generation the server is notified at once, and has no request to answer.
    if (era === "legacy") gate.open();
    await until(() => listTasks(http)[0]?.status === "cancelled");
  });

  it("that was cancelled by another client reports that", async () => {
    const { http, call } = await setting(era);
    const pending = call("task_required", { outcome: "never" });
    await until(() => listTasks(http).length > 0);
    Object.assign(listTasks(http)[0] as object, { status: "cancelled" });
    expect(await pending).toMatchObject({
      status: "failed",
      error: { code: "upstream", message: expect.stringContaining("cancelled the task") },
    });
  });

  it("continues when the connection is lost, and no second one is created", async () => {
    const { http, call } = await setting(era);
    const pending = call("task_required", { steps: 4 });
    await until(() => (listTasks(http)[0]?.looks ?? 0) > 0);
    await http.pause();
    await http.resume();
    expect(await pending).toMatchObject({ status: "completed", result: { value: { steps: 4 } } });
    expect(listTasks(http)).toHaveLength(1);
  });

  it("is continued by a later attempt of its call, if an earlier one could not poll it", async () => {
    const { http, source } = await setting(era);
    let kept: unknown;
    const invoke = (attempt: number, steps: number): Promise<unknown> => {
      const signal = new AbortController().signal;
      const at = {
        ...{
          callId: "c",
          runId: "r",
          attempt,
          signal,
          progress() {},
          idempotencyKey: async () => "k",
        },
        checkpointed: kept,
        checkpoint: (state: unknown) => void (kept = state),
      };
      return Promise.resolve(findTool(source, "task_required").invoke({ steps }, at as never));
    };
    const first = invoke(1, 1_000);
    await until(() => (listTasks(http)[0]?.looks ?? 0) > 0);
    http.refuseWith = 429;
    await expect(first).rejects.toMatchObject({ code: "rate_limited" });
    http.refuseWith = undefined;
    Object.assign(listTasks(http)[0] as object, {
      plan: { steps: 0, outcome: "complete", pollMs: 10 },
    });
    expect(await invoke(2, 0)).toMatchObject({ content: [{ text: "Done." }, {}] });
    expect(listTasks(http)).toHaveLength(1);
    // Another call has another task.
    await invoke(1, 0);
    expect(listTasks(http)).toHaveLength(2);
  });

  it("that the server has lost has an unknown outcome", async () => {
    const { http, call } = await setting(era);
    const pending = call("task_required", { outcome: "never" });
    await until(() => (listTasks(http)[0]?.looks ?? 0) > 0);
    http.world.tasks.clear();
    expect(await pending).toMatchObject({ status: "failed", error: { code: "outcome_unknown" } });
  });

  it("waits for a handler's answer if it requires input", async () => {
    const { call } = await setting(era, {
      onElicitation: () => ({ action: "accept", content: { colour: "red" } }),
    });
    expect(await call("task_required", { outcome: "ask" })).toMatchObject({
      status: "completed",
      result: { content: [{ text: expect.stringContaining('"colour":"red"') }, {}] },
    });
  });
});

describe("a task of the older generation", () => {
  it("is a task of the executor too if the tool requires tasks", async () => {
    const { executor } = await setting("legacy");
    const { toolset } = executor.startRun({});
    expect([...toolset.names()]).toEqual(expect.arrayContaining(["task_required", "task_result"]));
    const outcome = await executor.execute({ id: "1", name: "task_required", arguments: {} });
    expect(outcome).toMatchObject({ result: { value: { status: "working" } } });
  });

  it("is not created by a tool with optional tasks", async () => {
    const { http, call } = await setting("legacy");
    expect(await call("task_optional")).toMatchObject({
      result: { content: [{ text: "Done at once." }, {}] },
    });
    expect(listTasks(http)).toEqual([]);
  });

  it("gets an error, and no answer in a person's name, if there is no handler", async () => {
    const { call } = await setting("legacy");
    expect(await call("task_required", { outcome: "ask" })).toMatchObject({
      status: "failed",
      error: { message: expect.stringContaining("the client does not support forms") },
    });
  });
});

describe("a task of the extension", () => {
  it("that requires input interrupts the call, and continues when it is resumed", async () => {
    const { http, executor } = await setting("modern");
    const call = { id: "1", name: "task_required", arguments: { outcome: "ask" } };
    const asked = await executor.execute(call);
    expect(asked).toMatchObject({
      status: "interrupted",
      interruption: {
        requests: [{ type: "input", message: expect.stringContaining("Which colour?") }],
      },
    });
    if (asked.status !== "interrupted") return;
    const answer = { type: "input" as const, value: { colour: "red" } };
    expect(await executor.resume(asked.interruption, [answer])).toMatchObject({
      status: "completed",
      result: { content: [{ text: expect.stringContaining('"colour":"red"') }, {}] },
    });
    expect(listTasks(http)).toHaveLength(1);
  });

  it("can be created for any tool", async () => {
    const { http, call } = await setting("modern");
    expect(await call("task_optional")).toMatchObject({
      result: { content: [{ text: "Done." }, {}] },
    });
    expect(listTasks(http)).toHaveLength(1);
  });
});

async function until(holds: () => boolean): Promise<void> {
  await expect.poll(holds, { timeout: 60_000, interval: 5 }).toBe(true);
}
