import { runConformance, type Manifest } from "../../src/index.ts";

/** A failed rule for a correct subject. */
export interface FalsePositive {
  readonly seed: number;
  readonly id: string;
  readonly message: string;
  readonly seen: string | undefined;
}

/** Checks a correct subject with several seeds, and returns the rules that fail. */
export async function findFalsePositives(
  manifest: Manifest,
  seeds: Iterable<number>,
): Promise<FalsePositive[]> {
  const falsePositives: FalsePositive[] = [];
  for (const seed of seeds) {
    // The fixtures have no late effects, so a short quiet period is enough.
    const { rules } = await runConformance(manifest, { seed, quietMs: 10 });
    for (const { id, status, message, seen } of rules) {
      if (status === "failed") falsePositives.push({ seed, id, message, seen });
    }
  }
  return falsePositives;
}
