import { loadedSource, type LoadedSource } from "@toolweave/core/adapter";
import { checkServer } from "./options/check-server.ts";
import type { McpServer } from "./options/mcp-options.ts";
import { ServerProvider } from "./resources/server-provider.ts";
import type { McpProvider } from "./options/provider.ts";
import { getPrefix } from "./listing/tool-names.ts";
import { getSecrets } from "./options/server-secrets.ts";
import { ServerSession } from "./server-session.ts";
import type { Tool } from "@toolweave/core";

/** The tools of an MCP server. */
export interface McpSource extends LoadedSource {
  /**
   * Lists the tools again and negotiates the protocol version anew; a process does so when it is started the next
   * time. See `LoadedSource.refresh`.
   */
  refresh(): Promise<void>;
  /** Resources, prompts and completion of the server, which a gateway passes on. */
  readonly provider: McpProvider;
  /**
   * Tells the server that the result of the function `roots` has changed. A server of the older protocol is notified;
   * in the newer protocol a server requests the roots whenever it needs them.
   */
  rootsChanged(): void;
}

/**
 * Creates a source with the tools of an MCP server. Returns at once and connects; `ready` rejects with a `ToolError`
 * (`unavailable`, `auth_required`, `timeout`, …) when that fails. The source follows changes of the server's list.
 *
 * @throws ToolError `invalid_configuration` when an option is invalid.
 * @example
 * ```ts
 * const files = mcpSource({ name: "files", command: "my-file-server", args: ["."] });
 * const registry = new ToolRegistry([files]);
 * ```
 */
export function mcpSource(server: McpServer): McpSource {
  checkServer(server);
  const secrets = getSecrets(server);
  let session: ServerSession | undefined;
  const listener = {
    onToolsChanged: () => void reload(),
    onTrouble: () => dropping?.onAvailabilityChange(),
  };
  const source: LoadedSource = loadedSource({
    id: server.name,
    load: (signal) => {
      session ??= new ServerSession(server, secrets, signal, listener, provider);
      return session.list();
    },
    trustAnnotations: server.trustAnnotations === true,
    secrets,
    trouble: () => session?.trouble,
    warnings: () => session?.warnings ?? [],
    close: () => session?.close(),
  });
  const reload = source.refresh;
  const dropping =
    server.whenUnavailable === "drop"
      ? dropWhenUnavailable(source, () => session?.trouble !== undefined)
      : undefined;
  const provider = new ServerProvider(getPrefix(server), source.id, source.ready);
  const rootsChanged = (): void => {
    if (typeof server.roots === "function") session?.rootsChanged();
  };
  const refresh = (): Promise<void> => {
    session?.negotiateAnew();
    return reload();
  };
  return Object.assign(dropping?.source ?? source, { provider, rootsChanged, refresh });
}

const none: readonly Tool[] = [];

/** A source without tools while they cannot be called. */
interface DropWhenUnavailable {
  readonly source: LoadedSource;
  /** Must be called when the tools may have become available or unavailable. */
  onAvailabilityChange(): void;
}

/**
 * Wraps a source so that its tools are dropped while they cannot be called. They return all at once, after the list
 * has been loaded again.
 *
 * @param isLost True while the tools cannot be called.
 */
function dropWhenUnavailable(source: LoadedSource, isLost: () => boolean): DropWhenUnavailable {
  const listeners = new Set<() => void>();
  let dropped = false;

  const notify = (): void => {
    for (const listener of [...listeners]) {
      try {
        listener();
      } catch {
        // An error of one listener does not affect the others.
      }
    }
  };

  const setDropped = (drop: boolean): void => {
    if (dropped === drop) return;
    dropped = drop;
    notify();
  };

  const restore = (): void => {
    if (!isLost()) setDropped(false);
  };

  source.onChange(() => {
    if (!dropped) notify();
  });

  return {
    onAvailabilityChange: () =>
      isLost() ? setDropped(true) : void source.refresh().then(restore, restore),
    source: {
      id: source.id,
      ready: source.ready,
      get problems() {
        return source.problems;
      },
      ...(source.trustAnnotations === undefined
        ? {}
        : { trustAnnotations: source.trustAnnotations }),
      ...(source.secrets === undefined ? {} : { secrets: source.secrets }),
      tools: () => (dropped ? none : source.tools()),
      onChange(listener) {
        const registered = (): void => listener();
        listeners.add(registered);
        return () => void listeners.delete(registered);
      },
      refresh: () => source.refresh(),
      close: () => source.close(),
      [Symbol.asyncDispose]: () => source.close(),
    },
  };
}
