import { inspect } from "node:util";
import type { ToolOutcome } from "@toolweave/core";
import { memoryArtifacts, type ArtifactStore } from "@toolweave/core/stores";
import { formatError } from "../contract/finding.ts";
import type { Fault } from "./check-each.ts";
import type { Leak, LeakFinder } from "./leak-finder.ts";

/** The depth to which a log prints objects. */
const logDepth = 6;

/** Creates a fault from a disclosed secret. */
export function toLeakFault({ form, seen }: Leak, where: string): Fault {
  return { wrong: `discloses a secret ${form} in ${where}`, seen };
}

/** Creates a store that adds everything that it receives to `stored`. */
export function createRecordingStore(stored: string[]): ArtifactStore {
  const store = memoryArtifacts();
  return {
    put: (artifact, data) => {
      stored.push(JSON.stringify(artifact.name ?? ""), Buffer.from(data).toString());
      return store.put(artifact, data);
    },
    head: (key) => store.head(key),
    read: (key, offset, length) => store.read(key, offset, length),
    delete: (key) => store.delete(key),
  };
}

/** Finds a secret in the result of a call. */
export function findResultLeak(leaks: LeakFinder, outcome: ToolOutcome): Fault | undefined {
  if (outcome.status === "interrupted") return undefined;
  const { result } = outcome;
  for (const [field, value] of Object.entries(result)) {
    const leak = leaks.find(value);
    if (leak !== undefined) return toLeakFault(leak, `the ${field} of its result`);
  }
  // A reader may concatenate the blocks.
  const texts = result.content.map((block) => (block.type === "text" ? block.text : " "));
  const leak = leaks.find(texts.join(""));
  return leak && toLeakFault(leak, "several blocks of its result, one part in each");
}

/** Finds a secret in the stored artifacts of a result. */
export function findArtifactLeak(leaks: LeakFinder, stored: readonly string[]): Fault | undefined {
  const leak = stored.map((text) => leaks.find(text)).find(Boolean);
  return leak && toLeakFault(leak, "an artifact of its result");
}

/** Formats an error as a log does: with its message, stack, members and causes. */
export function formatForLog(error: unknown): string {
  try {
    return inspect(error, { depth: logDepth, maxStringLength: null, maxArrayLength: null });
  } catch (unreadable) {
    return formatError(unreadable);
  }
}
