import { describe, expect, test } from "vitest";
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { durableAgent } from "@toolweave/durable";
import { CrashingEngine } from "./support/crashing-engine.ts";
import { key, newOffice, openOffice } from "./support/office.ts";

const invalid = { code: "invalid_configuration" };

describe("durableAgent", () => {
  test("refuses options with which calls could run twice", () => {
    const engine = new CrashingEngine();
    const { model } = openOffice(newOffice());
    const executor = new ToolExecutor({ registry: new ToolRegistry([]), key });
    const define = (more: object) => () =>
      durableAgent(engine, { name: "a", ...openOffice(newOffice()), ...more });
    expect(define({ executor })).toThrow(expect.objectContaining(invalid));
    expect(define({ stopWhen: () => undefined })).toThrow(expect.objectContaining(invalid));
    expect(define({ name: "a b" })).toThrow(expect.objectContaining(invalid));
    expect(() => durableAgent(engine, undefined as never)).toThrow(
      "durableAgent: options is missing; use an object.",
    );
    expect(() => durableAgent({} as never, { name: "a", model, executor })).toThrow(
      expect.objectContaining(invalid),
    );
  });

  test("starts a run once, and knows no other one", async () => {
    const office = newOffice();
    const agent = durableAgent(new CrashingEngine(), { name: "a", ...openOffice(office) });
    await Promise.all([
      agent.start("run", { prompt: "Settle the case." }),
      agent.start("run", { prompt: "Settle the case." }),
    ]);
    await agent.result("run");
    await agent.start("run", { prompt: "Settle the case." });
    await agent.result("run");
    expect(office.effects).toHaveLength(5);
    await expect(agent.status("other")).rejects.toMatchObject({ code: "not_found" });
    await expect(agent.start("a/b", { prompt: "x" })).rejects.toMatchObject({
      code: "invalid_arguments",
    });
    await expect(agent.start("c", {})).rejects.toMatchObject({ code: "invalid_arguments" });
  });

  test("counts the turns and calls of sub-agents against its limits, also after a crash", async () => {
    for (const crashes of [() => false, crashingOnceAfter("c/turn 2")]) {
      const office = newOffice();
      const engine = new CrashingEngine(crashes);
      const options = { name: "a", ...openOffice(office), limits: { turns: 4 } };
      const agent = durableAgent(engine, options);
      await agent.start("run", { prompt: "Settle the case." });
      expect(await agent.result("run")).toMatchObject({
        status: "stopped",
        limit: "turns",
        usage: { turns: 4 },
      });
      expect(office.effects).toHaveLength(4);
    }
  });

  test("ends as failed when the model fails, and asks it no more", async () => {
    const office = newOffice();
    const model = { ...openOffice(office).model };
    let asked = 0;
    model.doGenerate = async () => {
      asked += 1;
      throw new Error("no such model");
    };
    const engine = new CrashingEngine(crashingOnceAfter("turn 1"));
    const agent = durableAgent(engine, { name: "a", ...openOffice(office), model });
    await agent.start("run", { prompt: "Settle the case." });
    expect(await agent.result("run")).toMatchObject({
      status: "failed",
      error: { code: "upstream" },
    });
    expect(asked).toBe(2);
  });
});

function crashingOnceAfter(step: string): (point: string, name: string) => boolean {
  let crashed = false;
  return (point, name) => !crashed && point === "after" && name === step && (crashed = true);
}
