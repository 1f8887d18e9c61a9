import { runConformance, type Manifest } from "../src/index.ts";

/** A rule that is broken where none is. */
export interface Alarm {
  readonly seed: number;
  readonly id: string;
  readonly message: string;
  readonly seen: string | undefined;
}

/** What the kit finds wrong with a subject that nothing is wrong with. */
export async function alarmsOf(manifest: Manifest, seeds: Iterable<number>): Promise<Alarm[]> {
  const alarms: Alarm[] = [];
  for (const seed of seeds) {
    // Nothing of the fixtures is late: a short watch is enough.
    const { rules } = await runConformance(manifest, { seed, quietMs: 10 });
    for (const { id, status, message, seen } of rules) {
      if (status === "failed") alarms.push({ seed, id, message, seen });
    }
  }
  return alarms;
}
