import { memoryArtifacts } from "@toolweave/core/stores";
import { toolSearch } from "@toolweave/core/search";
import { describe, expect, test } from "vitest";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { readCode, completed, getInterruption, textFor } from "../support/outcomes.ts";
import { listNames, shop } from "./shop.ts";

const taskNames = ["task_cancel", "task_result", "task_status"];
const long = tool("long", () => "x".repeat(60_000));
const report = tool("report", () => "done", { execution: "task" });

describe("read_artifact", () => {
  test("is added to a run once something was stored for its session and caller, and to no other run", async () => {
    const executor = executorFor([long]);
    const run = executor.startRun({ sessionId: "s" });
    const before = run.toolset;
    expect(listNames(before)).toEqual(["long"]);
    expect(readCode(await run.execute(call("read_artifact", { key: "art_1" })))).toBe("not_found");
    const [stored] = completed(await run.execute(call("long"))).result.artifacts;
    expect(listNames(run.toolset)).toEqual(["long", "read_artifact"]);
    expect(run.toolset).toBe(executor.startRun({ sessionId: "s" }).toolset);
    expect(listNames(executor.startRun({ sessionId: "other" }).toolset)).toEqual(["long"]);
    expect(listNames(executor.toolset)).toEqual(["long"]);
    const read = await run.execute(
      call("read_artifact", { key: stored?.key ?? "", offset: 50_000 }),
    );
    expect(textFor(read)).toContain("xxxxx");
  });

  test("is always listed if the host configures its own store of artifacts", () => {
    const executor = executorFor([long], { artifacts: memoryArtifacts() });
    expect(listNames(executor.toolset)).toEqual(["long", "read_artifact"]);
    expect(executor.toolset).toBe(executor.toolset);
  });

  test("is listed from the first list on for a framework whose list cannot grow", async () => {
    const run = executorFor([long]).startRun();
    expect(listNames(run.freezeToolset())).toEqual(["long", "read_artifact"]);
    expect(run.toolset).toBe(run.freezeToolset());
    expect(readCode(await run.execute(call("read_artifact", { key: "art_1" })))).toBe(
      "artifact_missing",
    );
  });

  test("is absent if nothing can store artifacts", () => {
    expect(listNames(executorFor([]).startRun().freezeToolset())).toEqual([]);
  });

  test("is absent if the policy denies it", () => {
    const policy = { preset: "autonomous", rules: [{ effect: "deny", tools: "read_*" }] } as const;
    expect(listNames(executorFor([long], { policy }).startRun().freezeToolset())).toEqual(["long"]);
  });

  test("can wait for a person and be resumed, as any tool", async () => {
    const policy = { preset: "autonomous", rules: [{ effect: "ask", tools: "read_*" }] } as const;
    const executor = executorFor([long], { policy });
    const run = executor.startRun();
    const [stored] = completed(await run.execute(call("long"))).result.artifacts;
    const waiting = getInterruption(
      await run.execute(call("read_artifact", { key: stored?.key ?? "" })),
    );
    await run[Symbol.asyncDispose]();
    expect(textFor(await executor.resume(waiting, [{ type: "approve" }]))).toContain("xxxxx");
  });
});

describe("the tools of tasks", () => {
  test("are present if a tool can become a task, listed or searchable", () => {
    expect(listNames(executorFor([report, long]).toolset)).toEqual([
      "long",
      "report",
      ...taskNames,
    ]);
    expect(listNames(executorFor([long]).startRun().freezeToolset())).toEqual([
      "long",
      "read_artifact",
    ]);
    const search = toolSearch({ form: "constant" });
    const run = executorFor([report, ...shop]).startRun({ search });
    expect(listNames(run.toolset)).toEqual([
      "call_tool",
      "describe_tool",
      "search_tools",
      ...taskNames,
    ]);
  });

  test("are absent if the policy never lets the task run", () => {
    const policy = { preset: "autonomous", rules: [{ effect: "deny", tools: "report" }] } as const;
    expect(listNames(executorFor([report, long], { policy }).toolset)).toEqual(["long"]);
  });

  test("work for a task that a call has started", async () => {
    const run = executorFor([report]).startRun({ sessionId: "s" });
    const { taskId = "" } = completed(await run.execute(call("report"))).result;
    const args = { task_id: taskId, wait_seconds: 5 };
    expect(textFor(await run.execute(call("task_result", args)))).toContain("done");
  });
});
