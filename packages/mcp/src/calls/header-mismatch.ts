import type { McpDefinition } from "../transport/messages/mcp-connection.ts";
import { isRefusal } from "../transport/messages/transport-errors.ts";

const headerMismatch = -32020;

/**
 * The server has refused a call, and not run it, since its headers are not those that the tool wants now (2026-07-28,
 * Transports, Server Validation). The same code in an answer to a request that was accepted is a failure of the tool's.
 */
export function isHeaderMismatch(thrown: unknown): boolean {
  const { cause } = (thrown ?? {}) as { readonly cause?: unknown };
  if (!isRefusal(cause)) return false;
  return (cause as { readonly code?: unknown } | undefined)?.code === headerMismatch;
}

/** True: nothing but what goes into headers may be different, so that who approved the one approved the other. */
export function isSameButHeaders(one: McpDefinition, other: McpDefinition): boolean {
  return withoutHeaders(one) === withoutHeaders(other);
}

function withoutHeaders(definition: McpDefinition): string {
  return JSON.stringify(definition, (key, value: unknown) =>
    // A property may have that name, too: its value is a schema.
    key === "x-mcp-header" && typeof value === "string" ? undefined : value,
  );
}
