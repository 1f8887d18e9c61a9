import { toolSearch } from "@toolweave/core/search";
import type { JsonObject, ToolCall, ToolOutcome, ToolRun } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { call, executorFor, recorded, tool } from "../support/executor-for.ts";
import { readCode, completed, failed, getInterruption, textFor } from "../support/outcomes.ts";
import { lazyTool, listNames, searched, shop } from "./shop.ts";

const constant = toolSearch({ form: "constant", always: ["get_pet"] });

const through = (name: string, args?: unknown, id?: string): ToolCall =>
  call("call_tool", { name, ...(args === undefined ? {} : { arguments: args }) } as JsonObject, id);

describe("a constant list of tools", () => {
  test("does not change, whatever is found", async () => {
    const run = executorFor(shop).startRun({ search: constant });
    const { toolset } = run;
    expect(listNames(toolset)).toEqual(["call_tool", "describe_tool", "get_pet", "search_tools"]);
    const { text } = await searched(run, "delete invoice", 1);
    expect(text).toContain("- delete_invoice(id*, note): Delete one invoice of the shop.");
    expect(text).toContain("call_tool");
    expect(run.nextTurn().toolset).toBe(toolset);
  });

  test("describes one tool with its arguments, and no tool that may not be called", async () => {
    const policy = { preset: "autonomous", rules: [{ effect: "deny", tools: "add_*" }] } as const;
    const run = executorFor(shop, { policy }).startRun({ search: constant });
    const outcome = await run.execute(call("describe_tool", { name: "list_shelf" }));
    expect(completed(outcome).result.value).toEqual({
      name: "list_shelf",
      description: "List all of one shelf of the shop.",
      inputSchema: shop.find(({ spec }) => spec.name === "list_shelf")?.spec.inputSchema,
    });
    expect(readCode(await run.execute(call("describe_tool", { name: "add_pet" })))).toBe(
      "not_found",
    );
    const near = failed(await run.execute(call("describe_tool", { name: "listShelf" })));
    expect(near.error.message).toContain("Did you mean list_shelf");
    expect(near.error.message).not.toContain("add_");
  });

  test("survives a schema that cannot be read, and a description without a length limit", async () => {
    const broken = lazyTool("broken_thing", "broken ".repeat(100_000), () => {
      throw new Error("no schema");
    });
    const run = executorFor([broken, ...shop]).startRun({ search: constant });
    expect((await searched(run, "broken thing", 1)).text).toContain("- broken_thing(): broken");
    expect(readCode(await run.execute(call("describe_tool", { name: "broken_thing" })))).toBe(
      "execution_failed",
    );
  });

  describe("call_tool", () => {
    const run = (): ToolRun => executorFor(shop).startRun({ search: constant });

    test("is the inner call, under its id, for policy, events, limits and result", async () => {
      const executor = executorFor(shop, { hooks: [] });
      const events = recorded(executor);
      const limited = executor.startRun({ search: constant, limits: { callsPerTool: 1 } });
      const outcome = completed(await limited.execute(through("get_order", { id: 5 }, "7")));
      expect([outcome.result.toolName, outcome.result.callId]).toEqual(["get_order", "7"]);
      expect(textFor(outcome)).toBe("get order 5");
      expect(new Set(events.map((event) => ("tool" in event ? event.tool : "")))).toEqual(
        new Set(["get_order"]),
      );
      expect(readCode(await limited.execute(through("get_order", { id: 6 })))).toBe(
        "limit_exceeded",
      );
      expect(textFor(await limited.execute(through("get_invoice", { id: 6 })))).toBe(
        "get invoice 6",
      );
    });

    test("accepts arguments as a value, as JSON text, and none at all", async () => {
      const plain = tool("plain", (args) => JSON.stringify(args));
      const one = executorFor([plain, ...shop]).startRun({ search: constant });
      for (const sent of [
        through("get_order", { id: 5 }),
        through("get_order", '{"id":5}'),
        call("call_tool", '{"name":"get_order","arguments":{"id":5}}'),
        call("call_tool", '{"name":"get_order","arguments":"{\\"id\\":5}"}'),
      ]) {
        expect(textFor(await one.execute(sent))).toBe("get order 5");
      }
      expect(textFor(await one.execute(through("plain")))).toBe("{}");
      expect(readCode(await one.execute(through("get_order", "{id:5}")))).toBe("invalid_arguments");
      expect(readCode(await one.execute(through("get_order", { id: "five" })))).toBe(
        "invalid_arguments",
      );
    });

    test.each([
      ["no name", { arguments: { id: 1 } }],
      ["an empty name", { name: "", arguments: { id: 1 } }],
      ["a name that is not a string", { name: 7, arguments: { id: 1 } }],
      ["arguments outside of the envelope", { name: "get_order", id: 1 }],
      ["a list of arguments", { name: "get_order", arguments: [1] }],
      ["null for arguments", { name: "get_order", arguments: null }],
      ["itself", { name: "call_tool", arguments: { name: "get_order", arguments: { id: 1 } } }],
    ])("with %s explains its parameters, and runs nothing", async (_, args) => {
      const { error, result } = failed(await run().execute(call("call_tool", args as JsonObject)));
      expect([error.code, result.toolName]).toEqual(["invalid_arguments", "call_tool"]);
      expect(error.message).toMatch(/name|arguments/);
    });

    test("that is not JSON, or inherits its fields, runs nothing", async () => {
      for (const sent of ['{"name":', '"get_order"', "[]", '{"__proto__":{"name":"get_order"}}']) {
        expect(readCode(await run().execute(call("call_tool", sent)))).toBe("invalid_arguments");
      }
    });

    test("is not called by a repair of the model's text", async () => {
      const repairing = executorFor(shop, {
        normaliseArguments: true,
        repair: () => ({ name: "delete_pet", arguments: { id: 1 } }),
        policy: "autonomous",
      }).startRun({ search: constant });
      const fenced = '```json\n{"name":"delete_pet","arguments":{"id":1}}\n```';
      expect(readCode(await repairing.execute(call("call_tool", fenced)))).toBe(
        "invalid_arguments",
      );
    });

    test("reaches nothing outside of the searchable part", async () => {
      const policy = { preset: "autonomous", rules: [{ effect: "deny", tools: "add_*" }] } as const;
      const denied = executorFor(shop, { policy }).startRun({ search: constant });
      expect(readCode(await denied.execute(through("add_pet", { id: 1 })))).toBe("not_advertised");
      expect(readCode(await denied.execute(through("no_such_tool", { id: 1 })))).toBe("not_found");
      expect(readCode(await denied.execute(through("toString", { id: 1 })))).toBe("not_found");
    });

    test("asks a person about the inner call, and resumes that", async () => {
      const ran: JsonObject[] = [];
      const pay = tool("pay", (args) => (ran.push(args), "paid"), { needsApproval: true });
      const executor = executorFor([pay, ...shop]);
      const one = executor.startRun({ search: constant });
      const waiting = getInterruption(await one.execute(through("pay", { amount: 3 }, "7")));
      expect(waiting.call).toMatchObject({ id: "7", name: "pay", arguments: { amount: 3 } });
      expect(ran).toEqual([]);
      await executor.resume(waiting, [{ type: "approve" }]);
      expect(ran).toEqual([{ amount: 3 }]);
    });

    test("is admitted, and started, as the inner call", async () => {
      const pay = tool("pay", () => "paid", { needsApproval: true });
      const one = executorFor([pay, ...shop]).startRun({ search: constant });
      expect((await one.checkAdmission(through("pay", {})))?.status).toBe("interrupted");
      const sent = through("get_order", { id: 5 });
      expect(await one.checkAdmission(sent)).toBe(undefined);
      expect(textFor(await one.execute(sent))).toBe("get order 5");
    });

    test("is unwrapped in a batch, in a stream, and when a tool makes it", async () => {
      const calls = [through("get_order", { id: 1 }), call("get_pet", { id: 2 })];
      const texts = async (outcomes: Iterable<ToolOutcome>): Promise<string[]> =>
        Array.from(outcomes, textFor);
      expect(await texts(await run().executeAll(calls))).toEqual(["get order 1", "get pet 2"]);
      const streamed: string[] = [];
      for await (const { outcome } of run().stream(calls)) streamed.push(textFor(outcome));
      expect(streamed.toSorted()).toEqual(["get order 1", "get pet 2"]);
      const nesting = tool("nesting", async (_, ctx) => {
        const outcome = await ctx.scope.execute(through("get_order", { id: 3 }));
        return `${textFor(outcome)} by ${outcome.status === "completed" ? outcome.result.toolName : ""}`;
      });
      const one = executorFor([nesting, ...shop]).startRun({ search: constant });
      expect(textFor(await one.execute(call("nesting")))).toBe("get order 3 by get_order");
    });

    test("is explained as the inner call", async () => {
      const executor = executorFor(shop, { policy: "readOnly" });
      const { toolset } = executor.startRun({ search: constant });
      const sent = { name: "call_tool", arguments: { name: "get_order", arguments: { id: 1 } } };
      expect(await executor.explain({ ...sent, toolset } as never, { toolset })).toMatchObject({
        tool: "get_order",
        effect: "allow",
      });
    });

    test("is listed whatever the preset: the policy decides about the inner call", async () => {
      for (const policy of ["readOnly", "strict", "supervised"] as const) {
        const one = executorFor(shop, { policy }).startRun({ search: constant });
        expect(listNames(one.toolset)).toContain("call_tool");
        expect(textFor(await one.execute(through("get_order", { id: 1 })))).toBe("get order 1");
      }
      const reads = executorFor(shop, { policy: "readOnly" }).startRun({ search: constant });
      expect(readCode(await reads.execute(through("delete_order", { id: 1 })))).toBe(
        "not_advertised",
      );
    });

    test("has no meaning in a run that does not search", async () => {
      const outcome = await executorFor(shop)
        .startRun()
        .execute(through("get_order", { id: 1 }));
      expect(readCode(outcome)).toBe("not_found");
    });
  });
});
