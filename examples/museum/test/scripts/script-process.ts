// A process that runs scripts over the museum, and resumes them: a message is a script or an interruption with its answers.
import { join } from "node:path";
import {
  ToolExecutor,
  ToolRegistry,
  toolsSource,
  type Answer,
  type Interruption,
} from "@toolweave/core";
import { scriptTools } from "@toolweave/markdown";
import { openApiSource } from "@toolweave/openapi";
import { sqliteStore } from "@toolweave/stores";
import { museumKey } from "../../src/routes.ts";

/** The request to the process. */
export type ScriptOrder =
  | { readonly script: string }
  | { readonly interruption: Interruption; readonly answers: readonly Answer[] };

const [folder = ".", documentUrl = ""] = process.argv.slice(2);
// Soon after a process has been killed its lease expires.
const store = sqliteStore({ path: join(folder, "toolweave.db"), leaseMs: 100 });
const registry = new ToolRegistry([
  openApiSource.fromUrl(documentUrl, { auth: { apiKey: museumKey } }),
  toolsSource("scripts", scriptTools()),
]);
const executor = new ToolExecutor({
  registry,
  policy: "supervised",
  key: new Uint8Array(32).fill(9),
  pendingCalls: store.pendingCalls,
});

process.on("message", async (order: ScriptOrder) => {
  // A script sees the tools that have loaded.
  await registry.ready;
  const outcome =
    "script" in order
      ? await executor.execute({ id: "1", name: "run_script", arguments: { script: order.script } })
      : await executor.resume(order.interruption, order.answers);
  process.send?.(JSON.parse(JSON.stringify({ ...outcome, message: outcome.error?.message })));
});
