import type { ToolAnnotations } from "@toolweave/core";

const access = { network: true, filesystem: "none", process: false } as const;

const read: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
  access,
};

function write(destructiveHint: boolean, idempotentHint: boolean): ToolAnnotations {
  return { readOnlyHint: false, destructiveHint, idempotentHint, openWorldHint: true, access };
}

/** Safe and idempotent as RFC 9110 section 9.2 has it; what replaces or removes is destructive. */
const byMethod = new Map<string, ToolAnnotations>([
  ["GET", read],
  ["HEAD", read],
  ["OPTIONS", read],
  ["TRACE", read],
  ["QUERY", read],
  ["PUT", write(true, true)],
  ["DELETE", write(true, true)],
  ["POST", write(false, false)],
  ["PATCH", write(true, false)],
]);

const unknown = write(true, false);

/** What a method promises; a method that nobody knows promises nothing. */
export function methodAnnotations(method: string): ToolAnnotations {
  return byMethod.get(method) ?? unknown;
}
