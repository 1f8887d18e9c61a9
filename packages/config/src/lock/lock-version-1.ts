import type { JsonObject, JsonSchema, ToolAnnotations } from "@toolweave/core";
import { canonicalJson, isObject } from "@toolweave/core/adapter";
import { toLock, type Lock, type NamedTool } from "./lock.ts";
import { digestDetails, sha256, type LockedTool } from "./tool-parts.ts";

/** A tool in a lock of version 1: its texts and schemas, and a hash of them. It does not cover the call. */
interface ToolOfVersion1 {
  readonly source: string;
  /** SHA-256 of all of the following, in hexadecimal. */
  readonly hash: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations: ToolAnnotations;
  readonly program?: string;
  readonly argumentsHash?: string;
}

/** Reads the content of a lock file of version 1. Returns a text about the problem if it is invalid. */
export function parseVersion1({ tools }: JsonObject): Lock | string {
  if (!isObject(tools)) return "is no lock";
  const read: NamedTool[] = [];
  for (const [name, written] of Object.entries(tools)) {
    const tool = (written ?? {}) as Partial<ToolOfVersion1>;
    if (typeof tool.hash !== "string" || typeof tool.source !== "string") {
      return `is no lock: ${name} has no source or no hash`;
    }
    if (!/^[0-9a-f]{64}$/.test(tool.hash)) return `has a hash that is no SHA-256: that of ${name}`;
    if (sha256(canonicalJson([name, { ...tool, hash: undefined }])) !== tool.hash) {
      return `was changed by hand, so that the entry of ${name} does not match its hash`;
    }
    read.push({ source: tool.source, name, tool: toCurrent(tool as ToolOfVersion1) });
  }
  return toLock(read);
}

function toCurrent({
  source: _source,
  hash: _hash,
  annotations,
  program,
  ...details
}: ToolOfVersion1): LockedTool {
  return {
    ...digestDetails(details),
    annotations,
    ...(program === undefined ? {} : { program }),
    details,
  };
}
