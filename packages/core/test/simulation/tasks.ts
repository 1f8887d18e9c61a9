import { ToolError } from "@toolweave/core";
import type { Host } from "./host.ts";
import type { Op } from "./plan.ts";
import { secret } from "./environment.ts";

/** The events after which nothing happens to a task any more. */
const ends: ReadonlySet<string> = new Set(["task.completed", "task.failed", "task.cancelled"]);

/** Requests a task, as its owner or as another caller. */
export function askFor(
  host: Host,
  hosts: readonly Host[],
  { does, which, ms, owns }: Extract<Op, { op: "task" }>,
): void {
  const { environment, executor } = host;
  const made = hosts.flatMap(({ tasks }) => [...tasks]);
  const [id, behalf] = made[which % Math.max(1, made.length)] ?? [];
  if (id === undefined) return;
  const options = owns ? { ...behalf } : { sessionId: "another" };
  const asked: Promise<unknown> =
    does === "list"
      ? executor.tasks.list(options)
      : does === "result"
        ? executor.tasks.result(id, {
            ...options,
            waitMs: ms,
            signal: environment.signal(undefined),
          })
        : executor.tasks[does](id, options);
  const answered = asked.then(
    (answer) => {
      if (!owns && does !== "list") environment.violation(`another caller received task ${id}`);
      if (!owns && (answer as unknown[]).length > 0)
        environment.violation("another caller lists tasks");
      // Details are for the host, as for any call.
      const serialized = JSON.stringify(answer ?? null, (key, value: unknown) =>
        ["details", "provider"].includes(key) ? undefined : value,
      );
      if (serialized.includes(secret)) environment.violation(`${id} reveals a secret`);
    },
    (error: unknown) => {
      const code = ToolError.is(error) ? error.code : "none";
      const usual = ["not_found", "store_unavailable", "unavailable", "cancelled"];
      if (!usual.includes(code)) environment.violation(`${does} of ${id}: ${String(error)}`);
    },
  );
  environment.expected(`${does} of ${id}`, answered);
}

/** Cancels the running ones, all at once: a store that hangs is awaited each time. */
export async function cancelWorking({ executor, tasks }: Host): Promise<void> {
  await Promise.all(
    Array.from(tasks, async ([id, behalf]) => {
      try {
        const { status } = await executor.tasks.status(id, behalf);
        if (status === "working") await executor.tasks.cancel(id, behalf);
      } catch {
        // The store is down, or another executor runs it.
      }
    }),
  );
}

/** Each task is created once and ends at most once, and none works after everything has ended. */
export async function checkTasks(hosts: readonly Host[]): Promise<void> {
  const seen = new Map<string, { readonly last: Host; readonly types: readonly string[] }>();
  for (const { by, taskId, type } of hosts[0]?.environment.ofTasks ?? []) {
    const types = [...(seen.get(taskId)?.types ?? []), type];
    seen.set(taskId, { last: by as Host, types });
  }
  const checks = Array.from(seen, async ([id, { last, types }]) => {
    const { environment } = last;
    const story = `task ${id}: ${types.join(" ")}`;
    if (types[0] !== "task.created") environment.violation(story);
    if (types.filter((type) => type === "task.created").length > 1) environment.violation(story);
    if (types.filter((type) => ends.has(type)).length > 1) environment.violation(story);
    const behalf = hosts.map(({ tasks }) => tasks.get(id)).find((found) => found !== undefined);
    try {
      const { status } = await last.executor.tasks.status(id, behalf);
      const end = types.find((type) => ends.has(type));
      const is = end === undefined ? "task.input_required" : end;
      if (is !== `task.${status}`) environment.violation(`${story}, and its status is ${status}`);
    } catch (error) {
      if (ToolError.is(error) && error.code === "store_unavailable") return;
      environment.violation(`${story}: ${String(error)}`);
    }
  });
  await Promise.all(checks);
}
