import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { petDocument } from "./support/pet-document.ts";
import { openPetShop, type PetShop } from "./support/pet-shop.ts";
import { awaitEnd, runBin, runShell, startBin, type BinResult } from "./support/run-bin.ts";
import { tempFile, tempFolder, tempStore } from "./support/temp-file.ts";

// Processes start slowly on a busy machine.
let shop: PetShop;
beforeAll(async () => {
  shop = await openPetShop();
});
afterAll(() => shop.close());

/** The command that a process has printed, exactly as a person would copy it. */
function printed({ stderr }: BinResult, command: string): string {
  const line = new RegExp(`^  (toolweave approvals ${command} .*)$`, "m").exec(stderr)?.[1];
  if (line === undefined) throw new Error(`It printed no such command: ${stderr}`);
  return line;
}

const sentSince = (before: number): string[] =>
  shop.requests.slice(before).map(({ method, url }) => `${method} ${url}`);

test("a call waits in one process; the printed command runs it in another, once", async () => {
  const before = shop.requests.length;
  // A document and a store whose paths need quoting and must be absolute.
  const folder = tempFolder();
  writeFileSync(join(folder, "pets.json"), JSON.stringify(petDocument));
  const waits = await runBin(
    ["call", "add_pet", "--args", "-", "--openapi", "pets.json", "--base-url", shop.url].concat(
      ...["--header", "X-Shop: $SHOP", "--auth", "bearer:literal", "--store", "it's a store/$x"],
    ),
    { input: '{"name":"Rex"}', cwd: folder, env: { SHOP: "s-1" } },
  );
  expect({ code: waits.code, stdout: waits.stdout }).toEqual({ code: 3, stdout: "" });
  expect(sentSince(before)).toEqual([]);
  const approve = printed(waits, "approve");
  const env = { SHOP: "s-1", TOKEN: "t-1" };
  const approved = await runShell(approve, { env });
  expect(approved.code).toBe(0);
  expect(approved.stderr).toContain("About to run add_pet");
  expect(JSON.parse(approved.stdout)).toEqual({ name: "Rex" });
  expect(shop.requests.slice(before)).toMatchObject([
    {
      method: "POST",
      url: "/pets",
      body: '{"name":"Rex"}',
      headers: { authorization: "Bearer t-1", "x-shop": "s-1" },
    },
  ]);
  const again = await runShell(approve, { env });
  expect({ code: again.code, stdout: again.stdout }).toEqual({ code: 0, stdout: approved.stdout });
  expect(again.stderr).not.toContain("About to run");
  const other = await runShell(`${approve} --by eve`, { env });
  expect({ code: other.code, stdout: other.stdout }).toEqual({ code: 3, stdout: "" });
  expect(other.stderr).toContain("answered before");
  expect(sentSince(before)).toEqual(["POST /pets"]);
});

test("the other printed command rejects it, and then nothing runs it", async () => {
  const before = shop.requests.length;
  const waits = await runBin(["call", "delete_pet", "id=7", "--openapi", shop.documentUrl]);
  expect(await runShell(printed(waits, "reject"))).toMatchObject({ code: 0, stdout: "" });
  expect((await runShell(printed(waits, "approve"))).code).toBe(3);
  expect(sentSince(before)).toEqual([]);
});

test("AP04: of processes that approve one call together, one runs it", async () => {
  const before = shop.requests.length;
  const waits = await runBin(["call", "delete_pet", "id=9", "--openapi", shop.documentUrl]);
  const approve = printed(waits, "approve");
  const ended = await Promise.all([1, 2, 3].map(() => runShell(approve)));
  // A process during the other's work is refused; a later one prints the outcome.
  const codes = ended.map(({ code }) => code);
  expect(codes).toContain(0);
  expect(codes.filter((code) => code !== 0 && code !== 3)).toEqual([]);
  expect(sentSince(before)).toEqual(["DELETE /pets/9"]);
});

