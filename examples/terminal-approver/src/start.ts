import { join } from "node:path";
import { parseArgs } from "node:util";

import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { auditFile, sqliteStore, type SqliteStore } from "@toolweave/stores";

import { converse } from "./conversation.ts";
import { loadKey } from "./key.ts";
import { noteTools, plantNotes } from "./notes.ts";
import { policy } from "./policy.ts";
import { labelled } from "./printable.ts";
import { terminalApprover } from "./terminal-approver.ts";

const usage = `Usage: start [--folder <path>] [command]

A scripted model works on a folder of notes, and you decide what it may do.

Commands:
  grants        show what you have agreed to for more than one call
  revoke <id>   take one of those back, to be asked again

Options:
  --folder <path>   where the notes, the grants, the key and the audit are kept
                    (default: "data", beside this example's README)
  --help`;

const person = process.env["USER"] ?? "you";

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The simulated model. */
async function work(folder: string, store: SqliteStore): Promise<number> {
  const notes = join(folder, "notes");
  plantNotes(notes);
  const approver = terminalApprover({ input: process.stdin, output: process.stdout }, person);
  process.once("SIGINT", () => approver.close());
  const executor = new ToolExecutor({
    registry: new ToolRegistry(noteTools(notes)),
    policy,
    onAsk: approver.approve,
    // Grants that outlive this process are signed: no other process can write one into the store.
    grants: store.grants,
    key: loadKey(join(folder, "key")),
    // A call that cannot be recorded does not run.
    audit: auditFile(join(folder, "audit.jsonl"), { required: true }),
  });
  const run = executor.startRun({ caller: { id: person }, sessionId: crypto.randomUUID() });
  try {
    await converse(run, print);
    return 0;
  } finally {
    approver.close();
  }
}

async function showGrants({ grants }: SqliteStore): Promise<number> {
  const all = await grants.list();
  if (all.length === 0) print("Nothing is remembered.");
  for (const { id, scope, tool, permission, caller } of all) {
    const { kind, target } = permission;
    print(labelled(id, `${scope}  ${tool}  ${kind} ${target}  ${caller?.id ?? ""}`));
  }
  return 0;
}

async function revoke({ grants }: SqliteStore, id: string): Promise<number> {
  const revoked = await grants.revoke(id);
  print(revoked ? "Revoked." : `Nothing of the id ${id} is remembered.`);
  return revoked ? 0 : 1;
}

/** Resolves to the exit code: 0 done, 1 nothing to revoke, 2 usage. */
async function start(args: string[]): Promise<number> {
  const options = { folder: { type: "string" }, help: { type: "boolean" } } as const;
  let parsed;
  try {
    parsed = parseArgs({ args, options, allowPositionals: true });
  } catch {
    process.stderr.write(`${usage}\n`);
    return 2;
  }
  const { values, positionals } = parsed;
  if (values.help === true) {
    print(usage);
    return 0;
  }
  const folder = values.folder ?? join(import.meta.dirname, "../data");
  const [command, id, ...more] = positionals;
  const store = sqliteStore(join(folder, "grants.db"));
  try {
    if (command === undefined) return await work(folder, store);
    if (command === "grants" && id === undefined) return await showGrants(store);
    if (command === "revoke" && id !== undefined && more.length === 0) {
      return await revoke(store, id);
    }
  } finally {
    store.close();
  }
  process.stderr.write(`${usage}\n`);
  return 2;
}

process.exitCode = await start(process.argv.slice(2));
