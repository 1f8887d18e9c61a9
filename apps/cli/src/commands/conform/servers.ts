import type { Manifest } from "@toolweave/conformance";
import type { ToolSource } from "@toolweave/core";
import type { McpServer } from "@toolweave/mcp";
import { toSourceOptions, type ApiOptions } from "../../input/api-options.ts";
import { splitCommand } from "../../input/split-command.ts";
import { serverName } from "../../sources/mcp-server.ts";
import { noSamples, stripLocationSecrets, type ConformSubject } from "./subject.ts";

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
