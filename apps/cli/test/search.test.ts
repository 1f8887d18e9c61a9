import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCli } from "../src/program.ts";
import { captureIo, type CaptureOptions } from "./support/captured-io.ts";
import { openPetShop, type PetShop } from "./support/pet-shop.ts";

let shop: PetShop;
beforeAll(async () => {
  shop = await openPetShop();
});
afterAll(() => shop.close());

async function search(
  words: readonly string[],
  more: readonly string[] = [],
  options: CaptureOptions = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { io, stdout, stderr } = captureIo(options);
  const argv = ["search", ...words, "--openapi", shop.documentUrl, ...more];
  const code = await runCli(argv, io);
  return { code, stdout: stdout(), stderr: stderr() };
}

describe("toolweave search", () => {
  test("lists matches like inspect, the best first, and the total number", async () => {
    const { code, stdout, stderr } = await search(["read", "me", "a", "poem"], ["--limit", "1"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe("read_poem  GET    /poem  read-only  Read a poem\n\n1 of 8 tools\n");
    const all = await search(["delete a pet"]);
    expect(all.stdout.split("\n")[0]).toMatch(/^delete_pet +DELETE \/pets\/\{id\}/);
  });

  test("has the policy's decision for each", async () => {
    const { stdout } = await search(["delete pet"], ["--policy", "readOnly", "--limit", "1"]);
    expect(stdout).toContain("denied");
  });

  test("prints the same as JSON, in the same order", async () => {
    const { code, stdout } = await search(["poem photo"], ["--json"]);
    expect(code).toBe(0);
    const found = JSON.parse(stdout) as { tools: { name: string }[]; decisions: object };
    const names = found.tools.map(({ name }) => name);
    expect(names.slice(0, 2).toSorted()).toEqual(["get_photo", "read_poem"]);
    expect(found.decisions).toMatchObject({ get_photo: "allow" });
  });

  test("finds nothing without an error, and names the next step", async () => {
    const stdout =
      "None of 8 tools\nThe search compares words. Try other words, or `toolweave inspect`.\n";
    expect(await search(["qqqqqq"])).toEqual({ code: 0, stdout, stderr: "" });
  });

  test("ends with 4 if a document cannot be loaded, and searches the others", async () => {
    const missing = `${shop.url}/pets/404`;
    const { code, stdout, stderr } = await search(["poem"], ["--openapi", missing]);
    expect(code).toBe(4);
    expect(stdout).toContain("read_poem");
    expect(stderr).toContain("/pets/404");
  });

  test.each([["0"], ["101"], ["x"], ["1.5"]])("does not accept %s as a limit", async (limit) => {
    const { code, stderr } = await search(["poem"], ["--limit", limit]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        "toolweave: --limit must be a whole number from 1 to 100.\nSee `toolweave search --help`.\n",
    });
  });

  test("requires words", async () => {
    const { code, stderr } = await search([]);
    expect(code).toBe(2);
    expect(stderr).toContain("words");
  });
});
