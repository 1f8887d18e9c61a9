import { readFile, writeFile } from "node:fs/promises";
import { dirname, relative, resolve, sep } from "node:path";
import { text } from "node:stream/consumers";
import { compile, format, json, load, math, run, StarlarkError } from "@toolweave/starlark";
import type { HostValue, Module, Program, SourceProblem } from "@toolweave/starlark";
import { readJsonOption } from "../../input/json-option.ts";
import { rejectOnInterrupt, type CliIo } from "../../process/cli-io.ts";
import { exitCode, UsageError } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { safeJson, safeLine } from "../../render/text.ts";

interface DialectOption {
  readonly dialect: "artifact" | "session";
}

/** The options of `toolweave starlark run`. */
export interface RunOptions extends DialectOption {
  readonly call?: string;
  readonly args?: string;
  readonly timeout: string;
  readonly maxSteps?: string;
  readonly json?: boolean;
}

/** The options of `toolweave starlark check`. */
export interface CheckOptions extends DialectOption {
  readonly predeclared?: string;
  readonly json?: boolean;
}

/** The options of `toolweave starlark fmt`. */
export interface FormatOptions extends DialectOption {
  readonly write?: boolean;
  readonly check?: boolean;
}

const predeclared = { json, math };

/** `toolweave starlark run`: runs a program within its limits. */
export async function runProgram(
  file: string,
  options: RunOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  const args = options.args === undefined ? [] : await readJsonOption("--args", options.args, io);
  if (!Array.isArray(args))
    throw new UsageError("--args must be a JSON array, such as '[{\"id\": 7}]'.");
  const source = await readProgram(file, io);
  const lines: string[] = [];
  const pending: Promise<void>[] = [];
  const print = (line: string): void => {
    if (options.json === true) lines.push(line);
    else pending.push(output.write(`${safeLine(line)}\n`));
  };
  try {
    const limits = {
      timeoutMs: toCount("--timeout", options.timeout),
      ...(options.maxSteps !== undefined && { maxSteps: toCount("--max-steps", options.maxSteps) }),
      signal: io.signal,
    };
    const program = compileFile(file, source, options.dialect);
    const result = await run(program, {
      ...limits,
      predeclared,
      print,
      load: fileLoader(dirname(file), options.dialect, limits),
      ...(options.call !== undefined && { call: options.call, args: args as HostValue[] }),
    });
    await Promise.all(pending);
    if (options.json === true) {
      const { value, steps, memoryBytes } = result;
      await output.write(
        `${safeJson(toJson({ output: lines, result: value, steps, memoryBytes }))}\n`,
      );
    } else if (options.call !== undefined)
      await output.write(`${safeJson(toJson(result.value))}\n`);
    return exitCode.completed;
  } catch (error) {
    if (!(error instanceof StarlarkError)) throw error;
    io.signal.throwIfAborted();
    await Promise.all(pending);
    output.printMessage(error.traceback);
    return exitCode.toolError;
  }
}

function toJson(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => {
    if (typeof item === "bigint") return item.toString();
    if (item instanceof Map) return [...item];
    if (item instanceof Set) return [...item];
    return item instanceof Uint8Array ? Array.from(item) : item;
  });
}

function toCount(option: string, text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new UsageError(`${option} must be a positive integer, not ${text}.`);
}

function compileFile(file: string, source: string, dialect: "artifact" | "session"): Program {
  return compile(source, { file, dialect, predeclared: Object.keys(predeclared) });
}

/** Finds the modules of `load` below the folder of the program. */
function fileLoader(
  folder: string,
  dialect: "artifact" | "session",
  limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
): (name: string) => Promise<Module> {
  const loaded = new Map<string, Promise<Module>>();
  const find = (name: string): Promise<Module> => {
    const path = resolve(folder, name);
    const inside = relative(resolve(folder), path);
    if (inside.startsWith(`..${sep}`) || inside === "..") {
      throw new StarlarkError("execution_failed", "the file is outside of the program's folder");
    }
    const known = loaded.get(path);
    if (known !== undefined) {
      // A module that is loaded while it loads would wait for itself.
      if (loading.has(path)) throw new StarlarkError("execution_failed", "the module loads itself");
      return known;
    }
    loading.add(path);
    const module = readFile(path, "utf8")
      .then((source) =>
        load(compileFile(path, source, dialect), { ...limits, predeclared, load: find }),
      )
      .finally(() => loading.delete(path));
    loaded.set(path, module);
    return module;
  };
  const loading = new Set<string>();
  return find;
}

async function readProgram(file: string, io: CliIo): Promise<string> {
  if (file === "-") return rejectOnInterrupt(text(io.stdin), io.signal);
  try {
    return await readFile(resolve(file), "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown reason";
    throw new UsageError(`The file ${file} cannot be read (${code}).`, { cause: error });
  }
}

/** `toolweave starlark check`: reports the faults of programs. */
export async function checkPrograms(
  files: readonly string[],
  options: CheckOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  const names = [...Object.keys(predeclared), ...(options.predeclared?.split(",") ?? [])];
  let found = false;
  for (const file of files) {
    const source = await readProgram(file, io);
    const problems = await findProblems(
      () => void compile(source, { file, dialect: options.dialect, predeclared: names }),
    );
    for (const { position, message } of problems) {
      found = true;
      const { line, column } = position;
      const text =
        options.json === true
          ? safeJson(JSON.stringify({ file, line, column, message }))
          : safeLine(`${file}:${line}:${column}: ${message}`);
      await output.write(`${text}\n`);
    }
  }
  return found ? exitCode.toolError : exitCode.completed;
}

async function findProblems(read: () => void): Promise<readonly SourceProblem[]> {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof StarlarkError && error.problems.length > 0) return error.problems;
    throw error;
  }
}

/** `toolweave starlark fmt`: prints or writes programs in the standard form. */
export async function formatPrograms(
  files: readonly string[],
  options: FormatOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  let code: number = exitCode.completed;
  for (const file of files) {
    const source = await readProgram(file, io);
    let formatted: string;
    try {
      formatted = format(source, { file, dialect: options.dialect });
    } catch (error) {
      if (!(error instanceof StarlarkError)) throw error;
      output.printMessage(error.traceback);
      code = exitCode.toolError;
      continue;
    }
    if (options.check === true) {
      if (formatted === source) continue;
      await output.write(`${safeLine(file)}\n`);
      code = exitCode.changed;
    } else if (options.write === true && file !== "-") {
      if (formatted !== source) await writeFile(resolve(file), formatted);
    } else await output.write(formatted);
  }
  return code;
}
