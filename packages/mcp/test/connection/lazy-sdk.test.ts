import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";

/**
 * Imports the package, creates a source, and prints which parts of the SDK were resolved until
 * then.
 */
const program = `
  import { registerHooks } from "node:module";
  const asked = new Set();
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier.startsWith("@modelcontextprotocol/")) asked.add(specifier);
      return next(specifier, context);
    },
  });
  const { mcpSource } = await import("@toolweave/mcp");
  const said = [[...asked]];
  const server = { name: "none", url: "http://127.0.0.1:9/", auth: { oauth: {} } };
  await mcpSource(server).ready.catch(() => {});
  said.push([...asked]);
  process.stdout.write(JSON.stringify(said));
  process.exit();
`;

it("the SDK, the largest import, is loaded with the first connection", async () => {
  const args = ["--conditions=@toolweave/source", "--input-type=module", "-e", program];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: import.meta.dirname,
  });
  expect(JSON.parse(stdout)).toEqual([
    [],
    expect.arrayContaining(["@modelcontextprotocol/client"]),
  ]);
});
