import {
  type JsonObject,
  ToolExecutor,
  ToolRegistry,
  type ToolOutcome,
  type ToolResult,
} from "@toolweave/core";
import {
  type CredentialKey,
  type CredentialStore,
  memoryArtifacts,
  memoryCredentials,
} from "@toolweave/core/stores";
import { openApiSource, type OpenApiSource } from "../../src/index.ts";
import type { RunningServer } from "./server-program.ts";

/** Runs one tool for a caller. */
export type CallTool = (name: string, args?: JsonObject) => Promise<ToolOutcome>;

/** The tools of a server's own documents, in a host that lets people sign in through a tool. */
export interface ServerTools {
  readonly sources: readonly OpenApiSource[];
  readonly store: CredentialStore;
  /** Warnings about answers that violate their own document, the latest last. */
  readonly warnings: readonly string[];
  /** The key under which the credential of a caller is stored. */
  key(source: string, caller: string): CredentialKey;
  as(caller: string): CallTool;
  /** The data that is stored under the key of an artifact. */
  bytes(artifact: string): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** The way to find a server's documents, and the answer of its sign-in. */
export interface ServerDocuments {
  /** Ids of sources, which are prefixes as well, and the server's paths of their documents. */
  readonly documents: Readonly<Record<string, string>>;
  /** The security scheme of a stored token. */
  readonly scheme: string;
  /** The property of an answer that is a token. */
  readonly token: string;
}

/**
 * Loads every document from the server itself. A hook stores a token that a tool answers with as
 * the credential of its caller: after redaction, no code could.
 */
export async function serverTools(
  { origin }: RunningServer,
  { documents, scheme, token }: ServerDocuments,
): Promise<ServerTools> {
  const store = memoryCredentials();
  const key = (source: string, caller: string): CredentialKey => ({ source, scheme, caller });
  const sources = Object.entries(documents).map(([id, path]) =>
    openApiSource(`${origin}${path}`, { id, prefix: id, auth: { store } }),
  );
  const registry = new ToolRegistry(sources);
  await registry.ready;
  const artifacts = memoryArtifacts();
  const executor = new ToolExecutor({
    registry,
    artifacts,
    policy: "autonomous",
    hooks: [
      {
        afterCall: async ({ caller }, { value }) => {
          const issued = (value as JsonObject | undefined)?.[token];
          if (typeof issued !== "string" || caller === undefined) return;
          for (const id of Object.keys(documents)) {
            await store.set(key(id, caller.id), { type: "secret", secret: issued });
          }
        },
      },
    ],
  });
  const warnings: string[] = [];
  executor.on((event) => {
    if (event.type === "tool.completed") warnings.push(...(event.warnings ?? []));
  });
  let calls = 0;
  return {
    sources,
    store,
    warnings,
    key,
    as:
      (caller) =>
      (name, args = {}) =>
        executor.execute({ id: `${++calls}`, name, arguments: args }, { caller: { id: caller } }),
    bytes: async (artifact) => (await artifacts.read(artifact, 0, Infinity)) ?? Uint8Array.of(),
    close: () => registry.close(),
  };
}

/** The result of a call that reached the server, whatever the status. */
export async function awaitResult(outcome: Promise<ToolOutcome>): Promise<ToolResult> {
  const ended = await outcome;
  if (ended.status !== "completed") throw new Error(JSON.stringify(ended));
  return ended.result;
}

/** The text that a model reads. */
export function readText({ content }: Pick<ToolResult, "content">): string {
  return content
    .map((block) => (block.type === "text" ? block.text : `[${block.type}]`))
    .join("\n");
}
