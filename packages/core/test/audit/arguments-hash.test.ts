import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { ToolOutcome } from "@toolweave/core";
import type { AuditRecord } from "@toolweave/core/stores";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { key } from "../support/pending-call-stores.ts";

const pin = {
  type: "object",
  properties: { pin: { type: "string", format: "password" } },
} as const;

async function computeHashes(options: { readonly key?: string | Uint8Array }) {
  const records: AuditRecord[] = [];
  const executor = executorFor(
    tool("pay", () => "paid", { input: pin, needsApproval: true }),
    {
      ...options,
      audit: { write: (record) => void records.push(record) },
    },
  );
  const outcome: ToolOutcome = await executor.execute(call("pay", { pin: "47!1" }));
  if (outcome.status !== "interrupted") throw new Error(outcome.status);
  const [request] = outcome.interruption.requests;
  const serialized = JSON.stringify(outcome.interruption);
  const proposed = request?.type === "approval" ? request.grant?.argumentsHash : undefined;
  return { serialized, hashes: [proposed, ...records.map(({ argumentsHash }) => argumentsHash)] };
}

test("SE14: the hash of a call's arguments cannot be used to guess a short secret", async () => {
  const { serialized, hashes } = await computeHashes({ key });
  expect(serialized).not.toContain("47!1");
  expect(hashes.length).toBeGreaterThan(1);
  for (const hash of hashes) {
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    for (const text of ['{"pin":"47!1"}', "47!1", '"47!1"', '{"pin": "47!1"}']) {
      expect(hash).not.toBe(createHash("sha256").update(text).digest("hex"));
    }
  }
});

test("the same arguments have the same hash with the same key, and with no other", async () => {
  const [one, same, other] = await Promise.all([
    computeHashes({ key }),
    computeHashes({ key }),
    computeHashes({}),
  ]);
  expect(same.hashes).toEqual(one.hashes);
  expect(other.hashes).not.toContain(one.hashes[0]);
});
