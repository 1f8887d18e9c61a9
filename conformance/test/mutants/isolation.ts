import { setImmediate as turn } from "node:timers/promises";
import type { JsonObject, ToolContext } from "@toolweave/core";
import type { World } from "../fixtures/index.ts";
import { afterRules, ofTools, withInvoke, type Mutant } from "./mutant.ts";

/** The values that are injected into every run. */
interface Injected {
  readonly tenant: string;
}

/** The tenant of a call's own run. */
export function getTenant(ctx: ToolContext): string {
  return (ctx.injected as Injected).tenant;
}

/** The clients of the module by purpose, created by the first run. */
const clients = new WeakMap<World, { readonly tenant: string }>();

/** Runs, callers and answers that are confused. */
export const isolationMutants: readonly Mutant[] = [
  ofTools("TW-CALL-016", "a client with the tenant of the first run", (tools) => {
    let tenant: string | undefined;
    return withInvoke(tools, "find_book", async ({ title }, ctx) => {
      tenant ??= getTenant(ctx);
      await turn();
      return [{ title: title ?? "", shelf: `${tenant}/1` }];
    });
  }),
  ofTools("TW-CALL-016", "answers that are cached for all tenants", (tools) => {
    const answers = new Map<string, JsonObject>();
    return withInvoke(tools, "find_book", (args, ctx) => {
      const key = JSON.stringify(args);
      const answer = answers.get(key) ?? { title: String(args["title"]), shelf: getTenant(ctx) };
      answers.set(key, answer);
      return [{ ...answer }];
    });
  }),
  ofTools("TW-CALL-016", "the context of a call in a member of the tool", (tools) => {
    let current: ToolContext | undefined;
    return withInvoke(tools, "find_book", async ({ title }, ctx) => {
      current = ctx;
      await turn();
      return [{ title: title ?? "", shelf: getTenant(current) }];
    });
  }),
  ofTools("TW-CALL-017", "an undeclared value of the host", (tools) =>
    withInvoke(tools, "greet", (args, ctx) => `hello ${String(args["tenant"] ?? getTenant(ctx))}`),
  ),
  afterRules(
    ["TW-CALL-002"],
    ofTools("TW-CALL-017", "a client of the module that keeps the first tenant", (tools, world) =>
      withInvoke(tools, "find_book", ({ title }, ctx) => {
        const client = clients.get(world) ?? { tenant: getTenant(ctx) };
        clients.set(world, client);
        return [{ title: title ?? "", shelf: client.tenant }];
      }),
    ),
  ),
  ofTools("TW-CALL-022", "a default that is written into what the host injects", (tools) =>
    withInvoke(tools, "find_book", (args, ctx, find) => {
      Object.assign(ctx.injected as object, { locale: "en" });
      return find(args, ctx);
    }),
  ),
  ofTools("TW-CALL-023", "answers to one caller that the next one receives", (tools) => {
    const answers = new Map<string, string>();
    return withInvoke(tools, "greet", (args, { caller }) => {
      const key = JSON.stringify(args);
      const answer = answers.get(key) ?? `hello ${caller?.id ?? "you"}`;
      answers.set(key, answer);
      return answer;
    });
  }),
  ofTools("TW-CALL-023", "a session that the first call opens for all", (tools) => {
    let session: string | undefined;
    return withInvoke(tools, "greet", (_, { sessionId }) => {
      session ??= `session ${sessionId ?? ""}`;
      return session;
    });
  }),
  ofTools("TW-CALL-023", "the caller of the last call in a member of the tool", (tools) => {
    let last: string | undefined;
    return withInvoke(tools, "greet", async (_, { caller }) => {
      last = caller?.id ?? "you";
      await turn();
      return `hello ${last}`;
    });
  }),
  ofTools("TW-CONC-008", "a call id for an idempotency key", (tools) => {
    const done = new Set<string>();
    return withInvoke(tools, "append_line", (args, ctx, append) => {
      if (done.has(ctx.callId)) return "It was appended before.";
      done.add(ctx.callId);
      return append(args, ctx);
    });
  }),
  ofTools("TW-RESULT-017", "the table itself as an answer", (tools) => {
    const rows: JsonObject[] = [];
    return withInvoke(tools, "find_book", ({ title }, ctx) => {
      rows.push({ title: title ?? "", shelf: getTenant(ctx) });
      return { content: [{ type: "text", text: JSON.stringify(rows) }], value: rows };
    });
  }),
];
