import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { runCli } from "../src/program.ts";
import { captureIo } from "./support/captured-io.ts";
import { petDocument } from "./support/pet-document.ts";
import { openPetShop } from "./support/pet-shop.ts";
import {
  add,
  remove,
  requests,
  run,
  shop,
  store,
  usePetShop,
} from "./support/pet-shop-with-store.ts";
import { idIn, runIn } from "./support/run-cli.ts";
import { tempFile, tempStore } from "./support/temp-file.ts";

usePetShop();

const sent = (): string[] =>
  requests().map(({ method, url, body }) => `${method} ${url} ${body}`.trim());
const waiting = async (...argv: string[]): Promise<string> => idIn(await run(argv));
const listed = async (): Promise<{ id: string; status: string }[]> =>
  JSON.parse((await run(["approvals", "list", "--json"])).stdout).calls;

describe("the store", () => {
  test.each([
    ["a read", () => ["call", "get_pet", "id=7", "--openapi", shop.documentUrl]],
    ["a call that is approved at once", () => remove(7, "--yes")],
    ["a list", () => ["approvals", "list"]],
    ["a list of grants", () => ["approvals", "grants"]],
    ["an explanation", () => ["policy", "explain", "get_pet", "--openapi", shop.documentUrl]],
  ])("is not created for %s", async (_, argv) => {
    expect((await run(argv())).code).toBe(0);
    expect(existsSync(store)).toBe(false);
  });

  test.each([["y\n"], ["n\n"]])(
    "is not created for an answer on the terminal (%j)",
    async (stdin) => {
      await run(remove(7), { terminal: true, stdin });
      expect(existsSync(store)).toBe(false);
    },
  );

  test("that is missing is empty", async () => {
    expect(await run(["approvals", "list"])).toEqual({
      code: 0,
      stdout: `0 pending in ${store}\n`,
      stderr: `toolweave: There is no store at ${store} yet.\n`,
    });
    expect((await run(["approvals", "grants"])).stderr).toContain(`no store at ${store} yet`);
    expect((await run(["approvals", "list", "--json"])).stdout).toBe(
      `{\n  "store": "${store}",\n  "calls": []\n}\n`,
    );
    const { code, stderr } = await run(["approvals", "approve", "3f2a91"]);
    expect(code).toBe(2);
    expect(stderr).toContain(`There is no pending call with the id "3f2a91" in ${store}: `);
  });

  test("and its key are only accessible for this user", async () => {
    await run(remove(7));
    expect(statSync(dirname(store)).mode & 0o777).toBe(0o700);
    const modes = readdirSync(dirname(store)).map((name) => [
      name,
      statSync(`${dirname(store)}/${name}`).mode & 0o777,
    ]);
    expect(modes).toEqual([
      ["approvals.sqlite", 0o600],
      ["approvals.sqlite.key", 0o600],
      ["audit.jsonl", 0o600],
    ]);
  });

  test("is shared by simultaneous calls, and none of them is lost", async () => {
    const ended = await Promise.all([1, 2, 3].map((id) => run(remove(id))));
    expect(ended.map(({ code }) => code)).toEqual([3, 3, 3]);
    for (const one of ended) expect((await run(["approvals", "approve", idIn(one)])).code).toBe(0);
    expect(sent().sort()).toEqual(["DELETE /pets/1", "DELETE /pets/2", "DELETE /pets/3"]);
  });

  test("is at the path of --store, and the printed commands have it, too", async () => {
    const other = tempStore();
    const { stderr } = await run(remove(7, "--store", other));
    expect(stderr).toContain(` --store ${other}\n`);
    expect([existsSync(store), existsSync(other)]).toEqual([false, true]);
    expect((await run(["approvals", "list", "--store", other])).stdout).toContain(
      `1 pending in ${other}`,
    );
  });
});

