import { join } from "node:path";
import { expect, test } from "vitest";
import { captureIo } from "./support/captured-io.ts";
import { project } from "./support/project.ts";
import { runCli } from "../src/program.ts";

test("a private server of a document is reported by inspect and add, and allowed by a person or an option", async () => {
  const { env, read, write, folder, run } = project();
  const origin = "http://127.0.0.1:4310";
  const info = { title: "Shop", version: "1" };
  const paths = { "/x": { get: { operationId: "x", responses: {} } } };
  write("shop.json", JSON.stringify({ openapi: "3.1.0", info, servers: [{ url: origin }], paths }));
  const file = join(folder, "shop.json");
  const listed = await run(["inspect", file]);
  expect(listed.stdout).toContain(`Requests to ${origin} are refused`);
  const added = await run(["add", file, "--name", "a"]);
  expect(added.stderr).toContain(`add "allowOrigins": ["${origin}"] to openapi.a in`);
  expect((await run(["add", file, "--name", "b", "--allow-origin", origin])).stderr).toBe("");
  const { io, stdin, said } = captureIo({ terminal: true, env });
  const ended = runCli(["add", file, "--name", "c"], io);
  await said(`Allow requests to ${origin}? [y/N] `);
  stdin.write("y\n");
  expect(await ended).toBe(0);
  const allowed = { file: "./shop.json", allowOrigins: [origin] };
  expect(JSON.parse(read("toolweave.json"))).toEqual({
    openapi: { a: { file: "./shop.json" }, b: allowed, c: allowed },
  });
});
