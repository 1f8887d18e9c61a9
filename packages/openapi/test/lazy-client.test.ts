import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";

/**
 * Imports the package, lists the tools of a document, calls one, and prints after each step whether
 * the HTTP client was loaded.
 */
const program = `
  import { registerHooks } from "node:module";
  let isLoaded = false;
  registerHooks({
    resolve(specifier, context, next) {
      isLoaded ||= specifier === "@toolweave/http";
      return next(specifier, context);
    },
  });
  const { openApiSource } = await import("@toolweave/openapi");
  const { ToolExecutor, ToolRegistry } = await import("@toolweave/core");
  const steps = [isLoaded];
  const responses = { 200: { description: "The pets." } };
  const registry = new ToolRegistry(openApiSource({
    openapi: "3.1.0",
    info: { title: "Pets", version: "1" },
    servers: [{ url: "https://api.example.com" }],
    paths: { "/pets": { get: { operationId: "list_pets", responses } } },
  }));
  await registry.ready;
  steps.push(isLoaded);
  await new ToolExecutor({ registry }).execute({ id: "1", name: "list_pets", arguments: {} });
  steps.push(isLoaded);
  process.stdout.write(JSON.stringify(steps));
  process.exit();
`;

it("the HTTP client is loaded with the first call", async () => {
  const args = ["--conditions=@toolweave/source", "--input-type=module", "-e", program];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: import.meta.dirname,
  });
  expect(JSON.parse(stdout)).toEqual([false, false, true]);
});
