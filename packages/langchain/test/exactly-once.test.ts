import fc from "fast-check";
import { inFullRun } from "@toolweave/test-support";
import { expect, it } from "vitest";
import { langchainTools } from "../src/index.ts";
import { readCode, graphMakers, createThread } from "./support/graphs.ts";
import { restarting } from "./support/workshop.ts";

const kinds = ["look", "remove", "plan", "pack"] as const;

const turn = fc.record({
  kinds: fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 5 }),
  /** Whether a person rejects, by call. */
  noes: fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
  /** The requests that are answered at once; none: all of them. */
  order: fc.array(fc.nat(4), { maxLength: 12 }),
});

it.each(Object.entries(graphMakers))(
  "with %s, a call has its effect once, or not at all if it is rejected, in any order of answers",
  async (_, maker) => {
    await fc.assert(
      fc.asyncProperty(turn, async ({ kinds, noes, order }) => {
        const { done, executor } = restarting();
        const calls = kinds.map((name, id) => ({ id: `c${id}`, name, args: { id } }));
        const thread = createThread(maker, () => langchainTools(executor()), calls);
        await thread.begin();
        const picks = [...order];
        while (thread.asked.length > 0) {
          const pick = picks.shift();
          const { asked } = thread;
          const now =
            pick === undefined ? asked : [asked[pick % asked.length] as (typeof asked)[0]];
          const answers = now.map(({ interruption: { id, call, requests } }) => {
            if (noes[Number(call.id.slice(1))] === true) return [id, { type: "reject" }];
            const isInput = requests[0]?.type === "input";
            return [id, isInput ? { type: "input", value: "today" } : { type: "approve" }];
          });
          await thread.resume(Object.fromEntries(answers));
        }
        const expected = kinds.flatMap((kind, id) => {
          if (kind === "look") return [`look ${id}`];
          if (kind === "remove") return noes[id] === true ? [] : [`remove ${id}`];
          // A tool that has asked decides what a rejection means: these two continue.
          if (kind === "plan") return [`ask ${id}`, `plan ${id}`];
          return [0, 1, 2].map((round) => `pack ${id} round ${round}`);
        });
        expect(done.toSorted()).toEqual(expected.toSorted());
        for (const [id, kind] of kinds.entries()) {
          const isRefused = kind === "remove" && noes[id] === true;
          expect(readCode(thread.answers[`c${id}`])).toBe(
            isRefused ? "approval_rejected" : undefined,
          );
        }
        expect(thread.last).toBe("done");
      }),
      { numRuns: inFullRun(40, 8) },
    );
  },
  // Hundreds of requests, also on busy machines.
  120_000,
);
