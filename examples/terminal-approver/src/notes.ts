import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { defineTool, type PermissionRequest, type Tool } from "@toolweave/core";

/** No name leads out of the folder: it contains neither a dot nor a slash. */
const name = { type: "string", pattern: "^[a-z][a-z0-9-]*$", maxLength: 40 } as const;
const oneNote = {
  type: "object",
  properties: { name },
  required: ["name"],
  additionalProperties: false,
} as const;

/**
 * The tools for a folder of notes. The `preflight` of each returns the access that a call needs.
 */
export function noteTools(folder: string): Tool[] {
  const toPath = (note: string): string => join(folder, `${note}.md`);

  const list: Tool = defineTool({
    name: "list_notes",
    description: "List the names of all notes.",
    input: { type: "object", additionalProperties: false },
    annotations: { readOnlyHint: true },
    execute: async () => (await readdir(folder)).map((file) => file.replace(/\.md$/, "")).sort(),
  });

  const read: Tool = defineTool({
    name: "read_note",
    description: "Read a note.",
    input: oneNote,
    annotations: { readOnlyHint: true },
    preflight: ({ name }) => [permission("fs.read", name, "Read")],
    execute: ({ name }) => readFile(toPath(name), "utf8"),
  });

  const write: Tool = defineTool({
    name: "write_note",
    description: "Write a note. One of the same name is replaced.",
    input: {
      type: "object",
      properties: { name, content: { type: "string", maxLength: 2000 } },
      required: ["name", "content"],
      additionalProperties: false,
    },
    annotations: { destructiveHint: true, idempotentHint: true },
    preflight: ({ name }) => [
      permission("fs.write", name, existsSync(toPath(name)) ? "Replace" : "Create"),
    ],
    execute: async ({ name, content }) => {
      await writeFile(toPath(name), content);
      return `Saved ${name}.`;
    },
  });

  const remove: Tool = defineTool({
    name: "delete_note",
    description: "Delete a note for good.",
    input: oneNote,
    annotations: { destructiveHint: true },
    preflight: ({ name }) => [permission("fs.write", name, "Delete")],
    execute: async ({ name }) => {
      await rm(toPath(name));
      return `Deleted ${name}.`;
    },
  });

  return [list, read, write, remove];
}

/** Creates the folder with a few notes in it, unless it exists. */
export function plantNotes(folder: string): void {
  if (existsSync(folder)) return;
  mkdirSync(folder, { recursive: true });
  const notes = { shopping: "milk, bread, jam", trips: "1. Lisbon", diary: "A secret." };
  for (const [note, content] of Object.entries(notes)) {
    writeFileSync(join(folder, `${note}.md`), content);
  }
}

function permission(
  kind: PermissionRequest["kind"],
  note: string,
  verb: string,
): PermissionRequest {
  const target = `notes/${note}.md`;
  return { kind, target, summary: `${verb} ${target}` };
}
