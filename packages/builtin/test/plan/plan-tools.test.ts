import { describe, expect, test } from "vitest";
import { planTools } from "../../src/index.ts";
import { openTools, readText } from "../support/open-tools.ts";

describe("ask_user", () => {
  const ask = async (args: Record<string, unknown>) => {
    const { executor, call } = openTools([planTools()]);
    const outcome = await call("ask_user", args as never);
    if (outcome.status !== "interrupted") throw new Error("It did not wait.");
    return { executor, interruption: outcome.interruption };
  };

  test("waits for a choice of the user, and gives it to the model", async () => {
    const { executor, interruption } = await ask({ question: "Which?", choices: ["red", "blue"] });
    expect(interruption.requests).toMatchObject([
      {
        type: "input",
        message: "Which?",
        schema: { properties: { answer: { enum: ["red", "blue"] } } },
      },
    ]);
    const outcome = await executor.resume(interruption, [
      { type: "input", value: { answer: "blue" } },
    ]);
    expect(readText(outcome)).toBe("blue");
    expect(outcome.result?.value).toEqual({ answer: "blue" });
  });

  test("takes several choices, or any text", async () => {
    const several = await ask({ question: "Which?", choices: ["a", "b", "c"], several: true });
    const chosen = await several.executor.resume(several.interruption, [
      { type: "input", value: { answer: ["a", "c"] } },
    ]);
    expect(readText(chosen)).toBe("a\nc");
    const open = await ask({ question: "Why?" });
    const said = await open.executor.resume(open.interruption, [
      { type: "input", value: { answer: "because" } },
    ]);
    expect(readText(said)).toBe("because");
  });

  test("does not take what was not offered", async () => {
    const { executor, interruption } = await ask({ question: "Which?", choices: ["a", "b"] });
    await expect(
      executor.resume(interruption, [{ type: "input", value: { answer: "c" } }]),
    ).resolves.toMatchObject({ error: { code: "approval_invalid" } });
  });

  test("tells the model that the user has not answered", async () => {
    const { executor, interruption } = await ask({ question: "Which?" });
    const outcome = await executor.resume(interruption, [{ type: "reject", reason: "not now" }]);
    expect(readText(outcome)).toBe("The user did not answer: not now");
  });
});

describe("todo", () => {
  const items = [
    { text: "read the code", status: "completed" },
    { text: "write a test", status: "in_progress" },
    { text: "mend it", status: "pending" },
  ];

  test("replaces the plan, and reads it again", async () => {
    const { callText } = openTools([planTools()]);
    const plan = "[x] read the code\n[>] write a test\n[ ] mend it\n1 of 3 completed";
    expect(await callText("todo", {})).toBe("The list is empty.");
    expect(await callText("todo", { items })).toBe(plan);
    expect(await callText("todo", {})).toBe(plan);
    expect(await callText("todo", { items: [] })).toBe("The list is empty.");
  });

  test("each caller has a plan of its own", async () => {
    const { callText } = openTools([planTools()]);
    await callText("todo", { items }, { id: "ada" });
    expect(await callText("todo", {}, { id: "grace" })).toBe("The list is empty.");
  });

  test("each change is an update for the host", async () => {
    const { executor } = openTools([planTools()]);
    const updates: unknown[] = [];
    executor.on((event) => {
      if (event.type === "tool.updated") updates.push(event);
    });
    await executor.execute({ id: "1", name: "todo", arguments: { items } });
    expect(updates.length).toBe(1);
  });
});
