import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";

/** The root of the repository. */
export const root: string = join(import.meta.dirname, "../../..");

/** The folder of the built site. */
export const siteFolder: string = join(root, "apps/docs/dist/site");

/** Builds the site and the packages that it describes, unless they are up to date. */
export function buildSite(): void {
  const turbo = join(root, "node_modules/.bin/turbo");
  const args = ["run", "build", "--filter=@toolweave/docs", "--output-logs=errors-only"];
  execFileSync(turbo, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
}

const mediaTypes: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
};

/** Serves the built site on loopback, as a host for static files does. */
export async function serveSite(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://site").pathname);
    const file = join(siteFolder, path.endsWith("/") ? `${path}index.html` : path);
    if (!existsSync(file)) return response.writeHead(404).end();
    const type = mediaTypes[extname(file)] ?? "application/octet-stream";
    return response.writeHead(200, { "content-type": type }).end(readFileSync(file));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
