import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { DemoFolder } from "./demo/demo-folder.ts";

/** A running `toolweave studio`. */
export interface Studio {
  /** The address, without a path. */
  readonly url: string;
  /** The link that can be used once. */
  readonly link: string;
  stop(): Promise<void>;
}

/** The name of the person in the pictures, in place of the user of this machine. */
const renameUser = `data:text/javascript,${encodeURIComponent(
  `import os from "node:os";
   import { syncBuiltinESMExports } from "node:module";
   const user = os.userInfo();
   os.userInfo = () => ({ ...user, username: "Mira Okafor" });
   syncBuiltinESMExports();`,
)}`;

/** Starts the built command in the folder, with what a gateway has left there. */
export async function startStudio({ folder, env, files }: DemoFolder): Promise<Studio> {
  const manifest = createRequire(import.meta.url).resolve("toolweave/package.json");
  const program = join(dirname(manifest), "dist/main.js");
  const args = ["studio", "toolweave.json", "--json", "--listen", "127.0.0.1:0"];
  const attached = ["--store", files.store, "--events", files.events, "--audit", files.audit];
  const child = spawn(
    process.execPath,
    [
      "--disable-warning=ExperimentalWarning",
      "--import",
      renameUser,
      program,
      ...args,
      ...attached,
    ],
    { cwd: folder, env: { ...env }, stdio: ["ignore", "pipe", "pipe"] },
  );
  let printed = "";
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding("utf8").on("data", (text: string) => (printed += text));
  }
  const closed = once(child, "close");
  while (!/^\{.*\}$/m.test(printed)) {
    await Promise.race([once(child.stdout, "data"), closed]);
    if (child.exitCode !== null) throw new Error(`Studio has ended:\n${printed}`);
  }
  const [line = ""] = /^\{.*\}$/m.exec(printed) ?? [];
  return {
    ...(JSON.parse(line) as { url: string; link: string }),
    async stop() {
      child.kill("SIGINT");
      await closed;
    },
  };
}
