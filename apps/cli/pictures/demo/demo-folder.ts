import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

/** A folder with a configuration, its letters, and what a gateway leaves. */
export interface DemoFolder {
  readonly folder: string;
  /** For every process that works with the folder. */
  readonly env: Readonly<Record<string, string>>;
  readonly files: { readonly store: string; readonly events: string; readonly audit: string };
  remove(): void;
}

/** Copies the demo project into a temporary folder. */
export function createDemoFolder(museumUrl: string): DemoFolder {
  const parent = mkdtempSync(join(tmpdir(), "toolweave-pictures-"));
  const folder = join(parent, "demo");
  cpSync(join(import.meta.dirname, "project"), folder, { recursive: true });
  const config = join(folder, "toolweave.json");
  const text = readFileSync(config, "utf8").replace("http://127.0.0.1:4100", museumUrl);
  writeFileSync(config, text);
  symlinkSync(join(import.meta.dirname, "../../node_modules"), join(folder, "node_modules"));
  mkdirSync(join(folder, "state"), { mode: 0o700 });
  return {
    folder,
    env: {
      PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"] ?? ""}`,
      HOME: folder,
      MUSEUM_KEY: "museum-example-key",
      NOTES_FILE: join(folder, "state", "notes.jsonl"),
      TOOLWEAVE_KEY: "the key of the pictures, which protects nothing",
    },
    files: {
      store: join(folder, "state", "approvals.sqlite"),
      events: join(folder, "gateway.ndjson"),
      audit: join(folder, "audit.jsonl"),
    },
    remove: () => rmSync(parent, { recursive: true, force: true, maxRetries: 20 }),
  };
}
