import {
  cleanName,
  compareNames,
  prefixName,
  ToolError,
  uniqueNames,
  type LoadedTools,
} from "@toolweave/core";
import { connect, type McpConnection, type McpDefinition } from "./connection.ts";
import { listDefinitions } from "./list-definitions.ts";
import { callError, connectError } from "./mcp-error.ts";
import type { McpServer } from "./mcp-options.ts";
import { McpTool, type McpToolHost } from "./mcp-tool.ts";
import { definitionFault, fingerprintOf, specOf } from "./tool-spec-of.ts";

const defaultTimeoutMs = 60_000;

/** Node's longest timer. */
const longest = 2 ** 31 - 1;

/** A source's connection to its server, from the first list to the end. */
export class ServerSession implements McpToolHost {
  readonly #server: McpServer;
  readonly #timeoutMs: number;
  readonly #closing: AbortSignal;
  readonly #late = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #connection: Promise<McpConnection>;
  #hasListed = false;

  /**
   * Connects at once.
   *
   * @param closing fires when the source is closed.
   * @param onToolsChanged called whenever the server says that its tools have changed.
   */
  constructor(server: McpServer, closing: AbortSignal, onToolsChanged: () => void) {
    const { timeoutMs = defaultTimeoutMs } = server;
    this.#server = server;
    this.#timeoutMs = timeoutMs;
    this.#closing = closing;
    this.#timer = timeoutMs === 0 ? undefined : setTimeout(() => this.#late.abort(), timeoutMs);
    this.#connection = connect(server, {
      timeoutMs: timeoutMs === 0 ? longest : timeoutMs,
      signal: this.#signal,
      onToolsChanged,
    });
    // Whoever lists or calls hears of a failure.
    this.#connection.catch(() => {});
  }

  /**
   * The tools as the server lists them now; for the first time, within the time for connecting.
   *
   * @throws ToolError when they cannot be had.
   */
  async list(): Promise<LoadedTools> {
    try {
      const tools = await this.#list(await this.#connection);
      this.#hasListed = true;
      return tools;
    } catch (error) {
      if (this.#hasListed) throw callError(this.#server.name, error);
      void this.close();
      throw this.#whyNotReady(error);
    } finally {
      clearTimeout(this.#timer);
    }
  }

  async call(call: Parameters<McpToolHost["call"]>[0], signal: AbortSignal): Promise<unknown> {
    this.#refuseClosed();
    const connection = await this.#connection;
    try {
      return await connection.call({ ...call, signal: AbortSignal.any([signal, this.#closing]) });
    } catch (error) {
      if (signal.aborted)
        throw new ToolError("cancelled", "The call was cancelled.", { cause: error });
      this.#refuseClosed(error);
      throw callError(this.#server.name, error);
    }
  }

  /** Lets go of the connection, if there is one. */
  async close(): Promise<void> {
    const connection = await this.#connection.catch(() => undefined);
    await connection?.close().catch(() => {});
  }

  get #signal(): AbortSignal {
    return AbortSignal.any([this.#late.signal, this.#closing]);
  }

  async #list(connection: McpConnection): Promise<LoadedTools> {
    const { definitions, problems } = await listDefinitions(connection, this.#signal);
    const found = [...problems];
    const usable = definitions.filter((definition) => {
      const fault = definitionFault(definition);
      if (fault !== undefined) {
        found.push({ subject: definition.name, message: `It is no tool: ${fault}.` });
      }
      return fault === undefined;
    });
    const tools = this.#made(usable);
    return { tools, problems: [...found, ...tools.flatMap((tool) => tool.problems)] };
  }

  #made(definitions: readonly McpDefinition[]): readonly McpTool[] {
    const { name: server, timeoutMs } = this.#server;
    const names = uniqueNames(definitions.map(({ name }) => name));
    return definitions
      .map((definition, index) => {
        const name = this.#prefixed(names[index] as string);
        const json = fingerprintOf(definition);
        const spec = specOf(definition, json, { name, server, timeoutMs });
        return new McpTool(spec, `${name} ${json}`, definition, this);
      })
      .sort((a, b) => compareNames(a.spec.name, b.spec.name));
  }

  #prefixed(name: string): string {
    const { prefix = cleanName(this.#server.name) } = this.#server;
    return prefix === false ? name : prefixName(prefix, name);
  }

  #refuseClosed(cause?: unknown): void {
    if (!this.#closing.aborted) return;
    throw new ToolError("unavailable", `The source ${this.#server.name} is closed.`, {
      retryable: false,
      cause,
    });
  }

  #whyNotReady(error: unknown): ToolError {
    const { name } = this.#server;
    if (!this.#late.signal.aborted) return connectError(name, error);
    return new ToolError(
      "timeout",
      `Connecting to the MCP server ${name} took more than ${this.#timeoutMs} ms.`,
      { cause: error },
    );
  }
}
