import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The faulty line of the project, and the right one. */
export const brokenLine = { old: "return a - b;", new: "return a + b;" } as const;

/** Writes a project of a function with a fault, and a test that finds it: `node --test` fails there. */
export function writeBrokenProject(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const files = {
    "package.json": '{ "name": "tickets", "type": "module" }\n',
    "add.js": `export function add(a, b) {\n  ${brokenLine.old}\n}\n`,
    "add.test.js": [
      'import assert from "node:assert/strict";',
      'import { test } from "node:test";',
      'import { add } from "./add.js";',
      "",
      'test("two tickets cost as much as both", () => assert.equal(add(7, 5), 12));',
      "",
    ].join("\n"),
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
}
