import { cpuMilliseconds } from "@toolweave/test-support";
import { expect, test } from "vitest";
import { SpanBuilder, type SpanEvent } from "../../src/spans.ts";

test("50,000 spans are built and read in at most half as much CPU time again as their events are copied", async () => {
  const events: SpanEvent[] = [];
  let seq = 0;
  for (let call = 0; call < 50_000; call++) {
    const more = {
      runId: `run ${call % 2}`,
      callId: `call ${call}`,
      tool: `tool ${call % 100}`,
      ...(call % 10 < 2 ? {} : { parentCallId: `call ${call - (call % 10) + (call % 2)}` }),
    };
    const args = { city: "Rome", days: call };
    const add = (type: string, fields: object): void => {
      events.push({ type, seq: ++seq, time: call, ...more, ...fields } as SpanEvent);
    };
    add("tool.requested", { arguments: args });
    add("tool.authorized", { rule: "rules[0]", reason: "it reads" });
    add("tool.started", { attempt: 1, arguments: args });
    add("tool.completed", { attempt: 1, isError: false, outputBytes: 100, value: { ok: true } });
  }
  const copyMs = await cpuMilliseconds(() => structuredClone(events));
  const spans = new SpanBuilder();
  const ms = await cpuMilliseconds(() => {
    for (const event of events) spans.add(event);
    expect(spans.details("run 0")?.spans.length).toBe(25_000);
    expect(spans.details("run 1")?.spans.length).toBe(25_000);
  });
  expect(ms).toBeLessThan(1.5 * copyMs);
});
