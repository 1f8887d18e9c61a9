import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tempFolder } from "@toolweave/test-support/temp-folder";

/** The folder of fixtures. */
export const fixtures: string = join(import.meta.dirname, "../fixtures/skills");

/** A folder with these files, until the test is done. */
export function createFolder(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const folder = tempFolder();
  write(folder, files);
  return folder;
}

/** Writes files below a folder. */
export function write(folder: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** The text of a `SKILL.md`. */
export function skillText(name: string, more = "", body = `# ${name}\n`): string {
  return `---\nname: ${name}\ndescription: About ${name}.\n${more}---\n\n${body}`;
}
