import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startReplicas, type Replicas } from "@toolweave/test-support/replicas";
import type { ReplicaProcess } from "./replica-process.ts";

const script = fileURLToPath(new URL("./replica-process.ts", import.meta.url));
const suiteScript = fileURLToPath(
  new URL("../../../conformance-suite/replica-process.ts", import.meta.url),
);

/** The key of all replicas. */
export const key = "the same thirty-two bytes everywhere";

/** Gateways with the tools of `replica-process.ts`. */
export interface Cluster extends Replicas {
  /** The runs of tools: `a ask 7`. */
  effects(): readonly string[];
}

/**
 * Starts three gateways: a, b and c.
 *
 * @param postgresUrl A database, in which they have a schema of their own. Default: they share an SQLite file.
 */
export async function cluster(postgresUrl?: string): Promise<Cluster> {
  const schema = `replicas_${crypto.randomUUID().replaceAll("-", "")}`;
  const names = ["a", "b", "c"];
  let effects = "";
  const replicas = await startReplicas(script, (folder, index, port) => {
    effects = join(folder, "effects");
    // Also when a replica is started again: then the file has the effects so far.
    appendFileSync(effects, "");
    const store =
      postgresUrl === undefined
        ? { file: join(folder, "store.sqlite") }
        : { url: postgresUrl, schema };
    const options: ReplicaProcess = { key, effects, store, name: names[index] ?? "", port };
    return [JSON.stringify(options)];
  });
  return {
    ...replicas,
    effects: () => readFileSync(effects, "utf8").split("\n").filter(Boolean),
  };
}

/** Starts three gateways with what the official suite needs. */
export function suiteCluster(): Promise<Replicas> {
  return startReplicas(suiteScript, (folder, _index, port) => [
    String(port),
    key,
    join(folder, "store.sqlite"),
  ]);
}
