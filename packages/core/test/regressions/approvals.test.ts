import { describe, expect, test } from "vitest";
import { suspend, type Interruption, type JsonObject, type Tool } from "@toolweave/core";
import { memoryPendingCalls } from "@toolweave/core/stores";
import { call, executorFor, foreignTool, guarded, tool } from "../support/executor-for.ts";
import { readCode, completed, getInterruption } from "../support/outcomes.ts";
import { key } from "../support/pending-call-stores.ts";
import { TestSource } from "../support/test-source.ts";

const yes = [{ type: "approve" }] as const;

// Defects that users of other systems have reported. The numbers are theirs.
describe("approvals, with the known defects of other systems", () => {
  test("a rejected tool never runs (mastra 20470)", async () => {
    const ran: JsonObject[] = [];
    const executor = executorFor([guarded(ran), tool("other")]);
    const run = executor.startRun();
    const [first, , third] = await run.executeAll([
      call("pay", { n: 1 }, "a"),
      call("other", {}, "b"),
      call("pay", { n: 2 }, "c"),
    ]);
    for (const outcome of [first, third]) {
      const interruption = getInterruption(outcome);
      expect(readCode(await executor.resume(interruption, [{ type: "reject" }]))).toBe(
        "approval_rejected",
      );
      // Neither later, nor by another caller's approval.
      expect(readCode(await executor.resume(interruption, yes))).toBe("approval_invalid");
    }
    expect(ran).toEqual([]);
  });

  test("approval is never silently skipped (vercel/ai 17033): every way to call a tool that needs one asks", async () => {
    const ran: JsonObject[] = [];
    const reached: Tool = tool("reach", async (_, { scope }) => {
      const outcome = await scope.execute(call("pay", { nested: true }));
      return outcome.status;
    });
    const executor = executorFor([guarded(ran), reached]);
    const run = executor.startRun();
    const made = call("pay", {}, "admitted");
    const ways = [
      await executor.execute(call("pay")),
      await run.execute(call("pay", "{}")),
      await run.execute(call("pay", { approved: true, needsApproval: false })),
      ...(await run.executeAll([call("pay"), call("pay")])),
      await run.checkAdmission(made),
    ];
    expect(ways.map((outcome) => outcome?.status)).toEqual(ways.map(() => "interrupted"));
    expect(completed(await run.execute(call("reach"))).result.content).toEqual([
      { type: "text", text: "interrupted" },
    ]);
    expect(ran).toEqual([]);
  });

  test("approval is not silently skipped if its decision fails", async () => {
    const ran: JsonObject[] = [];
    const failing = foreignTool("pay", {
      preflight: () => {
        throw new Error("the check is broken");
      },
      invoke: (args) => void ran.push(args),
    });
    const executor = executorFor(new TestSource("s", [failing], { trusted: true }), {
      policy: "autonomous",
    });
    expect((await executor.execute(call("pay"))).status).toBe("failed");
    const asking = executorFor(
      tool("t", (args) => void ran.push(args), {
        needsApproval: () => Promise.reject(new Error("the check is broken")),
      }),
    );
    expect((await asking.execute(call("t"))).status).toBe("failed");
    expect(ran).toEqual([]);
  });

  test("approvals inside sub-agents are not lost (openai-agents-js 243, 680)", async () => {
    const ran: string[] = [];
    const pendingCalls = memoryPendingCalls();
    const agent = (name: string, makes: readonly string[]): Tool =>
      tool(name, async (_, { scope, resumed }) => {
        const waiting = (resumed?.state ?? []) as unknown as Interruption[];
        const outcomes = await Promise.all(
          resumed === undefined
            ? makes.map((made) => scope.execute(call(made, {}, `${name}/${made}`)))
            : waiting.map((one) => scope.resume(one)),
        );
        const open = outcomes.flatMap((outcome) =>
          outcome.status === "interrupted" ? [outcome.interruption] : [],
        );
        if (open.length > 0) {
          return suspend(
            open.flatMap(({ requests }) => requests),
            open as never,
          );
        }
        return outcomes.map(({ status }) => status);
      });
    const leaf = (name: string): Tool =>
      tool(name, () => void ran.push(name), { needsApproval: true });
    const make = () =>
      executorFor(
        [
          agent("manager", ["researcher", "buyer"]),
          agent("researcher", ["read"]),
          agent("buyer", ["pay"]),
          leaf("read"),
          leaf("pay"),
        ],
        { key, pendingCalls },
      );
    // Both are asked at once, though they are two levels down and in different sub-agents.
    const interruption = getInterruption(await make().execute(call("manager")));
    expect(interruption.requests).toMatchObject([
      { permission: { target: "read" }, call: { name: "read" } },
      { permission: { target: "pay" }, call: { name: "pay" } },
    ]);
    expect(ran).toEqual([]);
    const carried = JSON.parse(JSON.stringify(interruption)) as Interruption;
    const [first, second] = interruption.requests.map(({ id }) => id) as [string, string];
    const outcome = await make().resume(carried, [
      { type: "approve", requestId: first },
      { type: "reject", requestId: second },
    ]);
    completed(outcome);
    expect(ran).toEqual(["read"]);
  });

  test("rejecting one call does not drop its approved siblings (langchainjs 11125)", async () => {
    const ran: JsonObject[] = [];
    const executor = executorFor(guarded(ran));
    const outcomes = await executor
      .startRun()
      .executeAll([1, 2, 3].map((n) => call("pay", { n }, `c${n}`)));
    const answers = [yes, [{ type: "reject" }], yes] as const;
    const ends = await Promise.all(
      outcomes.map((outcome, at) => executor.resume(getInterruption(outcome), answers[at] ?? yes)),
    );
    expect(ends.map(({ status }) => status)).toEqual(["completed", "failed", "completed"]);
    expect(ran.map(({ n }) => n).sort()).toEqual([1, 3]);
  });

  test("two parallel suspensions of one tool (mastra 16468) stay separate", async () => {
    const executor = executorFor(
      tool("book", ({ city }, { resumed }) =>
        resumed === undefined
          ? suspend([{ id: "q", type: "input", message: `When to ${String(city)}?` }], {
              city,
            } as never)
          : ({
              ...(resumed.state as JsonObject),
              answer: resumed.answers.map((it) => "value" in it && it.value),
            } as never),
      ),
    );
    const outcomes = await executor
      .startRun()
      .executeAll(["Rome", "Oslo"].map((city) => call("book", { city })));
    const [rome, oslo] = outcomes.map((outcome) => getInterruption(outcome));
    const ends = await Promise.all([
      executor.resume(oslo as Interruption, [{ type: "input", value: "May" }]),
      executor.resume(rome as Interruption, [{ type: "input", value: "June" }]),
    ]);
    expect(ends.map((outcome) => completed(outcome).result.value)).toEqual([
      { city: "Oslo", answer: ["May"] },
      { city: "Rome", answer: ["June"] },
    ]);
  });
});
