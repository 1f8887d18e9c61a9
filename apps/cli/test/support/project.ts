import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { runIn, type RunCommand } from "./run-cli.ts";
import { tempFolder, tempStore } from "./temp-file.ts";

/** An empty folder as the current one, and an empty home folder. */
export interface Project {
  readonly folder: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly run: RunCommand;
  readonly read: (file: string) => string;
  readonly write: (file: string, content: string) => void;
}

/** Makes a project that exists until the test ends. */
export function project(): Project {
  const [folder, home] = [tempFolder(), tempFolder()];
  vi.spyOn(process, "cwd").mockReturnValue(folder);
  onTestFinished(() => void vi.restoreAllMocks());
  const store = tempStore();
  const env = {
    HOME: home,
    PATH: process.env["PATH"] ?? "",
    TOOLWEAVE_STORE: store,
    XDG_CONFIG_HOME: dirname(store),
    CODEX_HOME: join(home, ".codex"),
  };
  return {
    folder,
    home,
    env,
    run: runIn(store, env),
    read: (file) => readFileSync(join(folder, file), "utf8"),
    write: (file, content) => {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), content);
    },
  };
}
