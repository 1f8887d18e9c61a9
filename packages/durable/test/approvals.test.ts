import { describe, expect, test } from "vitest";
import { inFullRun } from "@toolweave/test-support";
import { durableAgent, type DurableAgent } from "@toolweave/durable";
import { CrashingEngine } from "./support/crashing-engine.ts";
import { newOffice, openOffice, sharedStores, type Office } from "./support/office.ts";

const done = ["file case", "pay power", "pay rent", "send letter 0", "send letter 1"];

/** A person is asked before each payment, and before each letter of the clerk. */
const asks = {
  preset: "autonomous",
  rules: [{ effect: "ask", tools: ["pay", "send"] }],
} as const;

function started(office: Office, engine: CrashingEngine): DurableAgent {
  const stores = sharedStores();
  const define = (): DurableAgent =>
    durableAgent(engine, { name: "director", ...openOffice(office, stores, asks) });
  engine.restart = define;
  return define();
}

/** The next interruptions that are not in `seen`. */
async function nextInterruptions(agent: DurableAgent, seen: ReadonlySet<string>) {
  for (;;) {
    const status = await agent.status("case_1");
    if (status.status !== "running" && status.status !== "interrupted") return [];
    const fresh =
      status.status === "interrupted" ? status.interruptions.filter(({ id }) => !seen.has(id)) : [];
    if (fresh.length > 0) return fresh;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Approves every call once, as it starts to wait. */
async function approveAll(agent: DurableAgent, seen = new Set<string>()): Promise<string[]> {
  const asked: string[] = [];
  for (;;) {
    const [interruption] = await nextInterruptions(agent, seen);
    if (interruption === undefined) return asked;
    seen.add(interruption.id);
    asked.push(interruption.call.name);
    await agent.answer("case_1", interruption.id, [{ type: "approve", by: "Ada" }]);
  }
}

/** Approves every call that waits, also one that was answered before and still waits. */
async function approveUntilEnded(agent: DurableAgent): Promise<void> {
  for (;;) {
    const status = await agent.status("case_1");
    if (status.status === "ended") return;
    for (const { id } of status.status === "interrupted" ? status.interruptions : []) {
      await agent.answer("case_1", id, [{ type: "approve", by: "Ada" }]).catch(() => {});
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("a durable agent that waits for people", () => {
  test("continues with each answer once, also in a sub-agent", async () => {
    const office = newOffice();
    const agent = started(office, new CrashingEngine());
    await agent.start("case_1", { prompt: "Settle the case." });
    expect(await approveAll(agent)).toEqual(["pay", "pay", "send", "send"]);
    expect(await agent.result("case_1")).toMatchObject({ status: "completed", text: "Done." });
    expect([...office.effects].sort()).toEqual(done);
  });

  test("has every effect once, wherever its process crashes, and asks for each call once", async () => {
    for (let n = 1; ; n += inFullRun(1, 7)) {
      let reached = 0;
      const engine = new CrashingEngine(() => (reached += 1) === n);
      const office = newOffice();
      const agent = started(office, engine);
      await agent.start("case_1", { prompt: "Settle the case." });
      const asked = await approveAll(agent);
      const result = await agent.result("case_1");
      expect(result, `crash ${n}`).toMatchObject({ status: "completed", text: "Done." });
      expect([...office.effects].sort(), `crash ${n}`).toEqual(done);
      expect(asked, `crash ${n}`).toHaveLength(4);
      if (engine.attempts > 1) continue;
      expect(n).toBeGreaterThan(40);
      break;
    }
  });

  test("gives a rejection to the model, and does not run the call", async () => {
    const office = newOffice();
    const agent = started(office, new CrashingEngine());
    await agent.start("case_1", { prompt: "Settle the case." });
    const [first] = await nextInterruptions(agent, new Set());
    await agent.answer("case_1", first?.id ?? "", [{ type: "reject", reason: "too dear" }]);
    await approveAll(agent, new Set([first?.id ?? ""]));
    await agent.result("case_1");
    expect(office.effects).not.toContain("pay rent");
    expect(office.read.some((text) => text.includes("too dear"))).toBe(true);
  });

  test("stays waiting after an answer that is not valid, and refuses a second one", async () => {
    const office = newOffice();
    const agent = started(office, new CrashingEngine());
    await agent.start("case_1", { prompt: "Settle the case." });
    const [first] = await nextInterruptions(agent, new Set());
    const id = first?.id ?? "";
    await agent.answer("case_1", id, [{ type: "approve", arguments: { item: 7 } }]);
    const again = await nextInterruptions(agent, new Set());
    expect(again.map((one) => one.id)).toContain(id);
    expect(office.effects).toEqual([]);
    await approveUntilEnded(agent);
    await expect(agent.answer("case_1", id, [{ type: "approve" }])).rejects.toMatchObject({
      code: "approval_invalid",
    });
    expect([...office.effects].sort()).toEqual(done);
  });

  test("can be cancelled while it waits", async () => {
    const office = newOffice();
    const agent = started(office, new CrashingEngine());
    await agent.start("case_1", { prompt: "Settle the case." });
    await nextInterruptions(agent, new Set());
    await agent.cancel("case_1");
    await expect(agent.result("case_1")).rejects.toMatchObject({ code: "cancelled" });
    expect(await agent.status("case_1")).toEqual({ status: "cancelled" });
    expect(office.effects).toEqual([]);
  });
});
