import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { runCommand } from "../lib/run-command.ts";

/** The registry server. It is not a dependency of the workspace: only rehearsals install it. */
const verdaccio = "verdaccio@6.10.4";

/** Options of `startRegistry`. */
export interface RegistryOptions {
  /** An empty folder for the server's program and its packages. */
  readonly folder: string;
  /** The registry that has all packages that are not ours. */
  readonly uplink: string;
  /** Names and patterns of packages that only this registry has. */
  readonly localPackages: readonly string[];
}

/** A running registry on loopback. */
export interface LocalRegistry {
  /** Its address, with a slash at the end. */
  readonly url: string;
  close(): void;
}

function configuration({ folder, uplink, localPackages }: RegistryOptions): object {
  const local = localPackages.map((name) => [name, { access: "$all", publish: "$all" }]);
  return {
    storage: join(folder, "storage"),
    self_path: folder,
    configPath: join(folder, "config.yaml"),
    config_path: join(folder, "config.yaml"),
    auth: { htpasswd: { file: join(folder, "htpasswd") } },
    uplinks: { public: { url: uplink, timeout: "120s", max_fails: 20 } },
    packages: { ...Object.fromEntries(local), "**": { access: "$all", proxy: "public" } },
    max_body_size: "50mb",
    log: { type: "stdout", format: "pretty", level: "fatal" },
    web: { enable: false },
  };
}

/** Installs Verdaccio into the folder and starts it on a free port of loopback. */
export async function startRegistry(options: RegistryOptions): Promise<LocalRegistry> {
  const { folder } = options;
  mkdirSync(folder, { recursive: true });
  // Verdaccio names a version of node-fetch by a tag, which not every mirror of the registry has.
  const manifest = { private: true, overrides: { "node-fetch": "^2.6.7" } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  const args = ["install", "--no-audit", "--no-fund", "--omit=optional", verdaccio];
  const { code, output } = await runCommand("npm", args, { cwd: folder });
  if (code !== 0) throw new Error(`${verdaccio} could not be installed:\n${output}`);
  const { runServer } = createRequire(join(folder, "package.json"))("verdaccio") as {
    runServer(config: object): Promise<Server>;
  };
  const server = await runServer(configuration(options));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
