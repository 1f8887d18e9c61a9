import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { rolldown } from "rolldown";
import { expect, test } from "vitest";
import { starFiles, suites } from "./support/chunks.ts";
import { readBazelChunks, readGoChunks } from "./support/chunks.ts";

const bazel = ["go", "java", "rust"]
  .flatMap((folder) => starFiles(join(suites, "bazel", folder)))
  .flatMap(readBazelChunks);
const go = starFiles(join(suites, "starlark-go")).flatMap(readGoChunks);
const resolver = readGoChunks(join(suites, "starlark-go/resolve/resolve.star"));
const syntax = starFiles(join(suites, "starlark-go/syntax")).flatMap(readGoChunks);
const chunks = { bazel, go, resolver, syntax };
const runner = join(import.meta.dirname, "support/run-suites.ts");

test("the suites pass where no code can be generated from strings", () => {
  const folder = mkdtempSync(join(tmpdir(), "starlark-suites-"));
  const file = join(folder, "chunks.json");
  writeFileSync(
    file,
    JSON.stringify(chunks, (_, value: unknown) => (value instanceof Set ? [...value] : value)),
  );
  const script = `
    let generated = true;
    try { new Function("return 1"); } catch { generated = false; }
    const { readFileSync } = await import("node:fs");
    const { runAll } = await import(${JSON.stringify(runner)});
    const result = await runAll(JSON.parse(readFileSync(${JSON.stringify(file)}, "utf8")));
    console.log(JSON.stringify({ generated, ...result }));
  `;
  const child = spawnSync(
    process.execPath,
    [
      "--disallow-code-generation-from-strings",
      "--conditions=@toolweave/source",
      "--input-type=module",
      "-e",
      script,
    ],
    { encoding: "utf8" },
  );
  expect(child.stderr).toBe("");
  expect(JSON.parse(child.stdout)).toEqual({ generated: false, passed: 2 * 506 + 97, faults: [] });
});

test("the suites pass in a worker, from a bundle without any import", async () => {
  const bundle = await rolldown({ input: runner, platform: "browser", logLevel: "silent" });
  const { output } = await bundle.generate({ format: "esm" });
  await bundle.close();
  const [chunk, ...others] = output;
  expect(others).toEqual([]);
  expect([...chunk.imports, ...chunk.dynamicImports]).toEqual([]);
  expect(chunk.code).not.toContain("node:");
  const code = `${chunk.code}\nself.onmessage = async ({ data }) => self.postMessage(await runAll(data));`;
  const shim = `import { parentPort } from "node:worker_threads";
    globalThis.self = { postMessage: (value) => parentPort.postMessage(value) };
    parentPort.on("message", (data) => self.onmessage({ data }));\n`;
  const source = `data:text/javascript,${encodeURIComponent(shim + code)}`;
  const worker = new Worker(new URL(source));
  const result = await new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker of Node has no origin
    worker.postMessage(chunks);
  });
  await worker.terminate();
  expect(result).toEqual({ passed: 2 * 506 + 97, faults: [] });
});
