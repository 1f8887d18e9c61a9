import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { shellLine } from "../src/render/text.ts";
import { runBin } from "./support/run-bin.ts";
import { tempFile } from "./support/temp-file.ts";

// A server is started for each rule that needs its own.
const manifest = createRequire(import.meta.url).resolve(
  "@modelcontextprotocol/server-memory/package.json",
);
const { bin } = createRequire(import.meta.url)(manifest) as {
  readonly bin: Readonly<Record<string, string>>;
};
const server = join(dirname(manifest), Object.values(bin)[0] ?? "");
const some = ["--only", "TW-NAME-001", "--only", "TW-CALL-002", "--seed", "7"];

test("an MCP server that a command starts is tested, and ends with the run", async () => {
  const command = shellLine([process.execPath, server, "--token", "s3cr3t"]);
  const { code, stdout, stderr } = await runBin(["conform", "--mcp", command, ...some]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^\S+\.js: no failure found/);
  expect(stdout).not.toContain("s3cr3t");
  expect(stdout).toMatch(/^NAME .* 1 +· +· +·$/m);
});

test("a file for --config calls the server's tools by their own names", async () => {
  const memory = tempFile("memory.json", "");
  const config = tempFile(
    "conformance.json",
    JSON.stringify({
      name: "a memory",
      mcp: {
        command: process.execPath,
        args: [server],
        env: { MEMORY_FILE_PATH: "$MEMORY" },
      },
      samples: { succeedingCalls: [{ tool: "read_graph", arguments: {} }] },
    }),
  );
  const { code, stdout, stderr } = await runBin(["conform", "--config", config, ...some], {
    env: { MEMORY: memory },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^CALL .* 1 +· +· +·$/m);
});

test("a server that cannot be started ends with 4, before any rule is checked", async () => {
  const { code, stdout, stderr } = await runBin(["conform", "--mcp", "./no/such-server", ...some]);
  expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
  expect(stderr).toContain("./no/such-server");
});
