import { join } from "node:path";
import { sqliteStore } from "@toolweave/stores";
import { expect, test } from "vitest";
import { project, type Project } from "./support/project.ts";
import { idIn } from "./support/run-cli.ts";
import { toolCode } from "./support/tool-module.ts";

/** A project whose configuration has a store of its own, and a tool that needs approval. */
function withStore(): Project {
  const made = project();
  made.write("tools.mjs", `export default ${toolCode("wipe", "() => 1", false)};`);
  made.write("toolweave.json", JSON.stringify({ tools: ["./tools.mjs"], store: "data" }));
  return made;
}

const terminal = { terminal: true, stdin: "y\n" };

test("approvals are read from the store of the configuration in this folder, once it is trusted", async () => {
  const { run, folder, env } = withStore();
  const refused = await run(["approvals", "list"]);
  expect(refused).toMatchObject({ code: 3, stdout: "" });
  expect(refused.stderr).toContain("is not trusted. Nothing was started or read.");
  await run(["trust"], terminal);
  const path = join(folder, "data", "approvals.sqlite");
  const waits = await run(["call", "wipe"]);
  const id = idIn(waits);
  expect(waits.stderr).toContain(`--store ${path}`);
  for (const options of [[], ["--config", "toolweave.json"], ["--store", path]]) {
    const { code, stdout } = await run(["approvals", "list", ...options]);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`1 pending in ${path}\n`)]);
  }
  const json = JSON.parse((await run(["approvals", "list", "--json"])).stdout) as object;
  expect(json).toMatchObject({ store: path, calls: [{ id }] });
  expect((await run(["approvals", "show", id])).stdout).toContain("wipe");
  // What the variable names is another store.
  const other = await run(["approvals", "list", "--store", env["TOOLWEAVE_STORE"] ?? ""]);
  expect(other.stdout).toBe(`0 pending in ${env["TOOLWEAVE_STORE"]}\n`);
  expect((await run(["approvals", "approve", id, "--always"])).code).toBe(0);
  const grants = await run(["approvals", "grants"]);
  expect(grants.stdout).toContain(`1 grant in ${path}\n`);
  const store = sqliteStore({ path });
  const [grant] = await store.grants.list();
  store.close();
  expect((await run(["approvals", "revoke", grant?.id ?? ""])).code).toBe(0);
  const again = idIn(await run(["call", "wipe"]));
  expect((await run(["approvals", "reject", again])).code).toBe(0);
});

test("--config of another folder names the store without a question", async () => {
  const { run, folder } = withStore();
  const config = join(folder, "toolweave.json");
  const call = ["call", "wipe", "--config", config];
  const id = idIn(await run(call));
  const elsewhere = project();
  const listed = await elsewhere.run(["approvals", "list", "--config", config]);
  expect(listed.stdout).toContain(`1 pending in ${join(folder, "data", "approvals.sqlite")}`);
  const rejected = await elsewhere.run(["approvals", "reject", id, "--config", config]);
  expect(rejected.code).toBe(0);
});

test("a configuration without a store needs no trust for the store of the user", async () => {
  const { run, write, env } = project();
  write("toolweave.json", JSON.stringify({ policy: { rules: [] } }));
  expect((await run(["approvals", "list"])).stdout).toBe(
    `0 pending in ${env["TOOLWEAVE_STORE"]}\n`,
  );
  write("toolweave.json", "{");
  const broken = await run(["approvals", "list"]);
  expect([broken.code, broken.stderr]).toEqual([2, expect.stringContaining("toolweave.json:1:2")]);
});
