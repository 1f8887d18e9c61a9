import type { OpenApiOptions, OpenApiSource } from "@toolweave/openapi";
import type { ToolRegistry } from "@toolweave/core";
import type { Document } from "./call-recipe.ts";
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
 * @throws Interrupt
 */
export async function loadRegistry(
  documents: readonly Document[],
  options: OpenApiOptions,
  io: CliIo,
): Promise<LoadedRegistry> {
  const [{ ToolRegistry }, { openApiSource }] = await Promise.all([
    import("@toolweave/core"),
    import("@toolweave/openapi"),
  ]);
  if (io.signal.aborted) throw new Interrupt();
  const sources = documents.map(({ location, id }) => {
    const own = id === undefined ? options : { ...options, id };
    return /^https?:\/\//i.test(location)
      ? openApiSource.fromUrl(location, own)
      : openApiSource.fromFile(location, own);
  });
  const registry = new ToolRegistry(sources);
  const loaded = documents.map(({ location }) => location).join(", ");
  const done = showProgress(io, `Loading ${safeLine(loaded)} …`);
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
