import { Worker } from "node:worker_threads";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { ToolExecutor, ToolRegistry, type ToolOutcome } from "@toolweave/core";
import { workerSource } from "@toolweave/core/worker";
import { call } from "../support/executor-for.ts";
import { completed, failed, getInterruption, textFor } from "../support/outcomes.ts";

const module = new URL("./tools.ts", import.meta.url);
const registry = new ToolRegistry([workerSource(module, { env: { GIVEN: "yes" }, graceMs: 50 })]);
const executor = new ToolExecutor({ registry });
afterAll(() => registry.close());

async function codeAndText(outcome: Promise<ToolOutcome>): Promise<[string, string]> {
  const { code, message } = failed(await outcome).error;
  return [code, message];
}

test("the tools are those of the module, with their descriptions", async () => {
  await registry.ready;
  const names = [...executor.startRun().toolset.names()];
  expect(names).toEqual([
    ...[
      "book",
      "cooperate",
      "echo",
      "exit",
      "fail",
      "nest",
      "pay",
      "spin",
      "stream",
      "throw_later",
      "transfer",
    ],
  ]);
});

test("a call has the arguments, the context and the environment that it is given, and no other", async () => {
  const run = executor.startRun({ caller: { id: "ada" }, injected: { key: 1 } });
  const { result } = completed(await run.execute(call("echo", { n: [1] }, "c1")));
  expect(result.value).toEqual({
    ...{ args: { n: [1] }, callId: "c1", attempt: 1, injected: { key: 1 } },
    ...{ caller: "ada", home: "", given: "yes" },
  });
});

test("the schema library of a tool decides in its thread", async () => {
  const outcome = completed(await executor.execute(call("book", { code: "A" })));
  expect(outcome.result.value).toEqual({ code: "A" });
  const [code] = await codeAndText(executor.execute(call("book", { code: "1" })));
  expect(code).toBe("invalid_arguments");
});

describe("a tool that", () => {
  test("computes without an end is stopped at its deadline, with its thread, and other calls continue", async () => {
    const terminate = vi.spyOn(Worker.prototype, "terminate");
    onTestFinished(() => terminate.mockRestore());
    const spinning = executor.execute(call("spin"));
    for (let at = 0; at < 3; at++) completed(await executor.execute(call("echo")));
    expect(failed(await spinning).error.code).toBe("timeout");
    completed(await executor.execute(call("echo")));
    await vi.waitFor(() => expect(terminate).toHaveBeenCalledTimes(1), 60_000);
    // Resolves when the thread has stopped, with its exit code.
    expect(await terminate.mock.results[0]?.value).toBe(1);
  });

  test("throws in a timer fails its call only", async () => {
    const other = executor.execute(call("stream"));
    expect(await codeAndText(executor.execute(call("throw_later")))).toEqual([
      "outcome_unknown",
      expect.stringMatching(/throw_later crashed: the timer failed\. It may have done/),
    ]);
    expect(textFor(await other)).toContain("two");
    completed(await executor.execute(call("echo")));
  });

  test("exits fails its call only", async () => {
    expect(await codeAndText(executor.execute(call("exit")))).toEqual([
      "outcome_unknown",
      expect.stringContaining("its thread exited with 3"),
    ]);
    completed(await executor.execute(call("echo")));
  });

  test("throws fails as it would elsewhere", async () => {
    expect(await codeAndText(executor.execute(call("fail")))).toEqual([
      "execution_failed",
      "fail failed: no such book",
    ]);
  });

  test("ends when it is cancelled keeps its thread", async () => {
    expect(failed(await executor.execute(call("cooperate"))).error.code).toBe("timeout");
    completed(await executor.execute(call("echo")));
  });

  test("yields emits updates", async () => {
    const updates: string[] = [];
    const onUpdate = (output: object): void => void updates.push(JSON.stringify(output));
    completed(await executor.execute(call("stream"), { onUpdate }));
    expect(updates.join()).toContain("one");
  });

  test("needs approval for some arguments asks here, before it runs", async () => {
    expect(textFor(await executor.execute(call("pay", { amount: 5 })))).toBe("paid 5");
    const interruption = getInterruption(await executor.execute(call("pay", { amount: 6 })));
    const paid = await executor.resume(interruption, [{ type: "approve" }]);
    expect(textFor(paid)).toBe("paid 6");
  });

  test("always needs approval asks here, and runs in its thread once it has it", async () => {
    const interruption = getInterruption(await executor.execute(call("transfer")));
    const moved = await executor.resume(interruption, [{ type: "approve" }]);
    expect(textFor(moved)).toBe("transferred");
  });

  test("uses what a thread does not have gets an error that names it", async () => {
    expect(await codeAndText(executor.execute(call("nest")))).toEqual([
      "internal",
      "A tool in a worker thread has no ctx.scope.",
    ]);
  });
});

test("values that cannot be copied are refused, and nothing runs", async () => {
  const run = executor.startRun({ injected: { log: () => {} } });
  expect(await codeAndText(run.execute(call("echo")))).toEqual([
    "internal",
    expect.stringContaining("echo was not run: its injected values cannot be copied"),
  ]);
});

test("a module that cannot be loaded is named", async () => {
  const source = workerSource(new URL("./nothing.ts", import.meta.url));
  await expect(source.ready).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("nothing.ts"),
  });
  await source.close();
});
