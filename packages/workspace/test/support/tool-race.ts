import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ToolExecutor, ToolRegistry, type JsonObject } from "@toolweave/core";
import { workspaceEffects } from "../../src/effects.ts";
import { workspaceTools } from "../../src/index.ts";
import { SwappingAttacker } from "./swapping-attacker.ts";
import { makeRaceFolders } from "./race.ts";

/** The names of files that are both inside and outside, and the content of those outside. */
const names = ["f", "x", "m"];
export const canary = "secret canary";

/** The tools for files in a race: `d` in the root is swapped with a link to a folder outside. */
export class ToolRace {
  readonly #root: string;
  readonly #outside: string;
  readonly #executor: ToolExecutor;
  #calls = 0;

  constructor(base: string) {
    const { root, outside } = makeRaceFolders(base);
    this.#root = root;
    this.#outside = outside;
    for (const name of names) writeFileSync(join(outside, name), canary);
    const registry = new ToolRegistry([
      workspaceTools({ root, bash: false, applyPatch: true, hardLinks: "allow" }),
      workspaceEffects({ root, bash: false, hardLinks: "allow" }),
    ]);
    this.#executor = new ToolExecutor({ registry, policy: "autonomous" });
  }

  /** Repeats an operation, and returns what came out of it and what it has changed outside: nothing, if the jail holds. */
  async run(
    operation: (race: ToolRace) => Promise<string>,
    tries: number,
  ): Promise<{ readonly leaks: number; readonly succeeded: number; readonly outside: unknown }> {
    const attacker = await SwappingAttacker.start(
      join(this.#root, "d"),
      join(this.#root, "d-link"),
      join(this.#root, "d-real"),
    );
    let leaks = 0;
    let succeeded = 0;
    try {
      for (let count = 0; count < tries || (succeeded === 0 && count < 100 * tries); count++) {
        const text = await operation(this);
        if (text.includes("canary")) leaks += 1;
        if (!text.startsWith("failed")) succeeded += 1;
      }
    } finally {
      await attacker.stop();
      await this.#executor.registry.close();
    }
    const outside = readdirSync(this.#outside)
      .toSorted()
      .map((name) => [name, readFileSync(join(this.#outside, name), "utf8")]);
    return { leaks, succeeded, outside };
  }

  async #call(name: string, args: JsonObject): Promise<string> {
    const { ok, result } = await this.#executor.execute({
      id: `${(this.#calls += 1)}`,
      name,
      arguments: args,
    });
    const { content, value = null } = result ?? {};
    return `${ok ? "" : "failed"} ${JSON.stringify([content, value])}`.trim();
  }

  readonly read = (): Promise<string> => this.#call("read_file", { path: "d/f" });
  readonly list = (): Promise<string> => this.#call("list_files", { path: "d" });
  readonly search = (): Promise<string> =>
    this.#call("search", { pattern: "s[e]cret|inside", path: "d" });

  /** Would change the content outside, which begins with "secret". */
  readonly edit = async (): Promise<string> => {
    const edits = [{ old: "s", new: "S", replace_all: true }];
    const text = await this.#call("edit_file", { path: "d/f", edits });
    await this.#call("write_file", { path: "d/f", content: "inside", mode: "overwrite" });
    return text;
  };

  readonly write = (): Promise<string> =>
    this.#call("write_file", { path: `d/w${this.#calls % 10}`, content: "x", mode: "append" });

  readonly delete = async (): Promise<string> => {
    await this.#call("write_file", { path: "d/x", content: "x", mode: "append" });
    await this.#call("read_file", { path: "d/x" });
    return this.#patch("*** Delete File: d/x");
  };

  readonly move = async (): Promise<string> => {
    await this.#call("write_file", { path: "d/m", content: "x\n", mode: "append" });
    await this.#call("read_file", { path: "d/m" });
    return this.#patch("*** Update File: d/m", "*** Move to: d/moved", "@@", "-x", "+y");
  };

  readonly fsRead = (): Promise<string> => this.#call("fs_read", { path: "d/f" });
  readonly fsList = (): Promise<string> => this.#call("fs_find", { pattern: "t", path: "d" });

  readonly fsWrite = (): Promise<string> =>
    this.#call("fs_write", { path: `d/w${this.#calls % 10}`, content: "x" });

  readonly fsRemove = async (): Promise<string> => {
    await this.#call("fs_write", { path: "d/x", content: "x" });
    return this.#call("fs_remove", { path: "d/x", recursive: true });
  };

  readonly fsCopy = async (): Promise<string> => {
    const text = await this.#call("fs_copy", { from: "d/f", to: "copy" });
    return `${text} ${await this.#call("fs_read", { path: "copy" })}`;
  };

  readonly fsMove = async (): Promise<string> => {
    await this.#call("fs_write", { path: "d/m", content: "x" });
    const text = await this.#call("fs_move", { from: "d/m", to: "moved" });
    return `${text} ${await this.#call("fs_read", { path: "moved" })}`;
  };

  #patch(...lines: readonly string[]): Promise<string> {
    const patch = ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
    return this.#call("apply_patch", { patch });
  }
}
