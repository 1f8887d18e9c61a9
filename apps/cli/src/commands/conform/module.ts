import { basename } from "node:path";
import type { Manifest } from "@toolweave/conformance";
import { ToolError, type Tool, type ToolSource } from "@toolweave/core";
import { isThenable } from "@toolweave/core/adapter";
import { UsageError } from "../../process/exit-code.ts";
import { rejectOnInterrupt } from "../../process/cli-io.ts";
import { noSamples, type ConformSubject } from "./servers.ts";

const accepted =
  "a manifest of @toolweave/conformance, a list of them, a tool, a list of tools, a source, or a function that makes one of these";

/**
 * Returns the subjects of a module's default export.
 *
 * @param where the prefix of errors, such as the place in a file.
 * @throws UsageError, Interrupt
 */
export async function moduleSubjects(
  path: string,
  where: string,
  signal: AbortSignal,
): Promise<readonly ConformSubject[]> {
  const name = basename(path);
  const load = await createModuleLoader(path, where, signal);
  const exported = await load();
  const made = typeof exported === "function" ? await callExport(exported, path, signal) : exported;
  const manifests = Array.isArray(made) && made.length > 0 && made.every(isManifest);
  if (manifests) return (made as readonly Manifest[]).map(toSubject);
  if (isManifest(made)) return [toSubject(made)];
  const first = asSubjectValue(made);
  if (first === undefined) throw new UsageError(notAcceptedMessage(path, exported, made));
  const again = typeof exported === "function" ? exported : load;
  return [toSubject({ name, create: toCreate(first, again as () => unknown), without: noSamples })];
}

function toSubject(manifest: Manifest): ConformSubject {
  return { manifest, secrets: manifest.secrets ?? [], isRemote: false };
}

/** Imports the module, anew each time after the first. */
async function createModuleLoader(
  path: string,
  where: string,
  signal: AbortSignal,
): Promise<() => Promise<unknown>> {
  const option = suggestOption(path);
  if (option !== undefined) {
    throw new UsageError(`${where}${path} is not a module: use ${option}.`);
  }
  const { importModule } = await import("@toolweave/config");
  let count = 0;
  return async () => {
    const query = count === 0 ? "" : `?conformance=${count}`;
    count += 1;
    let module: Readonly<Record<string, unknown>>;
    try {
      module = await rejectOnInterrupt(importModule(path, query), signal);
    } catch (error) {
      if (!ToolError.is(error)) throw error;
      throw new UsageError(where + error.message, { cause: error });
    }
    if (module.default === undefined) {
      const others = Object.keys(module).filter((key) => key !== "default");
      const has = others.length === 0 ? "nothing" : `only ${others.join(", ")}`;
      throw new UsageError(
        `${path} has no default export, and exports ${has}: export ${accepted}.`,
      );
    }
    return module.default;
  };
}

/** Returns the option that a path belongs to instead, if its form shows that it is no module. */
function suggestOption(path: string): string | undefined {
  if (/^https?:\/\//i.test(path)) return "--openapi or --mcp";
  if (/\.ya?ml$/i.test(path)) return "--openapi";
  return /\.json$/i.test(path) ? "--openapi or --config" : undefined;
}

async function callExport(make: unknown, path: string, signal: AbortSignal): Promise<unknown> {
  try {
    return await rejectOnInterrupt(Promise.resolve((make as () => unknown)()), signal);
  } catch (error) {
    if (signal.aborted) throw error;
    const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    throw new UsageError(`The function that ${path} exports failed. ${why}`, { cause: error });
  }
}

/**
 * Gives what was made first, and a fresh one each time after that: a source that was closed is of no
 * more use. Tools that are exported as they are stay the same.
 */
function toCreate(first: ToolSource | readonly Tool[], again: () => unknown): Manifest["create"] {
  const used = new WeakSet<object>();
  let next: ToolSource | readonly Tool[] | undefined = first;
  const accept = (value: unknown): ToolSource | readonly Tool[] => {
    const subject = asSubjectValue(value);
    if (subject === undefined) throw new Error("The module returns something else each time.");
    if ("tools" in subject && used.has(subject)) {
      throw new Error(
        "The module returns the same source each time, but every check closes its source: export a function that creates one.",
      );
    }
    used.add(subject);
    return subject;
  };
  return () => {
    if (next !== undefined) {
      const subject = next;
      next = Array.isArray(first) ? first : undefined;
      return accept(subject);
    }
    const made = again();
    return isThenable(made) ? Promise.resolve(made).then(accept) : accept(made);
  };
}

function asSubjectValue(value: unknown): ToolSource | readonly Tool[] | undefined {
  if (isTool(value)) return [value];
  if (Array.isArray(value) && value.length > 0 && value.every(isTool)) return value;
  return isSource(value) ? value : undefined;
}

function isManifest(value: unknown): value is Manifest {
  return isObject(value) && typeof value["create"] === "function" && "name" in value;
}

function isTool(value: unknown): value is Tool {
  return isObject(value) && typeof value["invoke"] === "function" && "spec" in value;
}

function isSource(value: unknown): value is ToolSource {
  return isObject(value) && typeof value["tools"] === "function" && "close" in value;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function notAcceptedMessage(path: string, exported: unknown, made: unknown): string {
  const whose =
    typeof exported === "function"
      ? `The function that ${path} exports gives`
      : `The default export of ${path} is`;
  return `${whose} ${describeKind(made)}: it must be ${accepted}.`;
}

function describeKind(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) {
    if (value.length === 0) return "an empty list";
    const wrong = value.findIndex((one) => !isTool(one) && !isManifest(one));
    return wrong === -1 ? "a list of tools and manifests" : `a list whose item ${wrong} is neither`;
  }
  if (!isObject(value)) return `a ${typeof value}`;
  const keys = Object.keys(value);
  if (keys.length === 0) return "an object without fields";
  return `an object with ${keys.slice(0, 5).join(", ")}${keys.length > 5 ? ", …" : ""}`;
}
