import type { JsonObject, JsonValue } from "@toolweave/core";
import { cleanName, isObject, isToolName } from "@toolweave/core/adapter";
import type { Dialect } from "@toolweave/starlark";
import type { DeclaredAccess, ScriptLimits } from "./artifact.ts";
import type { Fields } from "./fields.ts";

/** The name of an artifact. With a stem, `name` may only spell it in another way. */
export function readName(fields: Fields, kind: string, stem: string | undefined): string {
  const explicit = fields.string("name");
  const name = explicit ?? stem ?? "";
  const isStem = explicit === undefined;
  if (name === "" && !fields.places.isFaulty([...fields.path, "name"])) {
    fields.reportKey([], {
      code: "missing_field",
      message: `the ${kind} has no name`,
      hint: "Add name: verb_and_noun.",
    });
    return "";
  }
  if (!isToolName(name)) {
    const hint =
      name === ""
        ? undefined
        : isStem
          ? `Rename the file to ${cleanName(name)}.md, or add name: ${cleanName(name)}.`
          : `Write name: ${cleanName(name)}.`;
    const message = `the name "${name}" is invalid: a name has a letter or _ first, then letters, digits, _ and -, at most 64`;
    const report = { code: "invalid_name", message, ...(hint !== undefined && { hint }) };
    if (isStem) fields.reportKey([], report);
    else fields.report("name", report);
  } else if (!isStem && stem !== undefined && fold(name) !== fold(stem))
    fields.report("name", {
      code: "name_mismatch",
      message: `the name "${name}" is not the name of the file, "${stem}"`,
      hint: "Rename the file, or remove name.",
    });
  return name;
}

function fold(name: string): string {
  return cleanName(name)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "");
}

/** Milliseconds for a run; 0 and an absent value mean the default of the host. */
export function readTimeout(fields: Fields, title: string): number | undefined {
  const timeout = fields.integer("timeout_ms");
  if (timeout === undefined || timeout >= 0) return timeout;
  fields.report("timeout_ms", {
    code: "timeout_ms",
    message: `${title} timeout_ms must be >= 0`,
    hint: "Write 0, or remove the line, for the limit of the host.",
  });
  return undefined;
}

/** `limits: { steps, memory_mb, effects }`. */
export function readLimits(fields: Fields): ScriptLimits {
  const limits = fields.fields("limits");
  if (limits === undefined) return {};
  const positive = (key: string): number | undefined => {
    const value = limits.integer(key);
    if (value === undefined || value > 0) return value;
    limits.report(key, {
      code: "invalid_value",
      message: `${limits.title(key)} must be above 0, not ${value}`,
    });
    return undefined;
  };
  const [steps, memory, effects] = [positive("steps"), positive("memory_mb"), positive("effects")];
  limits.unknown(["steps", "memory_mb", "effects"]);
  return {
    ...(steps !== undefined && { steps }),
    ...(memory !== undefined && { memoryBytes: memory * 1024 * 1024 }),
    ...(effects !== undefined && { effects }),
  };
}

/** `access: { filesystem, process, network }`. */
export function readAccess(fields: Fields): DeclaredAccess {
  const access = fields.fields("access");
  if (access === undefined) return {};
  const filesystem = access.choice("filesystem", ["none", "read", "write"]);
  const names = (key: string): boolean | readonly string[] | undefined => {
    const value = access.get(key);
    if (typeof value === "string") {
      access.reportType(key, value, "true, false or a list of names", `Write ${key}: [${value}].`);
      return undefined;
    }
    return Array.isArray(value) ? access.strings(key) : access.boolean(key);
  };
  const [process, network] = [names("process"), names("network")];
  access.unknown(["filesystem", "process", "network"]);
  return {
    ...(filesystem !== undefined && { filesystem }),
    ...(process !== undefined && { process }),
    ...(network !== undefined && { network }),
  };
}

const dialectKeys = {
  set: "set",
  while: "while",
  top_level_control: "topLevelControl",
  global_reassign: "globalReassign",
  recursion: "recursion",
  fstrings: "fstrings",
} as const satisfies Record<string, keyof Dialect>;

/** `dialect: { fstrings: true }`. */
export function readDialect(fields: Fields): Dialect {
  const dialect = fields.fields("dialect");
  if (dialect === undefined) return {};
  const features = Object.entries(dialectKeys).flatMap(([key, feature]) => {
    const value = dialect.boolean(key);
    return value === undefined ? [] : [[feature, value] as const];
  });
  dialect.unknown(Object.keys(dialectKeys));
  return Object.fromEntries(features);
}

/** Data for the host: unknown keys, and `metadata`. */
export function readMetadata(fields: Fields, known: readonly string[]): JsonObject {
  const metadata: Record<string, JsonValue> = fields.unknown(known);
  const declared = fields.fields("metadata");
  if (declared === undefined || !isObject(declared.values)) return metadata;
  return { ...metadata, ...declared.values };
}
