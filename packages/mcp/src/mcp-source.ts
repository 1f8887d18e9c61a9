import {
  cleanName,
  compareNames,
  prefixName,
  ToolError,
  uniqueNames,
  type SecretSet,
  type SourceProblem,
  type Tool,
  type ToolSource,
} from "@toolweave/core";
import { checkServer } from "./check-server.ts";
import { connect, type McpConnection, type McpDefinition } from "./connection.ts";
import { listDefinitions } from "./list-definitions.ts";
import { callError, connectError } from "./mcp-error.ts";
import type { McpServer } from "./mcp-options.ts";
import { McpTool, type McpToolHost } from "./mcp-tool.ts";
import { secretsOf, withoutSecrets } from "./server-secrets.ts";
import { definitionFault, fingerprintOf, specOf } from "./tool-spec-of.ts";

/** The tools of an MCP server. */
export type McpSource = ToolSource;

const defaultTimeoutMs = 60_000;

/** Node's longest timer. */
const longest = 2 ** 31 - 1;

/**
 * The tools of an MCP server. Returns at once and connects; `ready` rejects with a `ToolError`
 * (`unavailable`, `auth_required`, `timeout`, …) when that fails. Follows the server's changes.
 *
 * @throws ToolError `internal` when an option cannot be meant.
 * @example
 * ```ts
 * const files = mcpSource({ name: "files", command: "my-file-server", args: ["."] });
 * const registry = new ToolRegistry([files]);
 * ```
 */
export function mcpSource(server: McpServer): McpSource {
  checkServer(server);
  return new ServerSource(server);
}

class ServerSource implements ToolSource, McpToolHost {
  readonly id: string;
  readonly ready: Promise<void>;
  readonly trustAnnotations: boolean;
  readonly secrets: SecretSet;
  readonly #server: McpServer;
  readonly #listeners = new Set<() => void>();
  readonly #closing = new AbortController();
  readonly #connection: Promise<McpConnection>;
  #problems: readonly SourceProblem[] = [];
  #tools: readonly Tool[] = [];
  #listing = false;
  #outdated = false;
  #closed: Promise<void> | undefined;

  constructor(server: McpServer) {
    this.#server = server;
    this.id = server.name;
    this.trustAnnotations = server.trustAnnotations === true;
    this.secrets = secretsOf(server);
    const { timeoutMs = defaultTimeoutMs } = server;
    const late = new AbortController();
    const timer = timeoutMs === 0 ? undefined : setTimeout(() => late.abort(), timeoutMs);
    const signal = AbortSignal.any([late.signal, this.#closing.signal]);
    this.#connection = connect(server, {
      timeoutMs: timeoutMs === 0 ? longest : timeoutMs,
      signal,
      onToolsChanged: () => void this.#changed(),
    });
    this.ready = this.#connection
      .then(async (connection) => {
        this.#listing = true;
        await this.#list(connection, signal);
      })
      .catch((error: unknown) => {
        void this.#letGo();
        throw this.#whyNotReady(error, late.signal.aborted, timeoutMs);
      })
      .finally(() => clearTimeout(timer));
    this.ready.then(
      () => this.#listed(),
      // Whoever awaits it hears of a failure; nobody has to.
      () => {},
    );
  }

  get problems(): readonly SourceProblem[] {
    return this.#problems;
  }

  tools(): readonly Tool[] {
    return this.#tools;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async call(call: Parameters<McpToolHost["call"]>[0], signal: AbortSignal): Promise<unknown> {
    this.#refuseClosed();
    const connection = await this.#connection;
    try {
      return await connection.call({
        ...call,
        signal: AbortSignal.any([signal, this.#closing.signal]),
      });
    } catch (error) {
      if (signal.aborted)
        throw new ToolError("cancelled", "The call was cancelled.", { cause: error });
      this.#refuseClosed(error);
      throw callError(this.id, error);
    }
  }

  close(): Promise<void> {
    if (this.#closed === undefined) {
      this.#closing.abort();
      this.#tools = [];
      this.#listeners.clear();
      this.#closed = this.#letGo();
    }
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #letGo(): Promise<void> {
    const connection = await this.#connection.catch(() => undefined);
    await connection?.close().catch(() => {});
  }

  /** However often the server says so, one list is under way at a time, and one more after it. */
  async #changed(): Promise<void> {
    if (this.#listing) {
      this.#outdated = true;
      return;
    }
    this.#listing = true;
    const { signal } = this.#closing;
    try {
      await this.#list(await this.#connection, signal);
    } catch (error) {
      if (!signal.aborted) {
        const { message } = callError(this.id, error);
        this.#problems = [
          ...this.#problems.filter(({ subject }) => subject !== this.id),
          {
            subject: this.id,
            message: `Its tools have changed, and could not be listed again: ${message}`,
            severity: "warning",
          },
        ];
      }
    }
    this.#listed();
  }

  #listed(): void {
    this.#listing = false;
    if (!this.#outdated || this.#closing.signal.aborted) return;
    this.#outdated = false;
    void this.#changed();
  }

  async #list(connection: McpConnection, signal: AbortSignal): Promise<void> {
    const { definitions, problems } = await listDefinitions(connection, signal);
    if (this.#closing.signal.aborted) return;
    const found = [...problems];
    const usable = definitions.filter((definition) => {
      const fault = definitionFault(definition);
      if (fault !== undefined) {
        found.push({ subject: definition.name, message: `It is no tool: ${fault}.` });
      }
      return fault === undefined;
    });
    this.#problems = found;
    this.#replace(this.#made(usable));
  }

  /** What has not changed stays the same object. */
  #made(definitions: readonly McpDefinition[]): readonly Tool[] {
    const before = new Map(this.#tools.map((tool) => [tool.fingerprint, tool]));
    const names = uniqueNames(definitions.map(({ name }) => name));
    return definitions
      .map((definition, index) => {
        const name = this.#prefixed(names[index] as string);
        const fingerprint = `${name} ${fingerprintOf(definition)}`;
        const { timeoutMs } = this.#server;
        return (
          before.get(fingerprint) ??
          new McpTool(
            specOf(definition, { name, server: this.id, timeoutMs }),
            fingerprint,
            definition,
            this,
          )
        );
      })
      .sort((a, b) => compareNames(a.spec.name, b.spec.name));
  }

  #prefixed(name: string): string {
    const { prefix = cleanName(this.id) } = this.#server;
    return prefix === false ? name : prefixName(prefix, name);
  }

  #replace(tools: readonly Tool[]): void {
    const before = this.#tools;
    if (tools.length === before.length && tools.every((tool, index) => tool === before[index]))
      return;
    this.#tools = tools;
    for (const listener of this.#listeners) {
      try {
        listener();
      } catch {
        // The others hear of it all the same.
      }
    }
  }

  #refuseClosed(cause?: unknown): void {
    if (!this.#closing.signal.aborted) return;
    throw new ToolError("unavailable", `The source ${this.id} is closed.`, {
      retryable: false,
      cause,
    });
  }

  #whyNotReady(error: unknown, late: boolean, timeoutMs: number): ToolError {
    const { code, message, retryable, cause } = connectError(this.id, error);
    const closed = this.#closing.signal.aborted;
    if (closed || late) {
      const what = closed ? "was closed" : `took more than ${timeoutMs} ms`;
      return new ToolError(
        closed ? "cancelled" : "timeout",
        `Connecting to the MCP server ${this.id} ${what}.`,
        { cause: error },
      );
    }
    return new ToolError(code, withoutSecrets(message, this.secrets), { retryable, cause });
  }
}
