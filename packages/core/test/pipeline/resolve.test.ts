import { settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import { rename } from "@toolweave/core";
import {
  call,
  executorFor,
  foreignTool,
  recorded,
  tool,
  listTypes,
} from "../support/executor-for.ts";
import { readCode, completed, failed } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";

describe("TC30 an unknown tool", () => {
  test("is an error result with the call's id, its name and near names; nothing runs", async () => {
    const executor = executorFor([tool("delete_event"), tool("list_events")]);
    const events = recorded(executor);
    const { result, error } = failed(await executor.execute(call("deleteEvent", {}, "c7")));
    expect([error.code, error.audience]).toEqual(["not_found", "model"]);
    expect(error.message).toBe('There is no tool "deleteEvent". Did you mean delete_event?');
    expect(result).toMatchObject({
      callId: "c7",
      toolName: "deleteEvent",
      isError: true,
      durationMs: 0,
    });
    expect(result.content).toEqual([{ type: "text", text: error.message }]);
    expect(listTypes(events)).toEqual(["tool.requested", "tool.rejected"]);
  });

  test("returns at most five existing names if none is near", async () => {
    const executor = executorFor(Array.from({ length: 50 }, (_, at) => tool(`tool_${at + 10}`)));
    expect(failed(await executor.execute(call("transfer_money"))).error.message).toBe(
      'There is no tool "transfer_money". Some that exist: tool_10, tool_11, tool_12, tool_13, tool_14.',
    );
  });

  test("returns an error that says so if there are no tools", async () => {
    expect(failed(await executorFor([]).execute(call("a"))).error.message).toBe(
      'There is no tool "a". There are no tools.',
    );
  });

  test.each(["__proto__", "constructor", "", "x".repeat(1_000_000), "\u0000"])(
    "may have any name (%#)",
    async (name) => {
      const { error } = failed(await executorFor(tool("a")).execute(call(name)));
      expect(error.code).toBe("not_found");
      expect(error.message.length).toBeLessThan(300);
    },
  );

  test("may have a name that is not a string", async () => {
    const broken = { id: "1", name: { toString: () => "x" }, arguments: {} } as never;
    expect(readCode(await executorFor(tool("a")).execute(broken))).toBe("not_found");
  });
});

describe("a tool that is not advertised", () => {
  test("because of the turn's selection may not be called", async () => {
    const executor = executorFor([tool("read"), tool("write")]);
    const run = executor.startRun({ toolset: executor.toolset.select({ include: ["read"] }) });
    expect(failed(await run.execute(call("write"))).error).toMatchObject({
      code: "not_advertised",
      message:
        'The tool "write" may not be called here. Do not try it again; say what you need instead.',
    });
    completed(await run.execute(call("read")));
    run.nextTurn(executor.toolset);
    completed(await run.execute(call("write")));
  });

  test("because of the policy may not be called", async () => {
    const executor = executorFor(
      [tool("read", undefined, { annotations: { readOnlyHint: true } }), tool("write")],
      {
        policy: "readOnly",
      },
    );
    expect([...executor.toolset.names()]).toEqual(["read"]);
    expect(failed(await executor.execute(call("write"))).error).toMatchObject({
      code: "not_advertised",
      message:
        'The tool "write" may not be called here (readOnly: only tools that change nothing run). Do not try it again; say what you need instead.',
    });
  });

  test("because of a rule: the error has the rule's reason, and no other names", async () => {
    const rules = [{ effect: "deny", tools: "create_ord*", reason: "Orders are closed." }] as const;
    const executor = executorFor([tool("create_order"), tool("create_orders"), tool("cancel")], {
      policy: { rules },
    });
    expect(failed(await executor.execute(call("create_order"))).error.message).toBe(
      'The tool "create_order" may not be called here (Orders are closed.). Do not try it again; say what you need instead.',
    );
  });
});

describe("a tool that was removed", () => {
  test("is not found any more, and an added one is", async () => {
    const source = new TestSource("s", [foreignTool("old")], { trusted: true });
    const executor = executorFor(source, { policy: "autonomous" });
    completed(await executor.execute(call("old")));
    source.set(foreignTool("new"));
    expect(readCode(await executor.execute(call("old")))).toBe("not_found");
    completed(await executor.execute(call("new")));
  });

  test("stays the one that a running call has resolved", async () => {
    let finish: (value: string) => void = () => {};
    const slow = foreignTool("slow", {
      invoke: () => new Promise((resolve) => (finish = resolve)),
    });
    const source = new TestSource("s", [slow]);
    const executor = executorFor(source, { policy: "autonomous" });
    await executor.registry.ready;
    const outcome = executor.execute(call("slow"));
    await settled();
    source.set();
    finish("done");
    expect(completed(await outcome).result.content).toEqual([{ type: "text", text: "done" }]);
  });
});

describe("a tool that is not available", () => {
  test("fails with the reason, and may be tried again later", async () => {
    const gone = foreignTool("mail", {
      availability: { status: "unavailable", reason: "the server is not connected" },
    });
    const executor = executorFor(new TestSource("s", [gone]), { policy: "autonomous" });
    expect(failed(await executor.execute(call("mail"))).error).toMatchObject({
      code: "unavailable",
      retryable: true,
      message: "mail is not available now: the server is not connected",
    });
  });
});

test("AP13 a renamed tool keeps its rules, under its new name", async () => {
  const source = (): TestSource =>
    new TestSource("s", [
      foreignTool("cleanup", { spec: { annotations: { destructiveHint: true } } }),
    ]);
  const direct = executorFor(source());
  const aliased = executorFor(rename(source(), { cleanup: "harmless" }));
  expect((await direct.execute(call("cleanup"))).status).toBe("interrupted");
  expect((await aliased.execute(call("harmless"))).status).toBe("interrupted");
  expect(readCode(await aliased.execute(call("cleanup")))).toBe("not_found");
});

test("a call of another shape fails with the required shape", async () => {
  const other = { id: "1", type: "function", function: { name: "t", arguments: "{}" } };
  const { error } = failed(await executorFor(tool("t")).execute(other as never));
  expect([error.code, error.message]).toEqual([
    "not_found",
    "This call names no tool: pass { id, name, arguments }.",
  ]);
});
