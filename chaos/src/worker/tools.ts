import { AsyncLocalStorage } from "node:async_hooks";
import { createHash, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { defineTool, type Tool, type ToolContext } from "@toolweave/core";
import type { RateLimitStore } from "@toolweave/core/stores";
import type { EffectLog } from "../effect-log/client.ts";

/** The attempt that is being made. */
export interface CurrentAttempt {
  readonly id: string;
  /** A time before the rate of the call was committed. */
  earliest?: number;
}

/** The attempt of each call, for its tool and for the stores that it uses. */
export const currentAttempt: AsyncLocalStorage<CurrentAttempt> = new AsyncLocalStorage();

const input = { type: "object" } as const;

/** A part of every artifact. The executor does not know it as a secret, so that it is stored. */
export const artifactSecret = "s3cret-of-an-artifact-90b2e4";
const seedBytes = 64;
const blockBytes = seedBytes + artifactSecret.length;

/** The bytes of the artifact of a seed: a block that is repeated. */
export function artifactBytes(seed: number, size: number): Buffer {
  const hash = createHash("sha512").update(String(seed)).digest();
  return Buffer.alloc(size, Buffer.concat([hash, Buffer.from(artifactSecret)]));
}

/** True for the bytes of an artifact of any seed. */
export function isArtifact(bytes: Uint8Array, size: number): boolean {
  const block = Buffer.from(bytes.subarray(0, blockBytes));
  return (
    bytes.byteLength === size &&
    block.subarray(seedBytes).equals(Buffer.from(artifactSecret)) &&
    Buffer.alloc(size, block).equals(bytes)
  );
}

/** A tool that takes some milliseconds, so that faults happen before and after its effect. */
const shortDelay = (): Promise<void> => delay(Math.random() * 8);

/** Notes the time before a commit, for the check of rates. */
export function timedRates(store: RateLimitStore, log: EffectLog): RateLimitStore {
  return {
    reserve: (requests) => store.reserve(requests),
    async commit(id) {
      const attempt = currentAttempt.getStore();
      if (attempt !== undefined) attempt.earliest = await log.now();
      return store.commit(id);
    },
    release: (id) => store.release(id),
  };
}

/** The tools of a worker. Each records its effect in the log, which is the only effect that it has. */
export function chaosTools(worker: string, log: EffectLog, secret: string): readonly Tool[] {
  const recordEffect = async ({ runId, callId, toolName }: ToolContext): Promise<void> => {
    const { id = "none", earliest } = currentAttempt.getStore() ?? {};
    const effect = { runId, callId, tool: toolName, attempt: id, worker };
    await log.add(earliest === undefined ? effect : { ...effect, earliest });
  };
  const withEffect = (name: string, description: string): Tool =>
    defineTool({
      name,
      description,
      input,
      execute: async (_args, ctx) => {
        await shortDelay();
        await recordEffect(ctx);
        await shortDelay();
        return { receipt: randomUUID(), token: secret };
      },
    });
  return [
    withEffect("pay", "Pays a bill."),
    withEffect("transfer", "Transfers money, once a person has approved it."),
    withEffect("limited", "Calls an API with a rate limit."),
    defineTool({
      name: "report",
      description: "Writes a report in the background.",
      input: { type: "object", properties: { ms: { type: "number" } }, required: ["ms"] },
      execution: "task",
      execute: async ({ ms }, ctx) => {
        await delay(ms, undefined, { signal: ctx.signal });
        await recordEffect(ctx);
        await delay(ms, undefined, { signal: ctx.signal });
        return { receipt: randomUUID() };
      },
    }),
    defineTool({
      name: "export_file",
      description: "Exports a file.",
      input: {
        type: "object",
        properties: { seed: { type: "number" }, size: { type: "number" } },
        required: ["seed", "size"],
      },
      execute: async ({ seed, size }, ctx) => {
        await recordEffect(ctx);
        const bytes = artifactBytes(seed, size);
        const ref = await ctx.artifacts.write(bytes, { mediaType: "application/octet-stream" });
        return { content: [{ type: "text", text: "exported" }], artifacts: [ref] };
      },
    }),
  ];
}
