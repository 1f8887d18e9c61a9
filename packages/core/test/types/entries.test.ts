import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const entries = ["index", "adapter", "stores"];

/** The names that an entry exports. */
function exportedNames(entry: string): string[] {
  const file = join(import.meta.dirname, `../../src/${entry}.ts`);
  return Array.from(
    readFileSync(file, "utf8").matchAll(/export (?:type )?\{([^}]*)\} from/g),
    ([, list = ""]) => list.split(","),
  )
    .flat()
    .map((item) =>
      item
        .trim()
        .replace(/^type\s+/, "")
        .replace(/^.* as /, ""),
    )
    .filter((name) => name !== "");
}

test("each name of core is exported from one entry", () => {
  const names = entries.flatMap(exportedNames);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  expect(names.length).toBeGreaterThan(200);
});
