import type { TaskDetails } from "@toolweave/console";
import { useEffect, useState } from "preact/hooks";
import { ApprovalCard } from "../approvals/approval-card.tsx";
import { requestJson } from "../api/client.ts";
import { onEvents } from "../api/event-stream.ts";
import type { ApiError } from "../api/problem.ts";
import { toApiError, useResource } from "../api/resource.ts";
import { hasScope } from "../api/session.ts";
import { Link } from "../navigation/link.tsx";
import { toPath } from "../navigation/routes.ts";
import { OutcomeView } from "../results/outcome-view.tsx";
import { safeLine, safeProse } from "../text/safe-text.ts";
import { Badge, type Tone } from "../ui/badge.tsx";
import { Icon } from "../ui/icon.tsx";
import { JsonView } from "../ui/json-view.tsx";
import { ScreenHeader } from "../ui/screen-header.tsx";
import { ErrorState, Loaded } from "../ui/states.tsx";
import { RelativeTime } from "../ui/time.tsx";

const tones: Readonly<Record<string, Tone>> = {
  working: "accent",
  input_required: "warning",
  completed: "good",
  failed: "bad",
};

const ended: ReadonlySet<string> = new Set(["completed", "failed", "cancelled"]);

/** The status of a task. */
export function TaskStatus({ status }: { status: string }) {
  return <Badge tone={tones[status] ?? "neutral"}>{safeLine(status.replaceAll("_", " "))}</Badge>;
}

/** One task: its progress, what it waits for, and its outcome. */
export function TaskPage({ id }: { id: string }) {
  const path = `/api/tasks/${encodeURIComponent(id)}`;
  const resource = useResource<TaskDetails>(path);
  const [error, setError] = useState<ApiError>();
  useEffect(
    () =>
      onEvents((events) => {
        if (events.some((event) => event["taskId"] === id)) resource.reload();
      }),
    [resource, id],
  );
  const cancel = async (): Promise<void> => {
    try {
      await requestJson(`${path}/cancel`, { method: "POST", body: {} });
      setError(undefined);
    } catch (refused) {
      setError(toApiError(refused));
    }
    resource.reload();
  };
  return (
    <>
      <Link href="/tasks" class="back-link">
        <Icon name="left" /> All tasks
      </Link>
      {error !== undefined && <ErrorState error={error} />}
      <Loaded resource={resource}>
        {(task) => (
          <>
            <ScreenHeader
              title={<span class="mono">{safeLine(task.id)}</span>}
              detail={
                <>
                  <Link href={toPath("tools", task.tool)}>{safeLine(task.tool)}</Link>
                  {task.runId !== undefined && (
                    <>
                      {" in "}
                      <Link href={toPath("runs", task.runId)}>{safeLine(task.runId)}</Link>
                    </>
                  )}
                </>
              }
              actions={
                ended.has(task.status) ? undefined : (
                  <button
                    type="button"
                    class="button"
                    disabled={!hasScope("call")}
                    onClick={() => void cancel()}
                  >
                    <Icon name="stop" /> Cancel
                  </button>
                )
              }
            />
            <p class="badges">
              <TaskStatus status={task.status} />
              <span class="muted">
                created <RelativeTime time={task.createdAt} />, changed{" "}
                <RelativeTime time={task.updatedAt} />
                {task.expiresAt !== undefined && (
                  <>
                    , expires <RelativeTime time={task.expiresAt} />
                  </>
                )}
              </span>
            </p>
            {task.message !== undefined && task.outcome === undefined && (
              <p>
                {task.code !== undefined && <strong>{safeLine(task.code)} </strong>}
                {safeProse(task.message)}
              </p>
            )}
            {task.progress !== undefined && (
              <JsonView value={task.progress} label="Progress of the task" />
            )}
            {task.approvalId !== undefined && !ended.has(task.status) && (
              <ApprovalCard id={task.approvalId} />
            )}
            {task.outcome !== undefined && <OutcomeView outcome={task.outcome} />}
          </>
        )}
      </Loaded>
    </>
  );
}
