import { copyFileSync, cpSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const fixtures = join(import.meta.dirname, "fixtures");

/** The server that answers for https://api.example.com, which the pages name. */
export interface ExampleHost {
  /** The environment with which Node processes reach it. */
  readonly env: Readonly<Record<string, string>>;
  close(): void;
}

/** Serves an OpenAPI document, and answers every other request with its path, on a free port of loopback. */
export async function startExampleHost(): Promise<ExampleHost> {
  const document = readFileSync(join(fixtures, "openapi.json"));
  const server = createServer(({ url }, response) => {
    response.setHeader("content-type", "application/json");
    response.end(url === "/openapi.json" ? document : JSON.stringify({ path: url }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const preload = pathToFileURL(join(fixtures, "example-host.mjs")).href;
  return {
    env: { REHEARSAL_PORT: String(port), NODE_OPTIONS: `--import=${preload}` },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/**
 * Copies the files that the commands of the pages read: documents, configurations and tools of a reader.
 *
 * @param more further files; a page that makes a `toolweave.json` begins without one.
 */
export function copyReaderFiles(folder: string, more: readonly string[]): void {
  for (const name of ["my-tools.ts", "tools.ts", "conformance.json", ...more]) {
    copyFileSync(join(fixtures, name), join(folder, name));
  }
  // JSON is YAML.
  copyFileSync(join(fixtures, "openapi.json"), join(folder, "openapi.yaml"));
}

/** Copies the package of a reader's MCP server, which the pages start with `npx -y my-mcp-server`. */
export function copyServerPackage(folder: string): void {
  cpSync(join(fixtures, "my-mcp-server"), folder, { recursive: true });
}
