import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { describe, expect, test } from "vitest";
import {
  defineTool,
  ToolExecutor,
  ToolRegistry,
  type Grant,
  type Interruption,
  type JsonObject,
  type ToolOutcome,
} from "@toolweave/core";
import { openStore } from "../support/open-store.ts";

const yes = [{ type: "approve" }] as const;
const key = "unknown to an agent that writes files";

/** The result of a process that opens the file, each time again. */
function process(path: string, ran: JsonObject[] = [], description = "Pays.") {
  const { pendingCalls, grants } = openStore(path);
  const pay = defineTool({
    name: "pay",
    description,
    input: { type: "object" },
    needsApproval: true,
    execute: (args) => void ran.push(args),
  });
  const executor = new ToolExecutor({
    registry: new ToolRegistry([pay]),
    key,
    pendingCalls,
    grants,
  });
  return { executor, pendingCalls };
}

function getInterruption(outcome: ToolOutcome): Interruption {
  if (outcome.status === "interrupted") return outcome.interruption;
  throw new Error(`expected an interrupted call, got ${outcome.status}`);
}

const readCode = (outcome: ToolOutcome): string =>
  outcome.status === "failed" ? outcome.error.code : outcome.status;

async function pending(): Promise<{ path: string; db: DatabaseSync; real: Interruption }> {
  const path = join(tempFolder(), "calls.db");
  const { executor } = process(path);
  const real = getInterruption(
    await executor.execute({ id: "c", name: "pay", arguments: { amount: 5 } }),
  );
  return { path, db: new DatabaseSync(path), real };
}

describe("AP15 a store whose file was edited by another program", () => {
  test.each<[string, (real: Interruption) => unknown]>([
    ["the arguments", (real) => ({ ...real, call: { ...real.call, arguments: { amount: 5000 } } })],
    ["the request", (real) => ({ ...real, requests: [] })],
    ["the tool", (real) => ({ ...real, call: { ...real.call, name: "wipe" } })],
    ["its expiry", (real) => ({ ...real, expiresAt: real.expiresAt * 2 })],
    ["the state", (real) => ({ ...real, state: `${real.state.slice(0, -4)}AAAA` })],
    ["the id", (real) => ({ ...real, id: "other" })],
  ])("in %s runs nothing, from the file or beside it", async (_, edit) => {
    const { path, db, real } = await pending();
    db.prepare("UPDATE pending_calls SET interruption = ?").run(JSON.stringify(edit(real)));
    const ran: JsonObject[] = [];
    const { executor, pendingCalls } = process(path, ran);
    const [record] = await pendingCalls.list();
    expect(readCode(await executor.resume(record?.interruption as Interruption, yes))).toBe(
      "approval_invalid",
    );
    expect(ran).toEqual([]);
  });

  test("so that an answered call is missing does not run it again", async () => {
    const { path, db, real } = await pending();
    const ran: JsonObject[] = [];
    const { executor } = process(path, ran);
    expect(readCode(await executor.resume(real, yes))).toBe("completed");
    db.exec("DELETE FROM pending_calls");
    expect(readCode(await executor.resume(real, yes))).toBe("approval_invalid");
    expect(ran).toEqual([{ amount: 5 }]);
  });

  test("so that it contains a grant still asks", async () => {
    const path = join(tempFolder(), "calls.db");
    const ran: JsonObject[] = [];
    const { executor } = process(path, ran);
    const call = { id: "c", name: "pay", arguments: { amount: 5 } };
    const real = getInterruption(await executor.execute(call));
    expect(readCode(await executor.resume(real, [{ type: "approve", grant: "always" }]))).toBe(
      "completed",
    );
    expect(readCode(await executor.execute(call))).toBe("completed");
    const db = new DatabaseSync(path);
    const { grant_json } = db.prepare("SELECT grant_json FROM grants").get() as {
      grant_json: string;
    };
    const { argumentsHash: _, ...wider } = JSON.parse(grant_json) as Grant;
    db.prepare("UPDATE grants SET grant_json = ?").run(JSON.stringify(wider));
    const { executor: next } = process(path, ran);
    expect(readCode(await next.execute({ ...call, arguments: { amount: 5000 } }))).toBe(
      "interrupted",
    );
    expect(ran).toHaveLength(2);
  });
});

describe("a process that starts after others have ended", () => {
  test("EX05 does not run a tool whose description differs in its newer code", async () => {
    const { path, real } = await pending();
    const ran: JsonObject[] = [];
    const { executor } = process(path, ran, "Pays, and tells the world.");
    const outcome = await executor.resume(real, yes);
    expect(outcome).toMatchObject({
      error: {
        code: "approval_invalid",
        message: "pay has changed since it was shown; make the call again.",
      },
    });
    expect(readCode(await process(path, ran).executor.resume(real, yes))).toBe("approval_invalid");
    expect(ran).toEqual([]);
  });

  test("EX07 does not run a call that has expired meanwhile", async () => {
    const { path, real } = await pending();
    const later = Date.now() + 25 * 60 * 60 * 1000;
    const { pendingCalls } = openStore({
      path,
      clock: { now: () => later, setTimeout, clearTimeout } as never,
    });
    const executor = new ToolExecutor({
      registry: new ToolRegistry([
        defineTool({ name: "pay", description: "Pays.", input: { type: "object" } }),
      ]),
      key,
      pendingCalls,
    });
    expect(await executor.resume(real, yes)).toMatchObject({
      error: {
        code: "approval_invalid",
        message: "The interruption of pay has expired; make the call again.",
      },
    });
  });

  test("EX09 reports that the store is missing, and continues when it is restored", async () => {
    const path = join(tempFolder(), "calls.db");
    const store = openStore(path);
    const ran: JsonObject[] = [];
    const make = (pendingCalls: typeof store.pendingCalls): ToolExecutor =>
      new ToolExecutor({
        registry: new ToolRegistry([
          defineTool({
            name: "pay",
            description: "Pays.",
            input: { type: "object" },
            needsApproval: true,
            execute: (args) => void ran.push(args),
          }),
        ]),
        key,
        pendingCalls,
      });
    const call = { id: "c", name: "pay", arguments: {} };
    const executor = make(store.pendingCalls);
    const interruption = getInterruption(await executor.execute(call));
    store.close();
    expect(readCode(await executor.resume(interruption, yes))).toBe("store_unavailable");
    expect(readCode(await executor.execute(call))).toBe("store_unavailable");
    expect(ran).toEqual([]);
    expect(readCode(await make(openStore(path).pendingCalls).resume(interruption, yes))).toBe(
      "completed",
    );
    expect(ran).toHaveLength(1);
  });
});
