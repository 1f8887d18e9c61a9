import { setImmediate as turn } from "node:timers/promises";
import type { JsonObject } from "@toolweave/core";
import { getTenant } from "./isolation.ts";
import { hanging, ofTools, withInvoke, type Mutant } from "./mutant.ts";

/**
 * A connection of the module, with one transaction at a time: those of one session are combined.
 */
const transaction: { session: object | undefined; depth: number } = {
  session: undefined,
  depth: 0,
};

export const concurrencyMutants: readonly Mutant[] = [
  ofTools("TW-CONC-001", "a client that can do one thing at a time", (tools) => {
    let busy = false;
    return withInvoke(tools, "add", async (args, ctx, add) => {
      if (busy) throw new Error("A request is under way already.");
      busy = true;
      try {
        await turn();
        return await add(args, ctx);
      } finally {
        busy = false;
      }
    });
  }),
  ofTools("TW-CONC-002", "arguments that are kept in the tool", (tools) => {
    let current: JsonObject = {};
    return withInvoke(tools, "add", async (args, ctx, add) => {
      current = args;
      await turn();
      return add(current, ctx);
    });
  }),
  ofTools("TW-CONC-002", "answers that are assigned to requests in another order", (tools) => {
    const waiting: ((answer: unknown) => void)[] = [];
    return withInvoke(tools, "add", async (args, ctx, add) => {
      const answered = new Promise<unknown>((resolve) => waiting.push(resolve));
      await turn();
      // The last request gets the first answer.
      waiting.pop()?.(await add(args, ctx));
      return (await answered) as number;
    });
  }),
  ofTools("TW-CONC-002", "a result with a part that is drawn at random", (tools) =>
    withInvoke(tools, "find_book", ({ title }, ctx) => [
      { title: title ?? "", shelf: `${getTenant(ctx)}/${Math.floor(Math.random() * 100)}` },
    ]),
  ),
  ofTools("TW-CONC-002", "a result that is seldom another one", (tools) => {
    let calls = 0;
    return withInvoke(tools, "add", ({ a, b }) => {
      calls += 1;
      return Number(a) + Number(b) + (calls % 7 === 0 ? 1 : 0);
    });
  }),
  ofTools("TW-CONC-002", "the result of the call before", (tools) => {
    let last: unknown;
    return withInvoke(tools, "add", async (args, ctx, add) => {
      const before = last;
      last = await add(args, ctx);
      return (before ?? last) as number;
    });
  }),
  ofTools("TW-CONC-002", "a result that counts the calls under way", (tools) => {
    let active = 0;
    return withInvoke(tools, "add", async ({ a, b }) => {
      active += 1;
      await turn();
      const sum = Number(a) + Number(b) + active - 1;
      active -= 1;
      return sum;
    });
  }),
  ofTools("TW-CONC-003", "answers that are cached by call id", (tools) => {
    const requests = new Map<string, JsonObject>();
    return withInvoke(tools, "add", async (args, ctx, add) => {
      requests.set(ctx.callId, args);
      await turn();
      return add(requests.get(ctx.callId) ?? args, ctx);
    });
  }),
  ofTools("TW-CONC-004", "a value that is read, changed and written back", (tools, world) =>
    withInvoke(tools, "append_line", async ({ line }) => {
      const read = [...world.lines];
      await turn();
      world.lines.splice(0, world.lines.length, ...read, String(line));
      return `${world.lines.length} lines`;
    }),
  ),
  ofTools("TW-CONC-005", "a batch that fails as a whole", (tools) => {
    const batch = new Set<() => void>();
    const doors = withInvoke(tools, "open_door", async (args, ctx, open) => {
      await Promise.resolve();
      for (const fail of batch) fail();
      return open(args, ctx);
    });
    return withInvoke(doors, "add", async (args, ctx, add) => {
      let fail = (): void => {};
      const failed = new Promise<never>((_, reject) => {
        fail = () => reject(new Error("The batch has failed."));
      });
      batch.add(fail);
      try {
        return await Promise.race([failed, turn().then(() => add(args, ctx))]);
      } finally {
        batch.delete(fail);
      }
    });
  }),
  ofTools("TW-CONC-006", "one transaction for the whole module", (tools) => {
    const session = {};
    return withInvoke(tools, "add", async (args, ctx, add) => {
      if (transaction.depth > 0 && transaction.session !== session) {
        throw new Error("Another session's transaction is under way.");
      }
      transaction.session = session;
      transaction.depth += 1;
      try {
        await turn();
        return await add(args, ctx);
      } finally {
        transaction.depth -= 1;
      }
    });
  }),
  hanging(
    ofTools("TW-CONC-007", "a queue for all calls", (tools) => {
      const waits = new Set<Promise<unknown>>();
      const waiting = withInvoke(tools, "wait", async (args, ctx, wait) => {
        const answer = Promise.resolve(wait(args, ctx));
        waits.add(answer);
        try {
          return await answer;
        } finally {
          waits.delete(answer);
        }
      });
      return withInvoke(waiting, "add", async (args, ctx, add) => {
        await Promise.allSettled(waits);
        return add(args, ctx);
      });
    }),
  ),
];