describe("a pending call", () => {
  test("is a line: id, tool, intent, age, expiry, status", async () => {
    const id = await waiting(...remove(7));
    const { stdout } = await run(["approvals", "list"]);
    expect(stdout.replace(/\d+ s old/, "0 s old")).toBe(
      `${id.slice(0, 6)}  delete_pet  DELETE ${shop.url}/pets/7  0 s old  23 h left  pending\n\n1 pending in ${store}\n`,
    );
  });

  test("is displayed with everything that a person needs", async () => {
    const argv = remove(7, "--auth", "bearer:$TOKEN", "--header", "X-Key: abc");
    const id = idIn(await run(argv, { env: { TOKEN: "t-1" } }));
    const { code, stdout } = await run(["approvals", "show", id.slice(0, 6)]);
    expect(code).toBe(0);
    expect(stdout.replace(/\d+ s old/, "0 s old")).toBe(
      [
        `delete_pet ${id}`,
        "  pending, 0 s old, 23 h left",
        `  from ${shop.documentUrl}`,
        "  with bearer:$TOKEN",
        `  DELETE ${shop.url}/pets/7`,
        "  supervised: the tool is marked destructive",
        '  to change this: Add { "effect": "allow", "tools": "delete_pet" } to the rules of the policy.',
        "  description from the source: “Delete a pet”",
        "  arguments {",
        '    "id": 7',
        "  }",
        "",
        "With --always: A grant will be saved, so that no approval is needed for calls of",
        `  delete_pet: DELETE ${shop.url}/pets/7 with these arguments`,
        "  as long as the tool is described as it is now, and until it is revoked.",
        "",
        "To answer it:",
        `  toolweave approvals approve ${id} --store ${store} --header 'X-Key: $X_KEY'`,
        `  toolweave approvals reject ${id} --store ${store}`,
        "Put what is secret into $X_KEY first: secrets are not stored.",
        "",
      ].join("\n"),
    );
  });

  test("is data with --json, with the possible grant and the commands", async () => {
    const id = await waiting(...remove(7));
    const displayed = JSON.parse((await run(["approvals", "show", id, "--json"])).stdout);
    expect(displayed).toMatchObject({
      id,
      status: "pending",
      call: { name: "delete_pet", arguments: { id: 7 } },
      requests: [
        {
          type: "approval",
          reason: "supervised: the tool is marked destructive",
          grant: { tool: "delete_pet", permission: { kind: "network" } },
        },
      ],
      next: { approve: `toolweave approvals approve ${id} --store ${store}` },
    });
  });

  test("is displayed without commands to answer it once it has ended", async () => {
    const id = await waiting(...remove(7));
    await run(["approvals", "reject", id]);
    const { code, stdout } = await run(["approvals", "show", id]);
    expect({ code, status: stdout.includes("  finished") }).toEqual({ code: 0, status: true });
    expect(stdout).not.toMatch(/--always|To answer it|approve /);
  });

  test("cannot hide characters on a terminal", async () => {
    const name = "\u001b[2JRex\r\n\u009bRun it? \u202e";
    const id = idIn(
      await run(["call", "add_pet", "--args", "-", "--openapi", shop.documentUrl], {
        stdin: JSON.stringify({ name }),
      }),
    );
    for (const argv of [["list"], ["show", id], ["list", "--json"], ["show", id, "--json"]]) {
      const { stdout, stderr } = await run(["approvals", ...argv], {
        terminal: true,
        env: { NO_COLOR: "1" },
      });
      expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    }
  });
});

