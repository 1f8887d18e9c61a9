import { describe, expect, test } from "vitest";
import { filter, rename, type Toolset } from "@toolweave/core";
import { toolSearch } from "@toolweave/core/search";
import { call, executorFor, foreignTool, tool } from "../support/executor-for.ts";
import { completed, failed } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";

const show = foreignTool("show");
const refresh = foreignTool("refresh", { spec: { visibility: "app" } });
const callsRefresh = tool("script", async (_, { scope }) => {
  const outcome = await scope.execute(call("refresh"));
  return [outcome.error?.code ?? "ran", ...scope.toolset.callableNames()];
});

const listNames = (toolset: Toolset): string[] => [...toolset.callableNames()];

describe("a tool for apps", () => {
  test("is neither listed for a model nor callable by it", async () => {
    const executor = executorFor([show, refresh], { policy: "autonomous" });
    expect(listNames(executor.toolset)).toEqual(["show"]);
    expect(listNames(executor.startRun({ caller: { id: "ada" } }).freezeToolset())).toEqual([
      "read_artifact",
      "show",
    ]);
    expect(failed(await executor.execute(call("refresh"))).error.code).toBe("not_advertised");
    expect(executor.registry.toolset().entry("refresh")).toBeDefined();
  });

  test("is not found by a search, nor called through it", async () => {
    const executor = executorFor([show, refresh], { policy: "autonomous" });
    const run = executor.startRun({ search: toolSearch({ form: "constant" }) });
    const found = completed(await run.execute(call("search_tools", { query: "refresh" })));
    expect(JSON.stringify(found.result.content)).not.toContain("The tool refresh");
    const made = call("call_tool", { name: "refresh", arguments: {} });
    expect(failed(await run.execute(made)).error.code).toBe("not_advertised");
  });

  test("is not called by tools that models write calls for", async () => {
    const executor = executorFor([callsRefresh, refresh], { policy: "autonomous" });
    expect(completed(await executor.execute(call("script"))).result.value).toEqual([
      "not_advertised",
      "script",
    ]);
    const delegated = executor.startRun({ delegateScope: "policy" });
    expect(completed(await delegated.execute(call("script"))).result.value).toEqual([
      "not_advertised",
      "script",
    ]);
  });

  test("runs in a run that has it, under the same policy", async () => {
    const executor = executorFor([show, refresh], { policy: "autonomous" });
    const run = executor.startRun({ toolset: executor.registry.toolset() });
    expect(completed(await run.execute(call("refresh"))).result.content).toEqual([
      { type: "text", text: "refresh ran" },
    ]);
    const strict = executorFor([refresh], { policy: { rules: [{ effect: "deny", tools: "*" }] } });
    const denied = strict.startRun({ toolset: strict.registry.toolset() });
    expect(failed(await denied.execute(call("refresh"))).error.code).toBe("permission_denied");
  });

  test("is resumed after an approval, in any run", async () => {
    const executor = executorFor([refresh], { policy: { default: "ask" } });
    const run = executor.startRun({ toolset: executor.registry.toolset() });
    const outcome = await run.execute(call("refresh"));
    if (outcome.status !== "interrupted") throw new Error(outcome.status);
    const answers = [{ type: "approve" } as const];
    expect((await executor.resume(outcome.interruption, answers)).status).toBe("completed");
  });

  test("remains one under another name, and follows the source", async () => {
    const source = new TestSource("apps", [refresh, show]);
    const executor = executorFor(
      [
        rename(
          filter(source, () => true),
          { refresh: "reload" },
        ),
      ],
      { policy: "autonomous" },
    );
    expect(listNames(executor.toolset)).toEqual(["show"]);
    source.set(foreignTool("refresh"), show);
    expect(listNames(executor.toolset)).toEqual(["reload", "show"]);
  });
});
