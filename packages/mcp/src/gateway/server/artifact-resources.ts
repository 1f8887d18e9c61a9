import type { JsonObject, Tool, ToolExecutor } from "@toolweave/core";
import {
  bytesToBase64,
  isReadableMediaType,
  ToolsetSnapshot,
  type StoredContent,
} from "@toolweave/core/adapter";
import { artifactScheme } from "../clients/call-result.ts";
import type { GatewayClient } from "../clients/gateway-client.ts";

/** True for the URI of an artifact. */
export function isArtifact(uri: string): boolean {
  return uri.startsWith(artifactScheme);
}

/**
 * Reads an artifact as a resource, for the client whose call has created it. The read is a call of its own, which
 * goes through policy and audit.
 *
 * @returns the result of `resources/read`; `undefined`: there is no such artifact for this client.
 */
export async function readArtifact(
  executor: ToolExecutor,
  { runOptions: behalf }: GatewayClient,
  uri: string,
  signal: AbortSignal,
): Promise<JsonObject | undefined> {
  let read: JsonObject | undefined;
  const tool: Tool = {
    spec: readerSpec,
    async invoke(_args, ctx) {
      read = await toContents(uri, await ctx.artifacts.read(uri));
      return "read";
    },
  };
  const entry = { tool, source: "toolweave", trusted: true };
  const outcome = await executor.execute(
    { id: crypto.randomUUID(), name: readerSpec.name, arguments: { uri } },
    {
      toolset: new ToolsetSnapshot(0, new Map([[readerSpec.name, entry]])),
      signal,
      ...behalf,
    },
  );
  return outcome.status === "completed" && !outcome.result.isError ? read : undefined;
}

const readerSpec = {
  name: "read_artifact_resource",
  description: "Reads an artifact as a resource, for a client of the gateway.",
  inputSchema: { type: "object", properties: { uri: { type: "string" } }, required: ["uri"] },
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  provenance: { adapter: "toolweave" },
} as const;

async function toContents(uri: string, content: StoredContent): Promise<JsonObject> {
  const { mediaType } = content.ref;
  const bytes = await content.bytes();
  const isText = isReadableMediaType(mediaType);
  const body = (isText ? decodeText(bytes) : undefined) ?? { blob: bytesToBase64(bytes) };
  return { contents: [{ uri, mimeType: mediaType, ...body }] };
}

function decodeText(bytes: Uint8Array): { readonly text: string } | undefined {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return undefined;
  }
}
