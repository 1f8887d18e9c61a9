import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { defineTool, ToolRegistry } from "@toolweave/core";
import { HybridToolIndex, type VectorCache } from "@toolweave/core/search";
import { fileLists } from "../src/index.ts";

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "toolweave-lists-")), "lists");
});
afterEach(() => rmSync(join(folder, ".."), { recursive: true }));

describe("fileLists", () => {
  it("stores the vectors of a tool search", async () => {
    const rope = defineTool({
      name: "rope",
      description: "Splices rope.",
      input: { type: "object" },
      execute: () => "rope",
    });
    const embedded: string[] = [];
    for (const cache of [fileLists(folder), fileLists(folder)] satisfies VectorCache[]) {
      const embed = (texts: readonly string[]): Promise<number[][]> => {
        embedded.push(...texts);
        return Promise.resolve(texts.map(() => [1, 2]));
      };
      const index = new HybridToolIndex({ id: "twos", embed }, cache);
      index.update(new ToolRegistry([rope]).toolset());
      expect((await index.search("cordage", 1)).matches).toHaveLength(1);
    }
    expect(embedded).toEqual(["rope. Splices rope.", "cordage", "cordage"]);
  });

  it("ignores damaged files", async () => {
    const lists = fileLists(folder);
    await lists.set("a", { tools: [] });
    writeFileSync(join(folder, readdirSync(folder)[0] as string), '{"tools":');
    expect(await lists.get("a")).toBeUndefined();
    await lists.set("a", 1);
    expect(await lists.get("a")).toBe(1);
  });

  it.skipIf(process.platform === "win32")("is only accessible for this user", async () => {
    const lists = fileLists(folder);
    await lists.set("a", 1);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, readdirSync(folder)[0] as string)).mode & 0o777).toBe(0o600);
    chmodSync(folder, 0o777);
    expect(() => fileLists(folder)).toThrow(
      expect.objectContaining({ code: "store_unavailable" }) as Error,
    );
  });

  it("needs a path", () => {
    expect(() => fileLists("")).toThrow('fileLists needs a path: fileLists("tool-lists").');
  });
});
