import type { Manifest } from "@toolweave/conformance";
import type { ToolSource } from "@toolweave/core";
import type { McpServer } from "@toolweave/mcp";
import { toSourceOptions, type ApiOptions } from "../../input/api-options.ts";
import { splitCommand } from "../../input/split-command.ts";
import { serverName } from "../../sources/mcp-server.ts";

/** An API by its document. */
export async function openApiSubject(
  location: string,
  options: Omit<ApiOptions, "openapi">,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ConformSubject> {
  const api = toSourceOptions({ ...options, openapi: [location] }, env);
  const { openApiSource } = await import("@toolweave/openapi");
  const create = (): ToolSource =>
    /^https?:\/\//i.test(location)
      ? openApiSource.fromUrl(location, api.options)
      : openApiSource.fromFile(location, api.options);
  return toRemoteSubject(stripLocationSecrets(location), create, api.secrets);
}

/**
 * An MCP server by what it is reached with.
 *
 * @param written its URL, or the command that starts it.
 * @throws UsageError
 */
export function commandLineMcpSubject(written: string): Promise<ConformSubject> {
  if (/^https?:\/\//i.test(written)) {
    return mcpSubject(
      stripLocationSecrets(written),
      { name: "mcp", prefix: false, url: written },
      [],
    );
  }
  const [command, ...args] = splitCommand(written, "--mcp");
  const name = serverName(command, args);
  return mcpSubject(name, { name: "mcp", prefix: false, command, args }, []);
}

/** An MCP server. */
export async function mcpSubject(
  name: string,
  server: McpServer,
  secrets: readonly string[],
): Promise<ConformSubject> {
  const { mcpSource } = await import("@toolweave/mcp");
  return toRemoteSubject(name, () => mcpSource(server), secrets);
}

function toRemoteSubject(
  name: string,
  create: Manifest["create"],
  secrets: readonly string[],
): ConformSubject {
  return { manifest: { name, create, without: noSamples }, secrets, isRemote: true };
}

/** A subject of the conformance tests, with what was declared about it. */
export interface ConformSubject {
  readonly manifest: Manifest;
  /** Texts that must not be printed. */
  readonly secrets: readonly string[];
  /**
   * It has to be reached first: a document, a server. Rejects with why that fails, which then is no
   * rule that it breaks.
   */
  readonly isRemote: boolean;
}

/** The reason why a rule that needs sample calls does not apply to a subject without any. */
export const noSamples =
  "There are no sample calls, so no tool is called: declare them in a manifest or in a file for --config.";

/** The URL or path without what may be secret in it. */
function stripLocationSecrets(location: string): string {
  const url = /^https?:/i.test(location) ? URL.parse(location) : null;
  return url === null ? location : `${url.origin}${url.pathname}`;
}
