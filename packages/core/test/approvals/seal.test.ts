import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Interruption, JsonObject } from "@toolweave/core";
import { memoryPendingCalls, type PendingCallRecord } from "@toolweave/core/stores";
import { call, executorFor, guarded, tool } from "../support/executor-for.ts";
import { readCode, completed, getInterruption } from "../support/outcomes.ts";
import { key } from "../support/pending-call-stores.ts";

const yes = [{ type: "approve" }] as const;

describe("the key", () => {
  test.each<[string, unknown, string]>([
    ["a short text", "secret", "key has 6 bytes: use at least 32 random bytes"],
    ["short bytes", new Uint8Array(31), "key has 31 bytes"],
    ["nothing", "", "key has 0 bytes"],
    ["a number", 7, "key is neither a text nor bytes"],
    ["null", null, "key is neither a text nor bytes"],
  ])("that is %s is refused at construction", (_, key, message) => {
    expect(() => executorFor(guarded(), { key: key as never })).toThrow(
      expect.objectContaining({
        code: "invalid_configuration",
        message: expect.stringContaining(message),
      }),
    );
  });

  test("is measured in bytes, may be text or bytes, and is copied", async () => {
    const bytes = new TextEncoder().encode("ä".repeat(16));
    const first = executorFor(guarded(), { key: bytes });
    bytes.fill(0);
    const second = executorFor(guarded(), { key: "ä".repeat(16) });
    const interruption = getInterruption(await first.execute(call("pay")));
    expect((await second.resume(interruption, yes)).status).toBe("completed");
  });
});

describe("data that an executor seals", () => {
  test("AP15 cannot be read by its carrier", async () => {
    const executor = executorFor(guarded(), {
      key,
      hooks: [{ beforeCall: () => ({ arguments: { note: "public" } }) }],
    });
    const { state, ...visible } = getInterruption(
      await executor.execute(call("pay", { card: "4111111111111111" }), {
        caller: { id: "ada" },
      }),
    );
    const bytes = atob(state.slice(4).replaceAll("-", "+").replaceAll("_", "/"));
    expect(state).toMatch(/^tw1\.[A-Za-z0-9_-]+$/);
    for (const text of [bytes, state, JSON.stringify(visible)]) {
      expect(text).not.toContain("4111111111111111");
    }
    expect(bytes).not.toContain("ada");
  });

  test("AP12 AP15 includes the call that created it", async () => {
    const pendingCalls = memoryPendingCalls();
    const executor = executorFor(
      [guarded(), tool("outer", async (_, { scope }) => (await scope.execute(call("pay"))).status)],
      { key, pendingCalls },
    );
    completed(await executor.execute(call("outer")));
    const [{ interruption }] = (await pendingCalls.list()) as [PendingCallRecord];
    const { parentCallId, ...orphan } = interruption;
    expect(parentCallId).toBe("outer");
    for (const changed of [orphan, { ...orphan, parentCallId: "other" }]) {
      expect(readCode(await executor.resume(changed, yes))).toBe("approval_invalid");
    }
  });

  test("is another text each time", async () => {
    const executor = executorFor(guarded(), { key });
    const states = await Promise.all(
      Array.from({ length: 20 }, async () =>
        getInterruption(await executor.execute(call("pay"))).state.slice(0, 20),
      ),
    );
    expect(new Set(states).size).toBe(20);
  });

  test("AP15 opens with no other key", async () => {
    const ran: JsonObject[] = [];
    const interruption = getInterruption(
      await executorFor(guarded(), { key }).execute(call("pay")),
    );
    const other = executorFor(guarded(ran), { key: `${key}!` });
    const outcome = await other.resume(interruption, yes);
    expect(outcome).toMatchObject({
      error: {
        code: "approval_invalid",
        message:
          "This interruption of pay cannot be opened: it was changed, or belongs to an executor with another key.",
      },
    });
    expect(ran).toEqual([]);
  });

  test("AP15 belongs to one interruption: the state of one call is not valid for another", async () => {
    const ran: JsonObject[] = [];
    const executor = executorFor(guarded(ran), { key });
    const [cheap, dear] = await Promise.all(
      [5, 5000].map(async (amount) =>
        getInterruption(await executor.execute(call("pay", { amount }, "c"), { id: "r" })),
      ),
    );
    for (const [plain, hidden] of [
      [cheap, dear],
      [dear, cheap],
    ] as [Interruption, Interruption][]) {
      const mixed = { ...plain, state: hidden.state };
      expect(readCode(await executor.resume(mixed, yes))).toBe("approval_invalid");
      expect(readCode(await executor.resume({ ...mixed, id: hidden.id }, yes))).toBe(
        "approval_invalid",
      );
    }
    expect(ran).toEqual([]);
  });

  test("AP15 is refused if any character was changed", async () => {
    const ran: JsonObject[] = [];
    const executor = executorFor(guarded(ran), { key });
    const interruption = getInterruption(await executor.execute(call("pay", { amount: 5 })));
    const text = JSON.stringify(interruption);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(text.length - 1),
        fc.constantFrom(...'09azAZ_-{}[]",:'),
        async (at, character) => {
          const changed = `${text.slice(0, at)}${character}${text.slice(at + 1)}`;
          if (changed === text) return;
          let parsed: Interruption;
          try {
            parsed = JSON.parse(changed) as Interruption;
          } catch {
            return;
          }
          expect(readCode(await executor.resume(parsed, yes))).toBe("approval_invalid");
        },
      ),
      { numRuns: 300 },
    );
    expect(ran).toEqual([]);
    completed(await executor.resume(JSON.parse(text) as Interruption, yes));
  });

  test("survives stores that sort keys and drop undefined values", async () => {
    const ran: JsonObject[] = [];
    const executor = executorFor(guarded(ran), { key });
    const args = { z: 1, a: { y: [1.5, -0, 1e21, "\u2028"], b: null }, ["__proto__"]: 1 };
    const interruption = getInterruption(await executor.execute(call("pay", args)));
    const reversed = (value: unknown): unknown => {
      if (typeof value !== "object" || value === null) return value;
      if (Array.isArray(value)) return value.map(reversed);
      return Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([key, member]) => [key, reversed(member)]),
      );
    };
    const kept = { ...(reversed(interruption) as Interruption), extra: undefined };
    completed(await executor.resume(kept, yes));
    expect(ran).toHaveLength(1);
  });
});
