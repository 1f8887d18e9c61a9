import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { runCli } from "../src/program.ts";
import { captureIo } from "./support/captured-io.ts";
import { add, requests, run, shop, store, usePetShop } from "./support/pet-shop-with-store.ts";
import { idIn, type Ended } from "./support/run-cli.ts";
import { tempFile } from "./support/temp-file.ts";

usePetShop();

const sent = (): string[] => requests().map(({ body }) => body);
const approve = async (...options: string[]): Promise<Ended> =>
  run(["approvals", "approve", idIn(await run(add("Rex"))), ...options]);

function proposal(which: string): string {
  return [
    "A grant will be saved, so that no approval is needed for calls of",
    `  add_pet: POST ${shop.url}/pets with ${which}`,
    "  as long as the tool is described as it is now, and until it is revoked.",
  ].join("\n");
}

describe("AP09: --always", () => {
  test("prints exactly what it saves, and saves only that", async () => {
    const { code, stderr } = await approve("--always", "--by", "ada");
    expect(code).toBe(0);
    expect(stderr).toMatch(/^A grant will be saved/m);
    expect(stderr).toContain(`${proposal("these arguments")}\n`);
    expect((await run(add("Rex"))).code).toBe(0);
    expect((await run(add("Max"))).code).toBe(3);
    expect(sent()).toEqual(['{"name":"Rex"}', '{"name":"Rex"}']);
    const { stdout } = await run(["approvals", "grants"]);
    expect(stdout.replace(/\d+ s old/, "0 s old")).toMatch(
      new RegExp(
        `^\\w{6} {2}add_pet {2}POST ${shop.url}/pets with these arguments {2}by ada {2}0 s old\n\n1 grant in ${store}\n$`,
      ),
    );
  });

  test("with --any-arguments is for the same request with any arguments", async () => {
    const { stderr } = await approve("--always", "--any-arguments");
    expect(stderr).toContain(
      `${proposal("any arguments that come to this method, URL and query")}\n`,
    );
    expect((await run(add("Max"))).code).toBe(0);
    const remove = ["call", "delete_pet", "id=7", "--openapi", shop.documentUrl];
    expect((await run(remove)).code).toBe(3);
  });

  test.each([
    [["--any-arguments"], "--any-arguments says what --always saves"],
    [["--always", "--arguments", "{}"], "give one of them"],
  ])("%j is a usage error", async (options, message) => {
    const { code, stderr } = await run(["approvals", "approve", "3f2a91", ...options]);
    expect([code, stderr.includes(message)]).toEqual([2, true]);
  });

  test("saves nothing if the policy asks every time", async () => {
    const rule = { effect: "ask", ask: "always", tools: "add_*" };
    const policy = tempFile("rules.json", JSON.stringify({ rules: [rule] }));
    const id = idIn(await run(add("Rex", "--policy", policy)));
    const refused = await run(["approvals", "approve", id, "--always"]);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain("asked every time: agree to this call without a grant");
    expect((await run(["approvals", "approve", id])).code).toBe(0);
    expect((await run(["approvals", "grants"])).stdout).toBe(`0 grants in ${store}\n`);
  });
});

describe("a grant", () => {
  test("is revoked with the command that was printed when it was saved", async () => {
    const { stderr } = await approve("--always");
    const [, id = ""] = /toolweave approvals revoke (\S+)/.exec(stderr) ?? [];
    const wrong = await run(["approvals", "revoke", "000000"]);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain(id);
    const { code, stderr: said } = await run(["approvals", "revoke", id.slice(0, 6)]);
    expect([code, said]).toEqual([
      0,
      "toolweave: Revoked: calls of add_pet need approval again.\n",
    ]);
    expect((await run(add("Rex"))).code).toBe(3);
  });

  test("that is not signed approves nothing", async () => {
    await approve("--always");
    const db = new DatabaseSync(store);
    const row = db.prepare("SELECT grant_json FROM grants").get();
    const { argumentsHash: _, ...widened } = JSON.parse(String(row?.["grant_json"]));
    db.prepare("UPDATE grants SET grant_json = ?").run(JSON.stringify(widened));
    db.close();
    expect((await run(add("Max"))).code).toBe(3);
    expect((await run(add("Rex"))).code).toBe(3);
  });

  test("never overrides a deny", async () => {
    await approve("--always");
    const { code, stderr } = await run(add("Rex", "--policy", "readOnly"));
    expect(code).toBe(3);
    expect(stderr).toContain(
      "The policy denies the call: readOnly: only tools that change nothing run.",
    );
    expect(sent()).toEqual(['{"name":"Rex"}']);
  });
});

describe("on a terminal", () => {
  async function answered(...lines: string[]): Promise<Ended> {
    const { io, stdin, stdout, stderr, said } = captureIo({
      terminal: true,
      env: { TOOLWEAVE_STORE: store },
    });
    const ended = runCli(add("Rex"), io);
    for (const [index, line] of lines.entries()) {
      await said(["[y/N/always] ", "Save this and run it? [y/N] "][index] ?? "");
      stdin.write(`${line}\n`);
    }
    return { code: await ended, stdout: stdout(), stderr: stderr() };
  }

  test.each([["a"], ["always"], [" A "]])(
    "%j displays the grant, and saves it after a yes",
    async (typed) => {
      const { code, stderr } = await answered(typed, "y");
      expect(code).toBe(0);
      expect(stderr).toContain(
        `Run it? [y/N/always] ${proposal("these arguments")}\nSave this and run it?`,
      );
      expect(stderr).toContain(
        "toolweave: Saved a grant. To revoke it: toolweave approvals revoke ",
      );
      // From now on without a question.
      expect((await run(add("Rex"))).code).toBe(0);
    },
  );

  test.each([["n"], [""], ["a"], ["always"]])(
    "%j after that saves nothing and sends nothing",
    async (typed) => {
      expect((await answered("always", typed)).code).toBe(3);
      expect([sent(), existsSync(store)]).toEqual([[], false]);
    },
  );

  test("a yes alone saves no grant", async () => {
    expect((await answered("y")).code).toBe(0);
    expect(existsSync(store)).toBe(false);
  });
});
