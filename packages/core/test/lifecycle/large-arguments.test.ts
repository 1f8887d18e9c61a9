import { describe, expect, test } from "vitest";
import type { JsonObject, ToolCall, ToolOutcome } from "@toolweave/core";
import { call, delegating, executorFor, guarded } from "../support/executor-for.ts";
import { completed, failed, getInterruption } from "../support/outcomes.ts";
import { getTaskId } from "../tasks/task-for.ts";

const yes = [{ type: "approve" }] as const;
const small = [1_000, 1_000_000, 7_000_000, 15_000_000];
const large = [17_000_000, 64_000_000];

const tooLarge = /^invalid_arguments: .* too large/;

type Form = "text" | "value";

function createArguments(characters: number, form: Form): string | JsonObject {
  const to = "z".repeat(characters);
  return form === "text" ? JSON.stringify({ to }) : { to };
}

describe.each<Form>(["text", "value"])("arguments that are passed as a %s", (form) => {
  test.each(small)("of %i characters wait for a person, and run", async (characters) => {
    const ran: JsonObject[] = [];
    const executor = executorFor([guarded(ran)]);
    const asked = await executor.execute(call("pay", createArguments(characters, form)));
    completed(await executor.resume(getInterruption(asked), yes));
    expect(ran[0]?.["to"]).toHaveLength(characters);
  });

  test.each(large)("of %i characters are refused", async (characters) => {
    const executor = executorFor([guarded()]);
    const large = (): ToolCall => call("pay", createArguments(characters, form));
    expect(toReason(await executor.execute(large()))).toMatch(tooLarge);
    expect(toReason(await executor.execute(large(), { asTask: true }))).toMatch(tooLarge);
  });
});

test("a key counts, too", async () => {
  const large = call("pay", { ["z".repeat(17_000_000)]: 1 });
  expect(toReason(await executorFor([guarded()]).execute(large))).toMatch(tooLarge);
});

test("a nested call with large arguments waits for a person, too", async () => {
  const ran: JsonObject[] = [];
  const executor = executorFor([delegating("outer", "pay"), guarded(ran)]);
  const outer = call("outer", createArguments(3_000_000, "value"));
  completed(await executor.resume(getInterruption(await executor.execute(outer)), yes));
  expect(ran).toHaveLength(1);
});

test("a nested call whose question is too large to be kept is an error of the outer call", async () => {
  const executor = executorFor([delegating("outer", "pay"), guarded()]);
  const outer = call("outer", createArguments(15_000_000, "value"));
  expect(failed(await executor.execute(outer)).error.message).toContain("more than 33554432 bytes");
});

test("a task with large arguments asks, and runs", async () => {
  const ran: JsonObject[] = [];
  const executor = executorFor([guarded(ran)]);
  const asked = getInterruption(
    await executor.execute(call("pay", createArguments(15_000_000, "text")), { asTask: true }),
  );
  completed(await executor.tasks.result(getTaskId(await executor.resume(asked, yes))));
  expect(ran).toHaveLength(1);
});

function toReason(outcome: ToolOutcome): string {
  const { code, message } = failed(outcome).error;
  return `${code}: ${message}`;
}
