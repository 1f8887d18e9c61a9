import { catchToolError } from "@toolweave/conformance/stores";
import type { AuditRecord } from "@toolweave/core/stores";
import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { expect, test } from "vitest";
import { auditFile, readAudit } from "../src/index.ts";
import { startWorker } from "./support/start-worker.ts";

function record(callId: string): AuditRecord {
  return {
    time: 1_700_000_000_000,
    runId: "run_1",
    callId,
    tool: "delete_event",
    caller: { id: "ada" },
    decision: "approved",
    specHash: "ab".repeat(32),
    argumentsHash: "cd".repeat(32),
    permissions: [{ kind: "mcp", target: "two\nlines" }],
    by: "grace",
  };
}

function readLines(path: string): string[] {
  const text = readFileSync(path, "utf8");
  expect(text.endsWith("\n")).toBe(true);
  return text.slice(0, -1).split("\n");
}

test.each([
  ["with fsync", { required: true }],
  ["without", {}],
])("each record is a line of JSON, in the order of the calls, %s", async (_, options) => {
  const path = join(tempFolder(), "audit.jsonl");
  const sink = auditFile(path, options);
  const ids = Array.from({ length: 20 }, (_entry, index) => `call_${index}`);
  await Promise.all(ids.map((id) => sink.write(record(id))));
  expect(readLines(path).map((line) => JSON.parse(line))).toEqual(ids.map(record));
});

test("required is false unless it is set", () => {
  const folder = tempFolder();
  expect(auditFile(join(folder, "a")).required).toBe(false);
  expect(auditFile(join(folder, "b"), { required: true }).required).toBe(true);
});

test("it appends to a file that exists", async () => {
  const path = join(tempFolder(), "audit.jsonl");
  await auditFile(path).write(record("a"));
  await auditFile(path).write(record("b"));
  expect(readLines(path)).toHaveLength(2);
});

test("the next record after a line that a crash has cut off begins on a new line", async () => {
  const path = join(tempFolder(), "audit.jsonl");
  const sink = auditFile(path);
  await sink.write(record("a"));
  appendFileSync(path, '{"time":17000');
  await sink.write(record("b"));
  const lines = readLines(path);
  expect(lines[1]).toBe('{"time":17000');
  expect(JSON.parse(lines[2]!)).toEqual(record("b"));
});

test("the lines of several processes are never mixed", async () => {
  const path = join(tempFolder(), "audit.jsonl");
  const workers = [
    startWorker("audit", path, "200", "20000"),
    startWorker("audit", path, "200", "30000"),
  ];
  for (const worker of workers) expect(await worker.next()).toBe("ready");
  for (const worker of workers) worker.tell("go");
  for (const worker of workers) expect(await worker.next()).toBe("done");
  // A process that reads while another writes may add an empty line, nothing else.
  const lines = readLines(path).filter((line) => line !== "");
  const ids = lines.map((line) => (JSON.parse(line) as AuditRecord).callId);
  expect(new Set(ids).size).toBe(400);
});

test("EX09: without its folder a write fails, and works again when the folder is restored", async () => {
  const path = join(tempFolder(), "logs", "audit.jsonl");
  const sink = auditFile(path);
  rmSync(dirname(path), { recursive: true });
  const error = await catchToolError(() => sink.write(record("a")));
  expect(error).toMatchObject({ code: "store_unavailable", retryable: true });
  expect(error.message).toBe(`${path} has no folder: bring it back, then call again.`);
  mkdirSync(dirname(path));
  await sink.write(record("b"));
  expect(readLines(path)).toHaveLength(1);
});

test.skipIf(!existsSync("/dev/full"))("EX09: a full disk fails the write", async () => {
  const sink = auditFile("/dev/full", { required: true });
  expect(await catchToolError(() => sink.write(record("a")))).toMatchObject({
    code: "store_unavailable",
    message: "/dev/full has no more space on its disk: free some, then call again.",
  });
});

test("a file that was moved away is created again", async () => {
  const path = join(tempFolder(), "audit.jsonl");
  const sink = auditFile(path);
  await sink.write(record("a"));
  renameSync(path, `${path}.1`);
  await sink.write(record("b"));
  expect([readLines(path).length, readLines(`${path}.1`).length]).toEqual([1, 1]);
});

test.skipIf(process.platform === "win32")(
  "the file and its folder are only accessible for this user",
  () => {
    const path = join(tempFolder(), "logs", "audit.jsonl");
    auditFile(path);
    expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([
      0o600, 0o700,
    ]);
  },
);

test("a file that cannot be opened, and a misspelled option, are refused at once", async () => {
  const folder = tempFolder();
  expect(await catchToolError(() => auditFile(folder))).toMatchObject({
    code: "store_unavailable",
    message: `${folder} is a folder: name a file.`,
  });
  const misspelt = { require: true } as never;
  expect((await catchToolError(() => auditFile(join(folder, "a"), misspelt))).code).toBe(
    "invalid_configuration",
  );
  expect((await catchToolError(() => auditFile(""))).code).toBe("invalid_configuration");
});

test("a full file is moved aside, the oldest are deleted, and all that are left are read", async () => {
  const folder = tempFolder();
  const path = join(folder, "audit.jsonl");
  const sink = auditFile(path, { maxBytes: 1_000, maxRotated: 3 });
  for (let at = 0; at < 40; at++) await sink.write(record(`call_${at}`));
  expect(readdirSync(folder).filter((name) => /\.\d+$/.test(name))).toHaveLength(3);
  const entries = await readAudit(path, { limit: 1_000 });
  const first = 40 - entries.length;
  expect(entries.length).toBeGreaterThan(6);
  expect(entries.map(({ record: { callId } }) => callId).toReversed()).toEqual(
    Array.from({ length: entries.length }, (_, at) => `call_${first + at}`),
  );
  // Page by page it is the same, also over the ends of files.
  const paged: string[] = [];
  for (let before: string | undefined; ;) {
    const page = await readAudit(path, { limit: 2, ...(before === undefined ? {} : { before }) });
    if (page.length === 0) break;
    paged.push(...page.map(({ position }) => position));
    before = page.at(-1)?.position;
  }
  expect(paged).toEqual(entries.map(({ position }) => position));
});

test("several processes move full files aside, and no record is lost", async () => {
  const path = join(tempFolder(), "audit.jsonl");
  const workers = Array.from({ length: 3 }, () => startWorker("audit", path, "200", "300", "2000"));
  for (const worker of workers) expect(await worker.next()).toBe("ready");
  for (const worker of workers) worker.tell("go");
  for (const worker of workers) expect(await worker.next()).toBe("done");
  const entries = await readAudit(path, { limit: 10_000 });
  expect(new Set(entries.map(({ record: { callId } }) => callId)).size).toBe(600);
  expect(entries).toHaveLength(600);
});

test("a file that another process was moving aside when it ended is continued", async () => {
  const path = join(tempFolder(), "audit.jsonl");
  const sink = auditFile(path, { maxBytes: 1_000 });
  await sink.write(record("a"));
  linkSync(path, `${path}.1`);
  expect(await readAudit(path, { limit: 10 })).toHaveLength(1);
  for (const id of ["b", "c", "d", "e"]) await sink.write(record(id));
  const entries = await readAudit(path, { limit: 10 });
  expect(entries.map(({ record: { callId } }) => callId)).toEqual(["e", "d", "c", "b", "a"]);
});
