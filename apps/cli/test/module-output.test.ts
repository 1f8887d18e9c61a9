import { expect, onTestFinished, test } from "vitest";
import { runBin, startBin } from "./support/run-bin.ts";
import { createFolder, toolCode } from "./support/tool-module.ts";

const printing = `
  import { stdout } from "node:process";
  console.log("log at the top"); console.info("info"); console.debug("debug");
  console.dir({ dir: 1 }); console.table([{ cell: 1 }]);
  process.stdout.write("direct\\n"); stdout.write("imported\\n");
  export const greet = ${toolCode("greet", '() => { console.log("log in execute"); return "Hello"; }')};
`;

test("stdout has only the result, whatever a module prints", async () => {
  const cwd = createFolder({ "tools.mjs": printing });
  const listed = await runBin(["inspect", "tools.mjs", "--json"], { cwd });
  expect([listed.code, JSON.parse(listed.stdout)]).toMatchObject([0, expect.anything()]);
  for (const text of ["log at the top", "info", "debug", "dir: 1", "cell", "direct", "imported"]) {
    expect(listed.stderr).toContain(text);
  }
  const called = await runBin(["call", "tools.mjs", "greet"], { cwd });
  expect([called.code, called.stdout]).toEqual([0, "Hello\n"]);
  expect(called.stderr).toContain("log in execute");
});

test("a server over stdio writes only messages to stdout, whatever a module prints", async () => {
  const child = startBin(["serve", "tools.mjs"], { cwd: createFolder({ "tools.mjs": printing }) });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stdout = "";
  const answered = new Promise<void>((resolve) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      if (stdout.includes('"id":2')) resolve();
    });
  });
  const client = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  };
  for (const message of [
    { id: 1, method: "initialize", params: client },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/call", params: { name: "greet", arguments: {} } },
  ]) {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
  await answered;
  const messages = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
  expect(messages).toContainEqual(
    expect.objectContaining({
      id: 2,
      result: expect.objectContaining({ content: [{ type: "text", text: "Hello" }] }) as unknown,
    }),
  );
});

test("Node's advice on the package.json of a module is not printed", async () => {
  const cwd = createFolder({
    "package.json": "{}",
    "tools.ts": `const name: string = "Ada"; export const greet = ${toolCode("greet", "() => name")};`,
  });
  const { code, stderr } = await runBin(["call", "tools.ts", "greet"], { cwd });
  expect([code, stderr.replace(/.*ExperimentalWarning: Type Stripping[^]*/, "")]).toEqual([0, ""]);
});
