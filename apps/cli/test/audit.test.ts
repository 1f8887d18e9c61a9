import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { AuditRecord } from "@toolweave/core/stores";
import { add, remove, run, shop, store, usePetShop } from "./support/pet-shop-with-store.ts";
import { notes } from "./support/notes.ts";
import { idIn, type Ended } from "./support/run-cli.ts";
import { tempFile } from "./support/temp-file.ts";

usePetShop();

const user = userInfo().username;
const caller = { id: user };

function records(): AuditRecord[] {
  const text = readFileSync(join(dirname(store), "audit.jsonl"), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as AuditRecord);
}

test("every decision on a call is recorded: who, what, why, and through which command", async () => {
  await run(["call", "get_pet", "id=7", "--openapi", shop.documentUrl]);
  await run(remove(7, "--yes"));
  expect(records()).toMatchObject([
    {
      tool: "get_pet",
      decision: "allowed",
      rule: "policy preset:supervised",
      caller,
      from: "call",
    },
    { tool: "delete_pet", decision: "approved", by: user, caller, from: "call" },
  ]);
});

test.each([
  ["y\n", "approved"],
  ["n\n", "rejected"],
])("the answer %j on the terminal is recorded with the person", async (stdin, decision) => {
  await run(remove(7), { terminal: true, stdin });
  expect(records()).toMatchObject([{ tool: "delete_pet", decision, by: user, caller }]);
});

test("a call that waits, and the answer of another command, are recorded", async () => {
  const first = idIn(await run(remove(7)));
  await run(["approvals", "reject", first, "--reason", "not today"]);
  const second = idIn(await run(add("Rex")));
  await run(["approvals", "approve", second, "--by", "grace"]);
  expect(records()).toMatchObject([
    { tool: "delete_pet", decision: "asked", interruptionId: first, from: "call" },
    {
      decision: "rejected",
      interruptionId: first,
      by: user,
      reason: "not today",
      from: "approvals",
    },
    { tool: "add_pet", decision: "asked", interruptionId: second, from: "call" },
    { decision: "approved", interruptionId: second, by: "grace", from: "approvals" },
  ]);
});

test("a call of a tool that a rule hides is recorded with the rule", async () => {
  const rules = [{ effect: "deny", tools: "delete_pet" }];
  const policy = tempFile("policy.json", JSON.stringify({ rules }));
  await run(remove(7, "--policy", policy));
  expect(records()).toMatchObject([
    { tool: "delete_pet", decision: "denied", code: "not_advertised", rule: "policy rules[0]" },
  ]);
});

test("a configuration has decisions recorded in a file, too, and can require it", async () => {
  const { config, folder, written } = notes({
    audit: { file: "log/audit.jsonl", required: true, maxBytes: 300 },
    policy: "autonomous",
  });
  const write = (): Promise<Ended> =>
    run(["call", "notes__write_note", "text=Tea.", "--config", config]);
  expect((await write()).code).toBe(0);
  expect((await write()).code).toBe(0);
  const log = join(folder, "log");
  expect(readdirSync(log).toSorted()).toEqual(["audit.jsonl.1", "audit.jsonl.2"]);
  expect(readFileSync(join(log, "audit.jsonl.1"), "utf8")).toContain('"notes__write_note"');
  expect(records()).toHaveLength(2);
  rmSync(log, { recursive: true });
  writeFileSync(log, "in the way");
  const refused = await write();
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(log)]);
  expect(written()).toBe("Tea.\nTea.\n");
});
