import type { TaskRow } from "@toolweave/console";
import { useEffect } from "preact/hooks";
import { onEvents } from "../api/event-stream.ts";
import { usePages } from "../api/paged-resource.ts";
import { Link } from "../navigation/link.tsx";
import { toPath } from "../navigation/routes.ts";
import { shortId } from "../text/format.ts";
import { safeLine, safeProse } from "../text/safe-text.ts";
import { PagedList } from "../ui/paged-list.tsx";
import { ScreenHeader } from "../ui/screen-header.tsx";
import { EmptyState } from "../ui/states.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { TaskPage, TaskStatus } from "./task-page.tsx";
import { DataTable } from "../ui/data-table.tsx";

/** Calls that continue on their own, or one of them. */
export function TasksScreen({ id }: { id?: string }) {
  return id === undefined ? <TaskList /> : <TaskPage key={id} id={id} />;
}

function TaskList() {
  const pages = usePages<TaskRow>("/api/tasks?limit=100");
  useEffect(
    () =>
      onEvents((events) => {
        if (events.some(({ type }) => type.startsWith("task."))) pages.reload();
      }),
    [pages],
  );
  return (
    <>
      <ScreenHeader title="Tasks" detail="Calls that continue on their own" />
      <PagedList
        pages={pages}
        empty={
          <EmptyState title="There are no tasks">
            <p>
              Choose “As a task” when you make a call: the call then continues without this page.
            </p>
          </EmptyState>
        }
      >
        {(items) => (
          <DataTable
            label="Tasks"
            columns={["Tool", "Status", "For", "Created", "Changed", "Task"]}
          >
            {items.map((task) => (
              <tr key={task.id}>
                <td>
                  <Link href={toPath("tools", task.tool)} class="mono">
                    {safeLine(task.tool)}
                  </Link>
                  {task.message !== undefined && (
                    <p class="row-message">{safeProse(task.message)}</p>
                  )}
                </td>
                <td>
                  <TaskStatus status={task.status} />
                </td>
                <td>{task.caller === undefined ? "" : safeLine(task.caller)}</td>
                <td>
                  <RelativeTime time={task.createdAt} />
                </td>
                <td>
                  <RelativeTime time={task.updatedAt} />
                </td>
                <td>
                  <Link href={toPath("tasks", task.id)} class="mono" title={safeLine(task.id)}>
                    {safeLine(shortId(task.id))}
                  </Link>
                </td>
              </tr>
            ))}
          </DataTable>
        )}
      </PagedList>
    </>
  );
}
