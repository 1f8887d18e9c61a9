import { join } from "node:path";

import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import type { PendingCallStore } from "@toolweave/core/stores";
import { auditFile, sqliteStore } from "@toolweave/stores";

import { loadKey } from "./key.ts";
import { shopTools } from "./shop.ts";

/** The shared parts of the agent's process and the approver's. */
export interface Host {
  readonly executor: ToolExecutor;
  readonly pendingCalls: PendingCallStore;
  /** Lets running calls end, then closes the store. */
  close(): Promise<void>;
}

/**
 * The same tools, the same policy, the same key and the same store: any process that opens the
 * folder can resume a call that another one has left there.
 */
export function openHost(folder: string): Host {
  const store = sqliteStore(join(folder, "calls.db"));
  const executor = new ToolExecutor({
    registry: new ToolRegistry(shopTools(folder)),
    policy: "supervised",
    key: loadKey(join(folder, "key")),
    pendingCalls: store.pendingCalls,
    audit: auditFile(join(folder, "audit.jsonl"), { required: true }),
  });
  return {
    executor,
    pendingCalls: store.pendingCalls,
    close: async () => {
      await executor.drain();
      store.close();
    },
  };
}
