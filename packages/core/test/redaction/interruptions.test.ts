import { describe, expect, test } from "vitest";
import { suspend, type Interruption, type JsonObject, type Tool } from "@toolweave/core";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { completed, failed, getInterruption } from "../support/outcomes.ts";

const secret = "tok_4f9a0c2b7d1e";
const redact = { secrets: [secret] };

/** The data as returned by a database that sorts the members of objects. */
function reordered(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(reordered);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? 1 : -1));
  return Object.fromEntries(entries.map(([key, member]) => [key, reordered(member)]));
}

describe("the display of an interruption", () => {
  const asking = (ran: unknown[] = []): Tool =>
    tool(
      "send",
      (args) => {
        ran.push(args);
        return "sent";
      },
      {
        input: {
          type: "object",
          properties: {
            to: { type: "string" },
            password: { type: "string", format: "password" },
            pin: { type: "integer", writeOnly: true },
            login: { $ref: "#/$defs/login" },
          },
          $defs: { login: { type: "object", properties: { key: { "x-secret": true } } } },
        },
        annotations: { needsApprovalHint: true },
        preflight: ({ to }) => [
          {
            kind: "network",
            target: `POST https://h/${String(to)}`,
            summary: `Send to ${String(to)}`,
          },
        ],
      },
    );
  const args = {
    to: `x-${secret}`,
    password: "open sesame",
    pin: 471_147_114_711,
    login: { key: "k!1" },
  };

  test("SE09: has a mask in place of secrets, and the call runs with the original values", async () => {
    const ran: unknown[] = [];
    const executor = executorFor(asking(ran), { redact });
    const interruption = getInterruption(await executor.execute(call("send", args)));
    expect(interruption.call.arguments).toEqual({
      to: "x-[redacted]",
      password: "[redacted]",
      pin: "[redacted]",
      login: { key: "[redacted]" },
    });
    expect(JSON.stringify(interruption)).not.toMatch(
      /open sesame|471147114711|k!1|tok_4f9a0c2b7d1e/,
    );
    completed(await executor.resume(interruption, [{ type: "approve" }]));
    expect(ran).toEqual([args]);
  });

  test("a grant for similar calls applies to the original call, not to the masked one", async () => {
    const ran: unknown[] = [];
    const executor = executorFor(asking(ran), { redact });
    const interruption = getInterruption(await executor.execute(call("send", args)));
    completed(await executor.resume(interruption, [{ type: "approve", grant: "always" }]));
    completed(await executor.execute(call("send", args)));
    getInterruption(await executor.execute(call("send", { ...args, to: "x-[redacted]" })));
    expect(ran).toHaveLength(2);
  });

  test("edited with a mask in its place, it keeps the original value", async () => {
    const ran: unknown[] = [];
    const executor = executorFor(asking(ran), { redact });
    const interruption = getInterruption(await executor.execute(call("send", args)));
    const masked = interruption.call.arguments as Record<string, unknown>;
    const again = await executor.resume(interruption, [
      { type: "approve", arguments: { ...masked, pin: 42 } as never },
    ]);
    completed(again);
    expect(ran).toEqual([{ ...args, pin: 42 }]);
  });

  test("edited with a mask where there was none, it is refused and stays pending", async () => {
    const executor = executorFor(asking(), { redact });
    const interruption = getInterruption(await executor.execute(call("send", args)));
    const edited = { to: "y-[redacted]", password: "new" };
    const outcome = await executor.resume(interruption, [{ type: "approve", arguments: edited }]);
    expect(failed(outcome).error).toMatchObject({ code: "approval_invalid" });
    completed(await executor.resume(interruption, [{ type: "approve" }]));
  });

  test("edited after a store has reordered its members, each keeps its own name", async () => {
    const ran: unknown[] = [];
    const executor = executorFor(asking(ran), { redact });
    const given = { to: "bob", amount: 5, token: secret, [secret]: { b: 1, a: secret } };
    const kept = getInterruption(await executor.execute(call("send", given)));
    const interruption = reordered(kept) as typeof kept;
    const masked = interruption.call.arguments as Record<string, unknown>;
    const edited = { ...masked, amount: 6 } as never;
    completed(await executor.resume(interruption, [{ type: "approve", arguments: edited }]));
    expect(ran).toEqual([{ ...given, amount: 6 }]);
  });

  test("edited if several names are masked, it is refused: they cannot be distinguished", async () => {
    const other = "8471";
    const executor = executorFor(asking(), { redact: { secrets: [secret, other] } });
    const given = { [secret]: "x", [other]: "y" };
    const interruption = getInterruption(await executor.execute(call("send", given)));
    const edited = interruption.call.arguments as JsonObject;
    const answer = { type: "approve", arguments: edited } as const;
    expect(failed(await executor.resume(interruption, [answer])).error.code).toBe(
      "approval_invalid",
    );
    completed(await executor.resume(interruption, [{ type: "approve" }]));
  });

  test("a changed mask is detected like any other change", async () => {
    const executor = executorFor(asking(), { redact });
    const interruption = getInterruption(await executor.execute(call("send", args)));
    const changed: Interruption = {
      ...interruption,
      call: { ...interruption.call, arguments: { ...args, pin: 1 } },
    };
    const outcome = await executor.resume(changed, [{ type: "approve" }]);
    expect(failed(outcome).error.code).toBe("approval_invalid");
  });

  test("an approver sees the masked version, too", async () => {
    let asked: unknown;
    const executor = executorFor(asking(), {
      redact,
      onAsk: (ask) => {
        asked = { arguments: ask.arguments, requests: ask.requests };
        return { approved: true };
      },
    });
    completed(await executor.execute(call("send", args)));
    expect(JSON.stringify(asked)).not.toMatch(/open sesame|471147114711|k!1|tok_4f9a0c2b7d1e/);
  });

  test("of a nested call is passed on as displayed, and the call runs with the original values", async () => {
    const ran: unknown[] = [];
    const outer = tool("outer", async (_, { scope, resumed }) => {
      const outcome =
        resumed === undefined
          ? await scope.execute(call("send", args, "inner"))
          : await scope.resume(resumed.state as never);
      return outcome.status === "interrupted"
        ? suspend(outcome.interruption.requests, outcome.interruption as never)
        : "done";
    });
    const executor = executorFor([outer, asking(ran)], { redact });
    const interruption = getInterruption(await executor.execute(call("outer")));
    expect(JSON.stringify(interruption)).not.toMatch(
      /open sesame|471147114711|k!1|tok_4f9a0c2b7d1e/,
    );
    completed(await executor.resume(interruption, [{ type: "approve" }]));
    expect(ran).toEqual([args]);
  });

  test("of a tool that asks itself has no secret in its texts, and the link stays complete", async () => {
    const url = "https://login.example/authorize?state=abc&token=xyz";
    const asks = tool("t", () =>
      suspend([{ id: "1", type: "auth", credential: "c", message: `for ${secret}`, url }], null),
    );
    const { requests } = getInterruption(await executorFor(asks, { redact }).execute(call("t")));
    expect(requests).toEqual([
      { id: "1", type: "auth", credential: "c", message: "for [redacted]", url },
    ]);
  });
});
