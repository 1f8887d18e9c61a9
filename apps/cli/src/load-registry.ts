import type { OpenApiOptions, OpenApiSource } from "@toolweave/openapi";
import type { ToolRegistry } from "@toolweave/core";
import type { CliIo } from "./cli-io.ts";
import { Interrupt, unlessInterrupted } from "./interrupt.ts";
import { showProgress } from "./progress.ts";
import { safeLine } from "./safe-text.ts";

/** The documents' tools, and what could not be loaded. Whoever gets it closes the registry. */
export interface LoadedRegistry {
  readonly registry: ToolRegistry;
  readonly sources: readonly OpenApiSource[];
  /** What each document that could not be loaded was rejected with. */
  readonly failures: readonly unknown[];
}

/**
 * Loads OpenAPI documents into one registry.
 *
 * @param documents URLs and paths.
 * @throws Interrupt
 */
export async function loadRegistry(
  documents: readonly string[],
  options: OpenApiOptions,
  io: CliIo,
): Promise<LoadedRegistry> {
  const [{ ToolRegistry }, { openApiSource }] = await Promise.all([
    import("@toolweave/core"),
    import("@toolweave/openapi"),
  ]);
  if (io.signal.aborted) throw new Interrupt();
  const sources = documents.map((document) =>
    /^https?:\/\//i.test(document)
      ? openApiSource.fromUrl(document, options)
      : openApiSource.fromFile(document, options),
  );
  const registry = new ToolRegistry(sources);
  const done = showProgress(io, `Loading ${safeLine(documents.join(", "))} …`);
  try {
    await unlessInterrupted(registry.ready, io.signal);
    const settled = await Promise.allSettled(sources.map(({ ready }) => ready));
    const failures = settled.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    return { registry, sources, failures };
  } catch (error) {
    await registry.close();
    throw error;
  } finally {
    done();
  }
}