test("processes that create a store together have one key", async () => {
  const env = { TOOLWEAVE_STORE: tempStore() };
  const waits = await Promise.all(
    [1, 2, 3].map((id) =>
      runBin(["call", "delete_pet", `id=${id}`, "--openapi", shop.documentUrl], { env }),
    ),
  );
  expect(waits.map(({ code, stderr }) => [code, stderr.includes("waits")])).toEqual([
    [3, true],
    [3, true],
    [3, true],
  ]);
  for (const one of waits) {
    const displayed = await runShell(printed(one, "approve").replace(" approve ", " show "));
    expect(displayed).toMatchObject({ code: 0, stderr: "" });
  }
});

describe("Ctrl-C", () => {
  test("before the call is claimed leaves it pending", async () => {
    const own = await openPetShop();
    const env = { TOOLWEAVE_STORE: tempStore() };
    const document = tempFile("pets.json", JSON.stringify(petDocument));
    const waits = await runBin(
      ["call", "delete_pet", "id=7", "--openapi", document, "--base-url", own.url],
      { env },
    );
    const [, id = ""] = /approve (\S+)/.exec(waits.stderr) ?? [];
    // The document is loaded from a server that does not answer.
    const elsewhere = ["--openapi", `${own.url}/never.json`];
    const child = startBin(["approvals", "approve", id, ...elsewhere], { env });
    const ended = awaitEnd(child);
    await own.asked("/never.json");
    child.kill("SIGINT");
    const { code, stderr } = await ended;
    expect(code).toBe(130);
    expect(stderr).toContain("toolweave: Interrupted.\n");
    expect(stderr).not.toContain("may have done");
    const { stdout } = await runBin(["approvals", "list"], { env });
    expect(stdout).toContain("  pending\n\n1 pending in ");
    await own.close();
  });

  test("while the call runs cancels it, and it has ended", async () => {
    const own = await openPetShop();
    const env = { TOOLWEAVE_STORE: tempStore() };
    const policy = tempFile("rules.json", '{"rules": [{"effect": "ask", "tools": "wait_*"}]}');
    const waits = await runBin(
      ["call", "wait_forever", "--openapi", own.documentUrl, "--policy", policy],
      { env },
    );
    const [, id = ""] = /approve (\S+)/.exec(waits.stderr) ?? [];
    const child = startBin(["approvals", "approve", id], { env });
    const ended = awaitEnd(child);
    await own.asked("/never");
    child.kill("SIGINT");
    const { code, stdout: answer, stderr } = await ended;
    expect({ code, answer }).toEqual({ code: 130, answer: "" });
    expect(stderr).toContain("The call may have run in part: check");
    await own.hungUp;
    const { stdout } = await runBin(["approvals", "list"], { env });
    expect(stdout).toContain("0 pending in ");
    expect((await runBin(["approvals", "approve", id], { env })).code).toBe(3);
    await own.close();
  });
});

test("the store is loaded only for commands that use it", async () => {
  const spy =
    'import { registerHooks } from "node:module";' +
    "registerHooks({ resolve(name, context, next) {" +
    ' if (/@toolweave\\/(?:stores|postgres)|^pg$/.test(name)) process.stderr.write("loaded " + name + "\\n");' +
    " return next(name, context); } });";
  const nodeArgs = ["--import", `data:text/javascript,${encodeURIComponent(spy)}`];
  const openapi = ["--openapi", shop.documentUrl];
  for (const argv of [["inspect"], ["call", "get_pet", "id=7"], ["policy", "explain", "add_pet"]]) {
    const { code, stderr } = await runBin([...argv, ...openapi], { nodeArgs });
    expect({ argv, code, stderr }).toEqual({ argv, code: 0, stderr: "" });
  }
  const { stderr } = await runBin(["call", "delete_pet", "id=7", ...openapi], { nodeArgs });
  expect(stderr).toContain("loaded @toolweave/stores");
  expect(stderr).not.toMatch(/loaded (?:pg|@toolweave\/postgres)/);
});
