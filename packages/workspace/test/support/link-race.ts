import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, linkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ToolExecutor, ToolRegistry, type JsonObject, type ToolOutcome } from "@toolweave/core";
import { workspaceEffects } from "../../src/effects.ts";
import { workspaceTools } from "../../src/index.ts";
import type { SwapperMessage } from "./swapping-process.ts";

/** The content of all files for which the rules ask, or which they deny. */
const special = "SPECIAL content\n";
const plain = "plain content\n";

/** Files of each class, besides the plain ones. */
export const specialFiles = {
  secret: ".env",
  protected: ".git/hooks/pre-commit",
  marked: "marked/file.txt",
  denied: "denied/file.txt",
  linked: "linked.txt",
} as const;

/** The outcome of a race. */
export interface LinkRaceCounts {
  /** Calls whose result has the content of a special file. */
  readonly leaks: number;
  /** Special files whose content has changed. */
  readonly changed: readonly string[];
  readonly completed: number;
  readonly refused: number;
}

/**
 * The tools for files under a policy that allows what needs no approval, in a workspace whose link `link` leads to a plain
 * file, and `link-d` to a plain folder, while another process replaces both by links to special ones again and again.
 */
export class LinkRace {
  readonly #root: string;
  readonly #executor: ToolExecutor;
  #calls = 0;

  /** @param onDecision is called when the policy decides. */
  constructor(root: string, onDecision: () => void = () => {}) {
    this.#root = root;
    const files = [...Object.values(specialFiles), "plain/f", "marked/f"];
    for (const path of files) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), path.startsWith("plain") ? plain : special);
    }
    if (!existsSync(join(root, "other-name.txt"))) {
      linkSync(join(root, specialFiles.linked), join(root, "other-name.txt"));
    }
    const options = {
      root,
      sandbox: "none",
      ask: ["marked"],
      deny: ["denied"],
      protectedWrites: "ask",
    } as const;
    const registry = new ToolRegistry([
      workspaceTools({ ...options, applyPatch: true }),
      workspaceEffects(options),
    ]);
    this.#executor = new ToolExecutor({
      registry,
      policy: ({ permission }) => {
        onDecision();
        return {
          effect: permission?.kind.startsWith("custom.") === true ? "deny" : "allow",
          reason: "test",
        };
      },
    });
  }

  /** Makes a call again and again while links are replaced. */
  async run(
    link: string,
    targets: readonly string[],
    name: string,
    args: JsonObject,
    tries: number,
  ): Promise<LinkRaceCounts> {
    const swapper = await this.#startSwapper(link, targets);
    let [leaks, completed, refused] = [0, 0, 0];
    try {
      for (let count = 0; count < tries; count++) {
        this.#reset("plain/f", plain);
        const { status, result } = await this.call(name, args);
        if (JSON.stringify(result ?? null).includes("SPECIAL")) leaks += 1;
        if (status === "completed") completed += 1;
        else refused += 1;
      }
    } finally {
      const ended = once(swapper, "exit");
      swapper.kill("SIGKILL");
      await ended;
    }
    const changed = Object.values(specialFiles).filter((path) => {
      const at = join(this.#root, path);
      return !existsSync(at) || readFileSync(at, "utf8") !== special;
    });
    return { leaks, changed, completed, refused };
  }

  call(name: string, args: JsonObject): Promise<ToolOutcome> {
    return this.#executor.execute({ id: `${(this.#calls += 1)}`, name, arguments: args });
  }

  close(): Promise<void> {
    return this.#executor.registry.close();
  }

  #reset(path: string, content: string): void {
    const at = join(this.#root, path);
    if (!existsSync(at) || readFileSync(at, "utf8") !== content) writeFileSync(at, content);
  }

  async #startSwapper(link: string, targets: readonly string[]): Promise<ChildProcess> {
    const script = join(import.meta.dirname, "swapping-process.ts");
    const swapper = fork(script, [join(this.#root, link), ...targets]);
    const [message] = (await once(swapper, "message")) as [SwapperMessage];
    if (message !== "ready") throw new Error("The process has replaced nothing.");
    return swapper;
  }
}