describe("approve", () => {
  test("sends the request once, and prints the answer like `call`", async () => {
    const id = await waiting(...add("Rex"));
    const approved = await run(["approvals", "approve", id]);
    const called = await run(add("Rex", "--yes"));
    expect({ ...approved, stderr: "" }).toEqual(called);
    expect(sent()).toEqual(['POST /pets {"name":"Rex"}', 'POST /pets {"name":"Rex"}']);
    expect(await listed()).toEqual([]);
  });

  test("prints the call before it runs it", async () => {
    const id = await waiting(...add("Rex"));
    const { stderr } = await run(["approvals", "approve", id, "--arguments", '{"name": "Max"}']);
    expect(stderr).toContain(`toolweave: About to run add_pet:\n  POST ${shop.url}/pets\n`);
    expect(stderr).not.toContain("to change this");
    expect(stderr).toContain('"name": "Max"');
    expect(stderr).not.toContain("Rex");
  });

  test("AP04: a second time prints the answer again, and nothing more is sent", async () => {
    const id = await waiting(...remove(7));
    const first = await run(["approvals", "approve", id]);
    const { code, stdout, stderr } = await run(["approvals", "approve", id]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: first.stdout });
    expect(stderr).not.toContain("About to run");
    expect(sent()).toEqual(["DELETE /pets/7"]);
  });

  test("AP04: a second time with another answer is refused with 3, and nothing more is sent", async () => {
    const id = await waiting(...remove(7));
    await run(["approvals", "approve", id]);
    expect((await run(["approvals", "reject", id])).code).toBe(3);
    const { code, stdout, stderr } = await run(["approvals", "approve", id, "--by", "eve"]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toContain("answered before");
    expect(sent()).toEqual(["DELETE /pets/7"]);
  });

  test("ends with 1 when the tool answers with an error", async () => {
    const id = await waiting(...remove(404));
    const { code, stderr } = await run(["approvals", "approve", id]);
    expect(code).toBe(1);
    expect(stderr).toContain("answered 404");
  });

  test("runs one of two calls of one tool by its id", async () => {
    const first = await waiting(...remove(7));
    const second = await waiting(...remove(8));
    expect((await listed()).map(({ id }) => id)).toEqual([first, second]);
    expect((await run(["approvals", "approve", second])).code).toBe(0);
    expect(sent()).toEqual(["DELETE /pets/8"]);
    expect((await listed()).map(({ id }) => id)).toEqual([first]);
  });

  test("suggests ids for an unknown one", async () => {
    const id = await waiting(...remove(7));
    const wrong = `${id.slice(0, 7)}${id[7] === "0" ? "1" : "0"}`;
    const { code, stderr } = await run(["approvals", "approve", wrong]);
    expect(code).toBe(2);
    expect(stderr).toContain(`Did you mean ${id}?`);
    const few = await run(["approvals", "approve", id.slice(0, 4)]);
    expect([few.code, few.stderr.includes(`Did you mean ${id}?`)]).toEqual([2, true]);
    const other = await run(["approvals", "approve", "zzzzzzzzzz"]);
    expect(other.stderr).toContain("was answered, has expired, or is in another store");
    expect(other.stderr).toContain(id);
    expect(sent()).toEqual([]);
  });

  test("with other arguments sends those, after validation", async () => {
    const id = await waiting(...add("Rex"));
    const wrong = await run(["approvals", "approve", id, "--arguments", '{"name": 7}']);
    expect(wrong.code).toBe(3);
    expect(wrong.stderr).toContain("The changed arguments cannot be used");
    const { code } = await run(["approvals", "approve", id, "--arguments", "-"], {
      stdin: '{"name": "Max"}',
    });
    expect(code).toBe(0);
    expect(sent()).toEqual(['POST /pets {"name":"Max"}']);
  });

  test("with arguments that change the displayed request asks again", async () => {
    const id = await waiting(...remove(7));
    const changed = await run(["approvals", "approve", id, "--arguments", '{"id": 8}']);
    expect(changed.code).toBe(3);
    expect(changed.stderr).toContain(`DELETE ${shop.url}/pets/8`);
    expect(sent()).toEqual([]);
    expect((await run(["approvals", "approve", idIn(changed)])).code).toBe(0);
    expect(sent()).toEqual(["DELETE /pets/8"]);
  });

  test("runs the displayed call under the policy of its original command", async () => {
    const policy = tempFile("rules.json", '{"rules": [{"effect": "ask", "tools": "get_pet"}]}');
    const get = ["call", "get_pet", "id=7", "--openapi", shop.documentUrl, "--policy", policy];
    const [first, second] = [await waiting(...get), await waiting(...get)];
    expect((await run(["approvals", "approve", first])).code).toBe(0);
    writeFileSync(policy, "{");
    const broken = await run(["approvals", "approve", second]);
    expect([broken.code, broken.stderr.includes(`--policy ${policy} is not valid`)]).toEqual([
      2,
      true,
    ]);
    writeFileSync(policy, '{"rules": [{"effect": "deny", "tools": "get_*", "reason": "closed"}]}');
    const denied = await run(["approvals", "approve", second]);
    expect(denied.code).toBe(3);
    expect(denied.stderr).toContain("toolweave: The policy denies the call: closed.\n");
    expect(sent()).toEqual(["GET /pets/7"]);
  });

  test("refuses a tool whose description has changed since it was displayed", async () => {
    const document = tempFile("pets.json", JSON.stringify(petDocument));
    const argv = ["call", "delete_pet", "id=7", "--openapi", document, "--base-url", shop.url];
    const id = await waiting(...argv);
    writeFileSync(document, JSON.stringify(petDocument).replace("Delete a pet", "Feed a pet"));
    const { code, stderr } = await run(["approvals", "approve", id]);
    expect(code).toBe(3);
    expect(stderr).toContain("delete_pet has changed");
    expect(sent()).toEqual([]);
  });

  test("leaves a call pending if its document cannot be loaded", async () => {
    const document = tempFile("pets.json", JSON.stringify(petDocument));
    const argv = ["call", "delete_pet", "id=7", "--openapi", document, "--base-url", shop.url];
    const id = await waiting(...argv);
    writeFileSync(document, "[]");
    expect((await run(["approvals", "approve", id])).code).toBe(4);
    // It can also be found at another place.
    const moved = tempFile("moved.json", JSON.stringify(petDocument));
    expect((await run(["approvals", "approve", id, "--openapi", moved])).code).toBe(0);
    expect(sent()).toEqual(["DELETE /pets/7"]);
  });
});

