import type { JsonObject, PermissionRequest, Tool, ToolContext } from "@toolweave/core";
import { memoryRateLimits, type RateLimitStore } from "@toolweave/core/stores";
import type { FakeClock } from "@toolweave/test-support/fake-clock";
import { foreignTool, tool } from "../support/executor-for.ts";

/** Tools that end on request, and the calls of them that run, by call id. */
export class Controlled {
  readonly running: string[] = [];
  readonly started: string[] = [];
  readonly #ends = new Map<string, () => void>();

  tool(name: string, more: Partial<Parameters<typeof tool>[2]> = {}): Tool {
    return tool(name, (_, ctx) => this.work(ctx), more);
  }

  /** The function of such a tool; ends with its call's id, or when the call is stopped. */
  work({ callId, signal }: ToolContext): Promise<string> {
    if (signal.aborted) return Promise.resolve(callId);
    this.started.push(callId);
    this.running.push(callId);
    return new Promise((resolve) => {
      const end = (): void => {
        this.running.splice(this.running.indexOf(callId), 1);
        resolve(callId);
      };
      this.#ends.set(callId, end);
      signal.addEventListener("abort", end, { once: true });
    });
  }

  end(...callIds: readonly string[]): void {
    for (const callId of callIds) {
      this.#ends.get(callId)?.();
      this.#ends.delete(callId);
    }
  }
}

/** A permission to spend `amount`, which may be any value. */
export function spending(amount: unknown): PermissionRequest {
  return { kind: "spend", target: "shop", summary: "Buy", details: { amount } as JsonObject };
}

/** A tool whose permission to spend is in its arguments. */
export function shop(more: Partial<Omit<Tool, "spec">> = {}): Tool {
  return foreignTool("buy", {
    preflight: ({ amount }) => [spending(amount)],
    ...more,
  });
}

/** A store in memory that records its requests. */
export function notedStore(clock: FakeClock): { asked: string[]; store: RateLimitStore } {
  const asked: string[] = [];
  const inner = memoryRateLimits(clock);
  const store: RateLimitStore = {
    reserve(requests) {
      asked.push(...requests.map(({ key, amount }) => `reserve ${key} ${amount}`));
      return inner.reserve(requests);
    },
    commit: (id) => (asked.push(`commit ${id}`), inner.commit(id)),
    release: (id) => (asked.push(`release ${id}`), inner.release(id)),
  };
  return { asked, store };
}
