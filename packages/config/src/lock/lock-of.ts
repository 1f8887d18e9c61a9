import { createHash } from "node:crypto";
import type { JsonValue, Tool } from "@toolweave/core";
import type { RegisteredTool } from "@toolweave/core/adapter";
import { argumentsSchemaOf, canonicalJson, compareNames } from "@toolweave/core/adapter";
import type { Lock, LockedTool } from "./lock.ts";

/**
 * The lock of the current tools: of each its name, schemas, description, title, hints and the digest of the program
 * behind it, with their hash.
 *
 * @param entries tools with the ids of their sources: `registry.toolset().entries()`.
 */
export function lockOf(entries: Iterable<Pick<RegisteredTool, "tool" | "source">>): Lock {
  const tools = [...entries]
    .map(({ tool, source }) => [tool.spec.name, lockedTool(tool, source)] as const)
    .sort(([a], [b]) => compareNames(a, b));
  return { version: 1, tools: Object.fromEntries(tools) };
}

/** The lock's entry for the current tool. */
export function lockedTool(tool: Tool, source: string): LockedTool {
  const { name, title, description, inputSchema, outputSchema, annotations, provenance } =
    tool.spec;
  const { program } = provenance.origin ?? {};
  const checked = argumentsSchemaOf(tool);
  const members = {
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema: plain(inputSchema),
    ...(outputSchema === undefined ? {} : { outputSchema: plain(outputSchema) }),
    annotations: plain(annotations),
    ...(typeof program === "string" ? { program } : {}),
    ...(checked === inputSchema ? {} : { argumentsHash: sha256(canonicalJson(checked)) }),
  };
  return { source, hash: hashOf(name, { source, ...members }), ...members };
}

/** The hash of a tool's members. */
export function hashOf(name: string, tool: Partial<LockedTool>): string {
  return sha256(canonicalJson([name, { ...tool, hash: undefined }]));
}

/** Schemas may be getters, and share parts. Keys in order make files that can be compared. */
function plain<T>(value: T): T {
  return JSON.parse(canonicalJson(value as JsonValue)) as T;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
