import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { catchToolError } from "@toolweave/conformance/stores";
import type { AuditEntry, AuditRecord } from "@toolweave/core/stores";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { expect, test } from "vitest";
import { auditFile, readAudit } from "../src/index.ts";

const record = (callId: string, target = "x"): AuditRecord => ({
  time: 1_700_000_000_000,
  runId: "run_1",
  callId,
  tool: "pay",
  decision: "allowed",
  specHash: "",
  argumentsHash: "",
  permissions: [{ kind: "custom.x", target }],
});

async function writeRecords(path: string, count: number, target?: string): Promise<void> {
  const audit = auditFile(path);
  for (let index = 0; index < count; index++) await audit.write(record(`c${index}`, target));
}

const ids = (entries: readonly AuditEntry[]): readonly string[] =>
  entries.map(({ record }) => record.callId);

test("the latest records are first, and a page continues before the position of its last one", async () => {
  const path = join(tempFolder(), "audit.jsonl");
  await writeRecords(path, 5);
  const first = await readAudit(path, { limit: 2 });
  expect(ids(first)).toEqual(["c4", "c3"]);
  await auditFile(path).write(record("later"));
  const second = await readAudit(path, { limit: 2, before: first[1]?.position as string });
  expect(ids(second)).toEqual(["c2", "c1"]);
  const third = await readAudit(path, { limit: 2, before: second[1]?.position as string });
  expect(ids(third)).toEqual(["c0"]);
  expect(await readAudit(path, { limit: 2, before: third[0]?.position as string })).toEqual([]);
  const seqs = [...first, ...second, ...third].map(({ seq }) => seq);
  expect(seqs).toEqual(seqs.toSorted((one, other) => other - one));
});

test("a file of many pieces is read completely, whatever the length of its records", async () => {
  const path = join(tempFolder(), "audit.jsonl");
  const lengths = [0, 1, 65_300, 65_400, 65_536, 200_000, 3, 70_000];
  const audit = auditFile(path);
  for (const [index, length] of lengths.entries()) {
    await audit.write(record(`c${index}`, "é".repeat(length / 2)));
  }
  const entries = await readAudit(path, { limit: 100 });
  expect(ids(entries)).toEqual(lengths.map((_, index) => `c${index}`).toReversed());
  expect(entries.map(({ record }) => record.permissions[0]?.target.length)).toEqual(
    lengths.map((length) => Math.floor(length / 2)).toReversed(),
  );
});

test("lines that are no record are omitted: of a crash, unfinished, too long", async () => {
  const path = join(tempFolder(), "audit.jsonl");
  await writeRecords(path, 1);
  appendFileSync(path, `{"time": 1\n[]\n\n${"x".repeat(2_000_000)}\n`);
  await auditFile(path).write(record("last"));
  appendFileSync(path, JSON.stringify(record("unfinished")));
  expect(ids(await readAudit(path, { limit: 10 }))).toEqual(["last", "c0"]);
});

test("a missing file has no records; a link and a folder are refused", async () => {
  const folder = tempFolder();
  expect(await readAudit(join(folder, "none"), { limit: 1 })).toEqual([]);
  writeFileSync(join(folder, "file"), "");
  symlinkSync(join(folder, "file"), join(folder, "link"));
  mkdirSync(join(folder, "folder"));
  for (const name of ["link", "folder"]) {
    const { code } = await catchToolError(() => readAudit(join(folder, name), { limit: 1 }));
    expect([name, code]).toEqual([name, "store_unavailable"]);
  }
});

test.each([{ limit: 0 }, { limit: 1, before: "x" }, { limit: 1, before: "-1" }])(
  "%o is refused",
  async (options) => {
    const path = join(tempFolder(), "audit.jsonl");
    const { code } = await catchToolError(() => readAudit(path, options));
    expect(code).toBe("invalid_configuration");
  },
);
