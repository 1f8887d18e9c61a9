import { defineTool, ToolExecutor, ToolRegistry } from "@toolweave/core";
import { eventFile } from "@toolweave/stores";

/** Records one run of an executor into a file, with so many calls: each has a span. */
export async function recordRun(path: string, count: number): Promise<void> {
  const tool = defineTool({
    name: "read_record",
    description: "Reads a record.",
    input: { type: "object", properties: { id: { type: "string" } } },
    annotations: { readOnlyHint: true },
    execute: ({ id }: { readonly id?: string }) => `The record ${id ?? ""} with its history.`,
  });
  const executor = new ToolExecutor({
    registry: new ToolRegistry([tool]),
    policy: "autonomous",
    eventPayloads: true,
  });
  const file = eventFile(path);
  executor.on(file);
  const run = executor.startRun();
  const atOnce = 20;
  for (let sent = 0; sent < count; sent += atOnce) {
    const calls = Array.from({ length: atOnce }, (_, index) => {
      const id = String(sent + index);
      return run.execute({ id, name: "read_record", arguments: { id } });
    });
    const outcomes = await Promise.all(calls);
    const failed = outcomes.find(({ status }) => status !== "completed");
    if (failed !== undefined) throw new Error(`a call has failed: ${JSON.stringify(failed)}`);
    // The disk follows.
    if (sent % 1000 === 0) await file.flush();
  }
  await file.close();
  if (file.dropped > 0) throw new Error(`${file.dropped} events were not recorded`);
}
