import { describe, expect, test } from "vitest";
import {
  prefix,
  ToolExecutor,
  ToolRegistry,
  toolsSource,
  type JsonValue,
  type Tool,
} from "@toolweave/core";
import { memoryPendingCalls } from "@toolweave/core/stores";
import { call, delegating, executorFor, tool } from "../support/executor-for.ts";
import { getInterruption } from "../support/outcomes.ts";
import { key } from "../support/pending-call-stores.ts";

/** A tool that calls another one, with local tools of its own. */
function caller(name: string, to: string, localTools: readonly Tool[] = []): Tool {
  return { ...delegating(name, to), localTools };
}

const secret = tool("secret", () => ({ local: true }));

describe("local tools", () => {
  test("are found by the calls of their tool, and by no other call", async () => {
    const executor = executorFor([caller("outer", "secret", [secret]), caller("other", "secret")]);
    const value = async (name: string) => (await executor.execute(call(name, {}))).result?.value;
    expect(await value("outer")).toEqual({ secret: { local: true } });
    expect(await value("other")).toEqual({ secret: "not_found" });
    expect((await executor.execute(call("secret", {}))).error?.code).toBe("not_found");
    expect([...executor.toolset.names()]).toEqual(["other", "outer"]);
  });

  test("are not found by the calls below, also of a tool that delegates", async () => {
    const below: Tool = { ...caller("below", "secret"), delegates: true };
    const executor = executorFor([caller("outer", "below", [secret]), below]);
    const outcome = await executor.execute(call("outer", {}));
    expect(outcome.result?.value).toEqual({ below: { secret: "not_found" } });
  });

  test("go before tools of the same name, and keep their place under another name of their tool", async () => {
    const source = toolsSource("s", [caller("outer", "secret", [secret])]);
    const registry = new ToolRegistry([
      prefix(source, "p"),
      tool("secret", () => ({ local: false })),
    ]);
    const executor = new ToolExecutor({ registry });
    const outcome = await executor.execute(call("p__outer", {}));
    expect(outcome.result?.value).toEqual({ secret: { local: true } });
  });

  test("are decided by the policy, and resume in another process", async () => {
    const ran: JsonValue[] = [];
    const pendingCalls = memoryPendingCalls();
    const pay = (): Tool =>
      tool("pay", (args) => (ran.push(args), { paid: true }), { needsApproval: true });
    const process = () => executorFor([caller("outer", "pay", [pay()])], { key, pendingCalls });
    const interruption = getInterruption(await process().execute(call("outer", { n: 1 })));
    expect(interruption.requests).toMatchObject([{ call: { name: "pay", arguments: { n: 1 } } }]);
    expect(ran).toEqual([]);
    const copy = JSON.parse(JSON.stringify(interruption)) as typeof interruption;
    const outcome = await process().resume(copy, [{ type: "approve" }]);
    expect(outcome.result?.value).toEqual({ pay: { paid: true } });
    const denied = executorFor([caller("outer", "pay", [pay()])], {
      policy: { rules: [{ tools: "pay", effect: "deny" }] },
    });
    expect((await denied.execute(call("outer", {}))).result?.value).toEqual({
      pay: "permission_denied",
    });
    expect(ran).toEqual([{ n: 1 }]);
  });
});
