import { inspect } from "node:util";
import { memoryArtifacts, type ArtifactStore, type ToolOutcome } from "@toolweave/core";
import { messageOf } from "../contract/finding.ts";
import type { Fault } from "./check-each.ts";
import type { Leak, Leaks } from "./leaks.ts";

/** How deep a log prints. */
const logDepth = 6;

/** A secret that has come out, where it has. */
export function leakFault({ form, seen }: Leak, where: string): Fault {
  return { wrong: `tells a secret ${form} in ${where}`, seen };
}

/** A store that notes in `stored` what it is given. */
export function watchedStore(stored: string[]): ArtifactStore {
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

/** A secret in what a call answers. */
export function answerFault(leaks: Leaks, outcome: ToolOutcome): Fault | undefined {
  if (outcome.status === "interrupted") return undefined;
  const { result } = outcome;
  for (const [field, value] of Object.entries(result)) {
    const leak = leaks.find(value);
    if (leak !== undefined) return leakFault(leak, `the ${field} of its answer`);
  }
  // Whoever reads one block after the other reads it all the same.
  const texts = result.content.map((block) => (block.type === "text" ? block.text : " "));
  const leak = leaks.find(texts.join(""));
  return leak && leakFault(leak, "several blocks of its answer, one part in each");
}

/** A secret in what was stored of an answer. */
export function storedFault(leaks: Leaks, stored: readonly string[]): Fault | undefined {
  const leak = stored.map((text) => leaks.find(text)).find(Boolean);
  return leak && leakFault(leak, "an artifact of its answer");
}

/** What a log shows of it: its message, its stack, its members and its causes. */
export function printed(error: unknown): string {
  try {
    return inspect(error, { depth: logDepth, maxStringLength: null, maxArrayLength: null });
  } catch (unreadable) {
    return messageOf(unreadable);
  }
}
