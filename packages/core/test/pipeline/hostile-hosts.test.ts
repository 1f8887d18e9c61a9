import { describe, expect, test } from "vitest";
import { ToolExecutor, ToolRegistry, type ToolEvent } from "@toolweave/core";
import { cpuMilliseconds, linearWorkMs } from "@toolweave/test-support";
import { call, executorFor, foreignTool, tool } from "../support/executor-for.ts";
import { failed, getInterruption } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";

test("$async in a schema does not disable validation", async () => {
  const input = {
    $async: true,
    type: "object",
    properties: { id: { type: "number" } },
    required: ["id"],
  } as const;
  const executor = executorFor(tool("a", () => "ran", { input }));
  const { error } = failed(await executor.execute(call("a", { id: "evil" })));
  expect(error.code).toBe("invalid_arguments");
});

describe("an invalid call", () => {
  test.each([
    ["null", null],
    ["no name", { id: "1", arguments: {} }],
    ["a name that is not a string", { id: "1", name: { toString: 1, valueOf: 1 }, arguments: {} }],
  ])("%s is a call of a tool that does not exist, and does not affect others", async (_, odd) => {
    const executor = executorFor(tool("good", () => "fine"));
    const [bad, good] = await executor.startRun().executeAll([odd as never, call("good")]);
    expect(bad).toMatchObject({ status: "failed", error: { code: "not_found" } });
    expect(good).toMatchObject({ status: "completed" });
  });
});

test("an output whose error cannot be read ends the call once", async () => {
  const output = {
    content: [{ type: "text", text: "x" }],
    isError: true,
    get error(): never {
      throw new Error("no");
    },
  };
  const executor = executorFor(tool("t", () => output as never));
  const events: ToolEvent["type"][] = [];
  executor.on(({ type }) => events.push(type));
  await executor.execute(call("t"));
  expect(events.filter((type) => /completed|failed/.test(type))).toHaveLength(1);
});

test("a timeout reaches work that a nested call has left running", async () => {
  let grandchild: AbortSignal | undefined;
  const forever = (): Promise<never> => new Promise(() => {});
  const executor = executorFor([
    tool("grandchild", (_, { signal }) => {
      grandchild = signal;
      return forever();
    }),
    tool("child", (_, { scope }) => {
      void scope.execute(call("grandchild"));
      return "started it";
    }),
    tool(
      "parent",
      async (_, { scope }) => {
        await scope.execute(call("child"));
        return forever();
      },
      { timeoutMs: 20 },
    ),
  ]);
  failed(await executor.execute(call("parent")));
  expect(grandchild?.aborted).toBe(true);
});

test("a call that is refused within another is requested and rejected", async () => {
  let late: Promise<unknown> | undefined;
  const executor = executorFor([
    tool("inner"),
    tool("outer", (_, { scope }) => {
      late = new Promise((done) => setImmediate(() => done(scope.execute(call("inner")))));
      return "over";
    }),
  ]);
  const seen: string[] = [];
  executor.on((event) => {
    if ("tool" in event && event.tool === "inner") seen.push(event.type);
  });
  await executor.execute(call("outer"));
  await late;
  expect(seen).toEqual(["tool.requested", "tool.rejected"]);
});

test("the cost of unknown arguments grows with their number, and the answer is short", async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [`property_number_${index}`, { type: "string" }]),
  );
  const executor = executorFor(
    tool("wide", undefined, {
      input: { type: "object", properties, additionalProperties: false } as never,
    }),
  );
  const spent = await cpuMilliseconds(async () => {
    const args = Object.fromEntries(
      Array.from({ length: 5000 }, (_, index) => [`proprety_nubmer_${index}`, 1]),
    );
    const { error } = failed(await executor.execute(call("wide", args)));
    expect(error.message.length).toBeLessThan(2000);
  });
  expect(spent).toBeLessThan(linearWorkMs);
});

describe("a malformed source", () => {
  test.each([
    ["lists unreadable values", [null]],
    [
      "lists a tool whose spec throws",
      [
        {
          get spec(): never {
            throw new Error("broken");
          },
        },
      ],
    ],
    ["returns no list", undefined],
  ])("that %s does not affect others", async (_, list) => {
    const source = new TestSource("odd");
    const registry = new ToolRegistry([source, tool("good")]);
    await registry.ready;
    source.tools = () => list as never;
    source.set();
    expect(registry.get("good")?.spec.name).toBe("good");
    expect(registry.problems.some(({ source: id }) => id === "odd")).toBe(true);
  });
});

test("a tool that checkAdmission has admitted is looked up again, and may have been removed", async () => {
  const source = new TestSource("away", [foreignTool("t")]);
  const registry = new ToolRegistry([source]);
  const run = new ToolExecutor({ registry, policy: "autonomous" }).startRun();
  const asked = call("t");
  expect(await run.checkAdmission(asked)).toBe(undefined);
  await registry.remove(source);
  expect(await run.execute(asked)).toMatchObject({ error: { code: "not_found" } });
});

test.each([
  ["no list", {}],
  ["nothing", undefined],
  ["a list of undefined", [null]],
])("answers that are %s are refused, and the call stays pending", async (_, answers) => {
  const executor = executorFor(tool("ask", () => "ran", { needsApproval: true }));
  const interruption = getInterruption(await executor.execute(call("ask")));
  const { error } = failed(await executor.resume(interruption, answers as never));
  expect(error.code).toBe("approval_invalid");
  expect(await executor.resume(interruption, [{ type: "approve" }])).toMatchObject({
    status: "completed",
  });
});

test("an invalid interruption is refused", async () => {
  const executor = executorFor(tool("t"));
  for (const odd of [undefined, null, 7, { state: "x", call: null }]) {
    const { error } = failed(await executor.resume(odd as never, [{ type: "approve" }]));
    expect(error.code).toBe("approval_invalid");
  }
});

test("a closed registry takes over nothing", async () => {
  const registry = new ToolRegistry();
  await registry.close();
  const other = new ToolRegistry([tool("t")]);
  expect(() => registry.merge(other)).toThrow(/closed/);
  expect(other.size).toBe(1);
});
