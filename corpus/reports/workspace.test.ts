import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { ToolExecutor, ToolRegistry, type JsonObject } from "@toolweave/core";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { expect, test } from "vitest";
import { workspaceTools } from "../../packages/workspace/src/index.ts";
import { findIncomplete, observeContent, pickPresent, readRows, type Report } from "./rows.ts";

/** An object of a folder: the text of a file, or one member that says what it is. */
type Entry =
  | string
  | null
  | { readonly base64: string }
  | { readonly link: string }
  | { readonly text: string; readonly mode: number };

/** One reported case. */
interface Row extends Report {
  readonly files?: Readonly<Record<string, Entry>>;
  /** The calls, each with the name of its tool. Texts and errors are those of the last one. */
  readonly calls: readonly Readonly<Record<string, JsonObject>>[];
  /** The files afterwards, in the form of `files`; `null`: there is none. */
  readonly leaves?: Readonly<Record<string, Entry>>;
}

const cases = await readRows<Row>("workspace");

function makeEntry(path: string, entry: Entry): void {
  mkdirSync(dirname(path), { recursive: true });
  if (typeof entry === "string") writeFileSync(path, entry);
  else if (entry === null) return;
  else if ("base64" in entry) writeFileSync(path, Buffer.from(entry.base64, "base64"));
  else if ("link" in entry) symlinkSync(entry.link, path);
  else {
    writeFileSync(path, entry.text);
    chmodSync(path, entry.mode);
  }
}

/** Reads the object at a path in the form of the one that is expected there. */
function readEntry(path: string, expected: Entry): Entry {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  if (stat.isSymbolicLink()) return { link: readlinkSync(path) };
  const bytes = readFileSync(path);
  if (typeof expected === "string" || expected === null) return bytes.toString();
  if ("mode" in expected) return { text: bytes.toString(), mode: stat.mode & 0o777 };
  return { base64: bytes.toString("base64") };
}

/** Makes the calls of a row in a folder of its own. Returns what the row expects, as it was observed. */
async function observe(row: Row): Promise<Partial<Row>> {
  const root = join(tempFolder(), "ws");
  mkdirSync(root);
  for (const [path, entry] of Object.entries(row.files ?? {})) makeEntry(join(root, path), entry);
  const tools = workspaceTools({ root, applyPatch: true, sandbox: "none" });
  const registry = new ToolRegistry([tools]);
  try {
    const run = new ToolExecutor({ registry, policy: "autonomous" }).startRun();
    let called = {};
    for (const [index, call] of row.calls.entries()) {
      for (const [name, args] of Object.entries(call)) {
        const outcome = await run.execute({ id: `${index}`, name, arguments: args });
        called = observeContent(row, outcome);
      }
    }
    const { leaves } = row;
    if (leaves === undefined) return called;
    const left = Object.entries(leaves).map(
      ([path, entry]) => [path, readEntry(join(root, path), entry)] as const,
    );
    return { ...called, leaves: Object.fromEntries(left) };
  } finally {
    await registry.close();
    expect(existsSync(root)).toBe(true);
  }
}

function getExpected(row: Row): Partial<Row> {
  return pickPresent(row, ["leaves", "text", "lacks", "refuses"]);
}

test("each row names its reports, its verdict, its source and what is expected", () => {
  expect(findIncomplete(cases)).toEqual([]);
  expect(cases.filter(({ row }) => Object.keys(getExpected(row)).length === 0)).toEqual([]);
});

test.each(cases.map((one) => ({ ...one, is: one.row.is })))("$table: $is", async ({ row }) => {
  expect(await observe(row)).toEqual(getExpected(row));
});
