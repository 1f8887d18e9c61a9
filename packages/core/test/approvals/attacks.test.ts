import { describe, expect, test } from "vitest";
import {
  prefix,
  rename,
  toolsSource,
  type ApprovalQuestion,
  type JsonObject,
} from "@toolweave/core";
import { call, executorFor, foreignTool, guarded, tool } from "../support/executor-for.ts";
import { readCode, completed, getInterruption } from "../support/outcomes.ts";
import { key } from "../support/pending-call-stores.ts";
import { TestSource } from "../support/test-source.ts";

const yes = [{ type: "approve" }] as const;

describe("AP07 many calls at once", () => {
  const files = (ran: string[]) =>
    new TestSource(
      "s",
      [
        foreignTool("read", {
          spec: { annotations: { readOnlyHint: true } },
          preflight: ({ path }) => [
            { kind: "process", target: `cat ${String(path)}`, summary: `Read ${String(path)}` },
          ],
          invoke: ({ path }) => void ran.push(`read ${String(path)}`),
        }),
        foreignTool("remove", {
          spec: { annotations: { destructiveHint: true } },
          preflight: ({ path }) => [
            { kind: "fs.write", target: `${String(path)}`, summary: `Remove ${String(path)}` },
          ],
          invoke: ({ path }) => void ran.push(`remove ${String(path)}`),
        }),
      ],
      { trusted: true },
    );
  const calls = Array.from({ length: 50 }, (_, at) =>
    call(at === 23 ? "remove" : "read", { path: `/f${at}` }, `c${at}`),
  );

  test("need an approval each, with their own risk; one approval covers one of them", async () => {
    const ran: string[] = [];
    const executor = executorFor(files(ran));
    const outcomes = await executor.startRun().executeAll(calls);
    const interruptions = outcomes.map((outcome) => getInterruption(outcome));
    const risks = interruptions.map(({ requests: [request] }) =>
      request?.type === "approval" ? `${request.permission.kind} ${request.reason}` : "",
    );
    expect(new Set(risks).size).toBe(2);
    expect(risks[23]).toBe("fs.write supervised: the tool is marked destructive");
    for (const [at, interruption] of interruptions.entries()) {
      if (at !== 23) completed(await executor.resume(interruption, yes));
    }
    expect(ran).toHaveLength(49);
    expect(ran.filter((line) => line.startsWith("remove"))).toEqual([]);
  });

  test("are given to an approver one by one, so that no approval covers another call", async () => {
    const ran: string[] = [];
    const asked: ApprovalQuestion[] = [];
    const executor = executorFor(files(ran), {
      onAsk: (ask) => {
        asked.push(ask);
        return { approved: ask.spec.annotations.destructiveHint !== true };
      },
    });
    await executor.startRun().executeAll(calls);
    expect(asked).toHaveLength(50);
    expect(ran.filter((line) => line.startsWith("remove"))).toEqual([]);
  });

  test("are not approved together by a grant of one of them", async () => {
    const ran: string[] = [];
    const executor = executorFor(files(ran));
    const outcomes = await executor.startRun().executeAll(calls.slice(20, 26));
    const first = getInterruption(outcomes[0]);
    completed(await executor.resume(first, [{ type: "approve", grant: "always" }]));
    const again = await executor.startRun().executeAll(calls.slice(20, 26));
    expect(again.map(({ status }) => status)).toEqual([
      "completed",
      ...Array.from({ length: 5 }, () => "interrupted"),
    ]);
  });
});

test.each(["summary", "details"])(
  "AP03 a call whose %s changes needs another approval",
  async (member) => {
    let said = "as before";
    const ran: JsonObject[] = [];
    const paying = foreignTool("pay", {
      preflight: () => [{ kind: "spend", target: "bank", summary: "Pay", [member]: said }],
      invoke: (args) => void ran.push(args),
    });
    const executor = executorFor(new TestSource("s", [paying], { trusted: true }));
    const first = getInterruption(await executor.execute(call("pay")));
    said = "ten times as much";
    const second = getInterruption(await executor.resume(first, yes));
    expect(ran).toEqual([]);
    completed(await executor.resume(second, yes));
    expect(ran).toHaveLength(1);
  },
);

describe("AP13 another name for a tool", () => {
  const policy = { rules: [{ tools: "bank__pay", effect: "ask", ask: "always" }] } as const;

  test("does not avoid a rule: a call uses the one name in the registry", async () => {
    const ran: JsonObject[] = [];
    const source = prefix(
      rename(toolsSource("bank", [tool("transfer", (args) => void ran.push(args))]), {
        transfer: "pay",
      }),
      "bank",
    );
    const executor = executorFor(source, { policy });
    const outcomes = await executor
      .startRun()
      .executeAll(
        [
          "bank__pay",
          "pay",
          "transfer",
          "bank__transfer",
          "BANK__PAY",
          "bank__pay ",
          "bank__pаy",
        ].map((name) => call(name, {}, name)),
      );
    expect(outcomes.map(({ status }) => status)).toEqual([
      "interrupted",
      ...Array.from({ length: 6 }, () => "failed"),
    ]);
    expect(ran).toEqual([]);
  });

  test("cannot be set on an approval, and an approval cannot be used for another tool", async () => {
    const ran: JsonObject[] = [];
    const executor = executorFor(
      [guarded(ran), tool("wipe", (args) => void ran.push(args), { needsApproval: true })],
      { key },
    );
    const interruption = getInterruption(await executor.execute(call("pay")));
    const renamed = { ...interruption, call: { ...interruption.call, name: "wipe" } };
    expect(readCode(await executor.resume(renamed, yes))).toBe("approval_invalid");
    expect(ran).toEqual([]);
  });
});

describe("AP01 the arguments of an approved call", () => {
  test("are the displayed ones, even if the caller changes the object meanwhile", async () => {
    const ran: JsonObject[] = [];
    const executor = executorFor(guarded(ran));
    const args: JsonObject = { nested: { amount: 5 } };
    const asked = call("pay", args);
    const outcome = executor.execute(asked);
    (args["nested"] as { amount: number }).amount = 5000;
    const interruption = getInterruption(await outcome);
    (asked as { arguments: unknown }).arguments = { nested: { amount: 7 } };
    completed(await executor.resume(interruption, yes));
    expect(ran).toEqual([interruption.call.arguments]);
  });

  test("need another approval if they are repaired to something else", async () => {
    let repaired: JsonObject = { n: 1 };
    const ran: JsonObject[] = [];
    const executor = executorFor(
      tool("pay", (args) => void ran.push(args), {
        needsApproval: true,
        input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
      }),
      { hooks: [{ beforeCall: () => ({ arguments: repaired }) }] },
    );
    const interruption = getInterruption(await executor.execute(call("pay", { n: 0 })));
    repaired = { n: 2 };
    expect((await executor.resume(interruption, yes)).status).toBe("interrupted");
    expect(ran).toEqual([]);
  });
});
