/* oxlint-disable vitest/expect-expect -- what the compiler refuses is the assertion */
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import {
  assertCompleted,
  defineTool,
  ToolExecutor,
  ToolRegistry,
  type JsonValue,
  type Tool,
  type ToolContext,
  type ToolInput,
  type ToolOutcome,
  type ToolValue,
} from "@toolweave/core";

declare module "@toolweave/core" {
  interface ToolTypes {
    typed_by_name: { input: { id: number }; output: { name: string } };
  }
}

const add = defineTool({
  name: "add",
  description: "Add two numbers.",
  input: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
  output: { type: "number" },
  execute: ({ a, b }) => a + b,
});
const page = defineTool({
  name: "page",
  description: "Read a page.",
  input: z.object({ size: z.number().default(10) }),
  execute: ({ size }) => size,
});
const whoAmI = defineTool({
  name: "who_am_i",
  description: "Name the user.",
  input: { type: "object" },
  injected: [{ name: "user" }],
  execute: (_, ctx: ToolContext<{ user: string }>) => ctx.injected.user,
});
const executor = new ToolExecutor({ registry: new ToolRegistry([add, page, whoAmI]) });

test("a defined tool has the types of its arguments and of its result", () => {
  expectTypeOf<ToolInput<typeof add>>().toEqualTypeOf<{
    readonly a: number;
    readonly b: number;
  }>();
  expectTypeOf<ToolValue<typeof add>>().toEqualTypeOf<number>();
  expectTypeOf<ToolInput<typeof page>>().toEqualTypeOf<{ size?: number | undefined }>();
  expectTypeOf<ToolValue<typeof page>>().toEqualTypeOf<JsonValue>();
});

test("executor.call takes the arguments of the tool, and gives its value", async () => {
  const outcome = await executor.call(add, { a: 1, b: 2 });
  expectTypeOf(outcome).toEqualTypeOf<ToolOutcome<number>>();
  if (outcome.ok) expectTypeOf(outcome.result.value).toEqualTypeOf<number>();
  else expectTypeOf(outcome.result?.value).toEqualTypeOf<JsonValue | undefined>();
  void executor.call(page, {});
  const read = await executor.call(page, {});
  if (read.ok) expectTypeOf(read.result.value).toEqualTypeOf<JsonValue | undefined>();
  // @ts-expect-error -- b is missing
  void executor.call(add, { a: 1 });
  // @ts-expect-error -- b is no number
  void executor.call(add, { a: 1, b: "2" });
  void executor.call(add, {
    a: 1,
    // @ts-expect-error -- the error is at the argument, not at the call
    b: "2",
  });
  // @ts-expect-error -- there is no c
  void executor.call(add, { a: 1, b: 2, c: 3 });
});

test("executor.call by name has the types of ToolTypes, and takes anything for other names", async () => {
  const outcome = await executor.call("typed_by_name", { id: 7 });
  assertCompleted(outcome);
  expectTypeOf(outcome.result.value).toEqualTypeOf<{ name: string }>();
  // @ts-expect-error -- an id is a number
  void executor.call("typed_by_name", { id: "7" });
  const other = await executor.call("other", { any: new Date(0) });
  expectTypeOf(other.result?.value).toEqualTypeOf<JsonValue | undefined>();
});

test("a tool that declares the type of its injected values cannot be called without them", () => {
  void executor.call(whoAmI, {}, { injected: { user: "ada" } });
  // @ts-expect-error -- the user is missing
  void executor.call(whoAmI, {});
  // @ts-expect-error -- the user is missing
  void executor.call(whoAmI, {}, { injected: {} });
  // @ts-expect-error -- the user is a text
  void executor.call(whoAmI, {}, { injected: { user: 7 } });
});

test("assertCompleted leaves an outcome with a result", async () => {
  const outcome = await executor.call(add, { a: 1, b: 2 });
  // @ts-expect-error -- it may be interrupted
  void outcome.result.value;
  assertCompleted(outcome);
  expectTypeOf(outcome.result.value).toEqualTypeOf<number>();
  expectTypeOf(outcome.ok).toEqualTypeOf<true>();
});

test("the result of a call of any tool may have no value", async () => {
  const outcome: ToolOutcome = await executor.call(add, { a: 1, b: 2 });
  assertCompleted(outcome);
  expectTypeOf(outcome.result.value).toEqualTypeOf<JsonValue | undefined>();
  const anyTool: Tool = add;
  const called = await executor.call(anyTool, { a: 1 });
  if (called.ok) expectTypeOf(called.result.value).toEqualTypeOf<JsonValue | undefined>();
});

test("the arguments of a call may be of any type with names", () => {
  const args: Record<string, unknown> = { a: 1 };
  void executor.execute({ id: "1", name: "add", arguments: args });
});
