import { createHash } from "node:crypto";
import {
  compile,
  load,
  StarlarkError,
  type LoadOptions,
  type Module,
  type Program,
  type Value,
} from "@toolweave/starlark";
import { predeclared } from "../builtins/table.ts";
import type { ScriptLimits } from "../artifact/artifact.ts";
import { compileOptions } from "./program.ts";
import type { ScriptKind } from "../builtins/builtin.ts";
import { fault } from "../builtins/fault.ts";

/** A file that a script loads. */
export interface LoadedFile {
  /** As it is displayed in errors. */
  readonly file: string;
  readonly text: string;
}

/**
 * Finds the file behind `load(name, …)` of a script.
 *
 * @returns undefined: there is none.
 */
export type FindFile = (name: string) => LoadedFile | undefined;

/** Replacements for parts of the environment of scripts, for tests and tools. */
export interface ScriptEnvironment {
  /** The values of the predeclared names of a kind. */
  readonly predeclared?: (kind: ScriptKind) => Readonly<Record<string, Value>>;
  /** Called before each operation. */
  readonly onOperation?: NonNullable<LoadOptions["onOperation"]>;
}

const maxCached = 500;

/** Compiled files by their digest: most runs load the same ones. */
const programs = new Map<string, Program>();

/**
 * Loads files for one run, each once. The digests of their texts are kept with the run: a run that continues after one of
 * them has changed fails with `outcome_unknown`.
 */
export class ScriptLoader {
  readonly #find: FindFile;
  readonly #kind: ScriptKind;
  readonly #limits: Pick<Required<ScriptLimits>, "steps" | "memoryBytes">;
  readonly #modules = new Map<string, Promise<Module>>();
  readonly #active = new Set<string>();
  readonly #known: Readonly<Record<string, string>>;
  readonly #environment: ScriptEnvironment;
  readonly #digests: Record<string, string> = {};

  /** @param known the digests of an earlier part of the run. */
  constructor(
    find: FindFile,
    kind: ScriptKind,
    limits: Pick<Required<ScriptLimits>, "steps" | "memoryBytes">,
    known: Readonly<Record<string, string>> = {},
    environment: ScriptEnvironment = {},
  ) {
    this.#find = find;
    this.#kind = kind;
    this.#limits = limits;
    this.#known = known;
    this.#environment = environment;
  }

  /** The digests of the loaded files, by the names that scripts use. */
  get digests(): Readonly<Record<string, string>> {
    return this.#digests;
  }

  /** @throws StarlarkError for a file that does not exist, cannot be compiled, or loads itself. */
  readonly load = (name: string): Promise<Module> => {
    const known = this.#modules.get(name);
    if (known !== undefined) {
      // A file that is loaded while it loads would wait for itself.
      if (this.#active.has(name)) throw fault("the file loads itself");
      return known;
    }
    const module = this.#run(name).finally(() => this.#active.delete(name));
    this.#modules.set(name, module);
    return module;
  };

  async #run(name: string): Promise<Module> {
    this.#active.add(name);
    const found = this.#find(name);
    if (found === undefined) throw fault("there is no such file in the folder");
    const digest = createHash("sha256").update(found.text).digest("hex");
    this.#digests[name] = digest;
    if (this.#known[name] !== undefined && this.#known[name] !== digest)
      throw new StarlarkError("outcome_unknown", `${found.file} has changed since the run began`);
    return load(this.#compile(found, digest), {
      ...this.#environment,
      predeclared: (this.#environment.predeclared ?? predeclared)(this.#kind),
      load: this.load,
      maxSteps: this.#limits.steps,
      maxMemoryBytes: this.#limits.memoryBytes,
    });
  }

  #compile({ file, text }: LoadedFile, digest: string): Program {
    const key = `${this.#kind} ${file} ${digest}`;
    const cached = programs.get(key);
    if (cached !== undefined) return cached;
    const place = { file, line: 1, column: 1 };
    const program = compile(text, compileOptions({ place }, this.#kind));
    const [oldest] = programs.keys();
    if (programs.size >= maxCached && oldest !== undefined) programs.delete(oldest);
    programs.set(key, program);
    return program;
  }
}
