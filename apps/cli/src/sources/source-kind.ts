import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ToolError } from "@toolweave/core";
import { toSourceOptions } from "../input/api-options.ts";
import { maskLocation } from "../input/secret-options.ts";
import { isModulePath } from "../input/source-words.ts";
import type { ToolOptions } from "../input/tool-options.ts";
import { rejectOnInterrupt, type CliIo } from "../process/cli-io.ts";
import { SourceFailure, UsageError } from "../process/exit-code.ts";
import { showProgress } from "../render/progress.ts";
import { safeLine } from "../render/text.ts";

/**
 * Adds the sources that are written without an option to those of their option: `--openapi`, `--mcp`, `--config` or
 * `--tools`. The content of a file decides; of a URL its ending, or the response to a GET.
 *
 * @throws UsageError for a source of no kind or of an unclear one, with what to write; SourceFailure for a URL that
 * cannot be reached.
 */
export async function sortSources(options: ToolOptions, io: CliIo): Promise<ToolOptions> {
  const { sources = [], ...named } = options;
  if (sources.length === 0) return options;
  const found: Record<Kind, string[]> = { openapi: [], mcp: [], config: [], tools: [] };
  for (const source of sources) {
    const kind = await sourceKind(source, named, io);
    found[kind].push(source);
  }
  const configs = [...(named.config === undefined ? [] : [named.config]), ...found.config];
  const [config, other] = configs.map(toPath);
  if (config !== undefined && other !== undefined) {
    throw new UsageError(
      `A command reads one configuration, and there are two: ${config} and ${other}.`,
    );
  }
  return {
    ...named,
    openapi: [...(named.openapi ?? []), ...found.openapi],
    mcp: [...(named.mcp ?? []), ...found.mcp],
    tools: [...(named.tools ?? []), ...found.tools.map(toPath)],
    ...(config === undefined ? {} : { config }),
  };
}

/** The option that a source belongs to. */
type Kind = "openapi" | "mcp" | "config" | "tools";

function toPath(written: string): string {
  return /^file:/i.test(written) ? fileURLToPath(written) : written;
}

async function sourceKind(written: string, options: ToolOptions, io: CliIo): Promise<Kind> {
  if (/^https?:\/\//i.test(written)) return urlKind(written, options, io);
  const path = toPath(written);
  if (isModulePath(path)) return "tools";
  const { decodeText, fileKind, readRegularFile } = await import("@toolweave/config");
  let text: string;
  try {
    text = decodeText(readRegularFile(resolve(path)));
  } catch (error) {
    throw unreadableError(written, error as NodeJS.ErrnoException);
  }
  const kind = fileKind(text);
  if (kind !== undefined) return kind === "openapi" ? "openapi" : "config";
  throw new UsageError(
    `${safeLine(written)} is neither an OpenAPI document nor a configuration: it has no "openapi" or "swagger" with a version, and no key such as "mcpServers" or "tools". Name what it is with --openapi or --config.`,
  );
}

function unreadableError(written: string, error: NodeJS.ErrnoException): UsageError {
  const { code = "unknown reason" } = error;
  const name = safeLine(written);
  if (code === "EISDIR") {
    return new UsageError(`${name} is a folder: name a file in it.`, { cause: error });
  }
  if (code !== "ENOENT") {
    return new UsageError(`The file ${name} cannot be read (${code}).`, { cause: error });
  }
  const hint = /\s/.test(written)
    ? ` If it is a command that starts an MCP server, write --mcp before it.`
    : ` A source is the URL or the file of an OpenAPI document, the URL of an MCP server, a module (.ts, .js) or a toolweave.json. A command that starts an MCP server is written with --mcp.`;
  return new UsageError(`There is no file ${name}.${hint}`, { cause: error });
}

const maxDocumentBytes = 64 * 1024 * 1024;

/** Statuses with which servers that speak MCP by POST refuse a GET. */
const refusedGet: ReadonlySet<number> = new Set([400, 405, 406]);

/**
 * Finds out what a URL is: the name of a JSON or YAML file is a document. Of any other URL, the response to a GET
 * decides: an OpenAPI document, or how an MCP server refuses it.
 */
async function urlKind(url: string, options: ToolOptions, io: CliIo): Promise<"openapi" | "mcp"> {
  const { origin, pathname } = URL.parse(url) ?? {};
  if (origin === undefined || pathname === undefined) {
    throw new UsageError(`${safeLine(url)} is no URL.`);
  }
  if (/\.(?:json|ya?ml)$/i.test(pathname)) return "openapi";
  const masked = safeLine(maskLocation(url));
  const choice = "Name what it is with --openapi or --mcp.";
  const [{ httpClient }, { parseChallenges }, { fileKind }] = await Promise.all([
    import("@toolweave/http"),
    import("@toolweave/http/fields"),
    import("@toolweave/config"),
  ]);
  const {
    headers = {},
    auth,
    allowOrigins = [],
  } = toSourceOptions({ ...options, openapi: [] }, io.env).options;
  const bearer = typeof auth?.bearer === "string" ? { authorization: `Bearer ${auth.bearer}` } : {};
  const client = httpClient({
    timeoutMs: options.timeout ?? 60_000,
    maxBytes: maxDocumentBytes,
    givenOrigins: [origin],
    allowOrigins,
  });
  const done = showProgress(io, `Loading ${masked} …`);
  try {
    const accept = "application/json, application/yaml, text/yaml, text/plain;q=0.9, */*;q=0.8";
    const response = await rejectOnInterrupt(
      client.request({
        method: "GET",
        url,
        headers: { accept, ...(headers as Record<string, string>), ...bearer },
        // The stream of an MCP server has no end.
        streaming: { accepts: (_, mediaType) => mediaType === "text/event-stream" },
      }),
      io.signal,
    );
    const { status, mediaType } = response;
    if (mediaType === "text/event-stream" || refusedGet.has(status)) return "mcp";
    if (status === 401 || status === 403) {
      // RFC 9728, as MCP requires it.
      const challenges = parseChallenges(response.headers["www-authenticate"] ?? []);
      if (challenges.some(({ parameters }) => parameters.has("resource_metadata"))) return "mcp";
      throw new UsageError(`${masked} requires credentials (${status}). ${choice}`);
    }
    if (status >= 200 && status < 300 && fileKind(response.text()) === "openapi") return "openapi";
    throw new UsageError(
      `${masked} returns ${status} with ${mediaType ?? "no media type"}, which is neither an OpenAPI document nor how an MCP server answers. ${choice}`,
    );
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    throw new SourceFailure(`${masked} cannot be loaded: ${error.message}`, { cause: error });
  } finally {
    done();
    await client.close();
  }
}