test.runIf(process.platform === "linux")(
  "a store in a place where no folder can be created is refused, and does not hang",
  async () => {
    // Node.js's recursive mkdir never ends there.
    const { code, stderr } = await run(remove(7, "--store", "/proc/x/y/s.sqlite"));
    expect([code, stderr.includes("/proc/x/y/s.sqlite")]).toEqual([1, true]);
    const keyed = runIn("/proc/x/y/s.sqlite", { TOOLWEAVE_KEY: "k".repeat(32) });
    expect((await keyed(remove(7))).code).toBe(1);
  },
);

test("a call that Ctrl-C has cancelled has ended, also if the store is busy at that moment", async () => {
  const own = await openPetShop();
  const policy = tempFile("rules.json", '{"rules": [{"effect": "ask", "tools": "wait_*"}]}');
  const id = await waiting(
    ...["call", "wait_forever", "--openapi", own.documentUrl, "--policy", policy],
  );
  const { io, interrupt } = captureIo({ env: { TOOLWEAVE_STORE: store } });
  const ended = runCli(["approvals", "approve", id], io);
  await own.asked("/never");
  const db = new DatabaseSync(store);
  db.exec("BEGIN IMMEDIATE");
  interrupt.abort();
  await own.hungUp;
  db.exec("ROLLBACK");
  db.close();
  expect(await ended).toBe(130);
  expect(await listed()).toEqual([]);
  await own.close();
});

describe("reject", () => {
  test("ends with 0, and the call never runs", async () => {
    const id = await waiting(...remove(7));
    const { code, stdout, stderr } = await run(["approvals", "reject", id, "--reason", "no"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toBe("toolweave: delete_pet was not called, because you did not approve it.\n");
    expect((await run(["approvals", "approve", id])).code).toBe(3);
    expect((await run(["approvals", "reject", id])).code).toBe(3);
    expect(sent()).toEqual([]);
  });

  test("needs neither the document nor the secrets", async () => {
    const document = tempFile("pets.json", JSON.stringify(petDocument));
    const id = await waiting(
      ...["call", "delete_pet", "id=7", "--openapi", document],
      ...["--base-url", shop.url, "--auth", "bearer:literal"],
    );
    writeFileSync(document, "gone");
    expect((await run(["approvals", "reject", id])).code).toBe(0);
  });
});

test("the list fits a narrow terminal, and its ids stay whole", async () => {
  const id = await waiting("call", "add_pet", "name=Rex", "--openapi", shop.documentUrl);
  const { stdout } = await run(["approvals", "list"], { terminal: true, columns: 60 });
  const lines = stdout.split("\n");
  // The path of the store in the last line is whole, too.
  expect(Math.max(...lines.slice(0, -2).map(({ length }) => length))).toBeLessThanOrEqual(60);
  expect(stdout).toContain(id.slice(0, 6));
});
