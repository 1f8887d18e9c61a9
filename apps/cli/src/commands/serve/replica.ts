import type { ServeLimits, ServeReplica } from "@toolweave/config";
import { UsageError } from "../../process/exit-code.ts";

const defaultDrainDelayMs = 3_000;

/**
 * Resolves the replica that this process is: that of the command line, else of the configuration.
 *
 * @returns `undefined`: the gateway is alone.
 * @throws UsageError
 */
export function resolveReplica(
  { replicaUrl, http }: { readonly replicaUrl?: string; readonly http?: string | true },
  configured: ServeLimits | undefined,
): Required<ServeReplica> | undefined {
  if (replicaUrl !== undefined && http === undefined) {
    throw new UsageError("--replica-url applies to --http only: over stdio there is one client.");
  }
  // A configuration may also be served over stdio.
  const url = http === undefined ? undefined : (replicaUrl ?? configured?.replica?.url);
  if (url === undefined) return undefined;
  if (url.includes("${")) {
    throw new UsageError(
      `"serve.replica.url" is ${url}: set the variable to the name or address of this machine, or use --replica-url.`,
    );
  }
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
    const name = replicaUrl === undefined ? '"serve.replica.url"' : "--replica-url";
    throw new UsageError(
      `${name} must be the internal URL of this process, such as http://10.0.0.5:8137/mcp.`,
    );
  }
  return { url, drainDelayMs: configured?.replica?.drainDelayMs ?? defaultDrainDelayMs };
}
