import type { ToolContext } from "@toolweave/core";
import fc from "fast-check";
import { expect, it } from "vitest";
import { ActiveCalls, type ActiveRequest } from "../../src/server-requests/active-calls.ts";

/** A call, as the server knows it. */
interface Call {
  readonly request: ActiveRequest;
  readonly session: number;
  /** Its requests without an answer: the server does not answer the call before. */
  asking: number;
}

/** A step: a new call, or one of the call with this number, modulo those in progress. */
const step = fc.oneof(
  fc.record({ type: fc.constant("begin" as const), session: fc.nat(2) }),
  fc.record({ type: fc.constantFrom("ask", "answer", "answer", "stop"), at: fc.nat(9) }),
);

it("never passes a request to another session, and lets every call end", async () => {
  const property = fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
    const active = new ActiveCalls();
    const calls: Call[] = [];
    const wrong: unknown[] = [];
    const { signal } = new AbortController();
    const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    const begin = (session: number): void => {
      const ctx = { runId: "run", sessionId: `${session}`, progress: () => {} };
      const request = active.begin(ctx as unknown as ToolContext);
      calls.push({ request, session, asking: 0 });
    };
    const ask = (call: Call): void => {
      call.asking += 1;
      void active
        .findCalls("a request", { streamOwner: undefined, signal })
        .then(
          (found) =>
            wrong.push(...found.filter(({ sessionId }) => sessionId !== `${call.session}`)),
          () => {},
        )
        .then(() => (call.asking -= 1));
    };
    const end = (call: Call, isAnswered: boolean): void => {
      calls.splice(calls.indexOf(call), 1);
      active.end(call.request, isAnswered);
    };
    for (const next of steps) {
      await settle();
      if ("session" in next) {
        begin(next.session);
        continue;
      }
      const call = calls[next.at % calls.length];
      if (call === undefined) continue;
      if (next.type === "ask") ask(call);
      else if (next.type === "stop") end(call, false);
      else if (call.asking === 0) end(call, true);
    }
    // The server answers each call that does not wait for an answer itself.
    while (calls.length > 0) {
      await settle();
      const free = calls.find(({ asking }) => asking === 0);
      expect(free, "a call that can end").toBeDefined();
      end(free as Call, true);
    }
    expect(wrong).toEqual([]);
  });
  await fc.assert(property, { numRuns: 300, seed: 22 });
});
