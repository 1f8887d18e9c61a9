import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { cluster } from "../../support/replicas/cluster.ts";
import { ask, capable } from "../../support/replicas/replica-requests.ts";

const cancels = 40;

it("a task that is cancelled at another replica is stopped within a second", async () => {
  const gateways = await cluster();
  onTestFinished(() => gateways.close());
  const [a, b] = gateways.replicas;
  const durations: number[] = [];
  for (let index = 0; index < cancels; index++) {
    const call = { name: "work", arguments: { id: String(index) } };
    const { result } = await ask(a.url, "tools/call", call, { capabilities: capable });
    const taskId = result?.["taskId"] as string;
    while (gateways.effects().length <= index) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const stopped = once(a.process, "message");
    const startedAt = performance.now();
    const cancelled = ask(b.url, "tasks/cancel", { taskId }, { capabilities: capable });
    await stopped;
    durations.push(performance.now() - startedAt);
    expect((await cancelled).error).toBeUndefined();
  }
  const sorted = durations.toSorted((one, other) => one - other);
  const at = (share: number): number => Math.round(sorted[Math.floor(share * (cancels - 1))] ?? 0);
  process.stdout.write(
    `${cancels} tasks cancelled at another replica: median ${at(0.5)} ms, p95 ${at(0.95)} ms, max ${at(1)} ms\n`,
  );
  expect(at(0.95)).toBeLessThanOrEqual(1_000);
});
