import type { MemoryDetails, MemoryRow } from "@toolweave/console";
import { usePages } from "../api/paged-resource.ts";
import { useResource } from "../api/resource.ts";
import { Link } from "../navigation/link.tsx";
import { toPath } from "../navigation/routes.ts";
import { formatBytes } from "../text/format.ts";
import { safeLine } from "../text/safe-text.ts";
import { Attached } from "../ui/attached.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { Icon } from "../ui/icon.tsx";
import { PagedList } from "../ui/paged-list.tsx";
import { ScreenHeader } from "../ui/screen-header.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { TextBlock } from "../ui/text.tsx";
import { RelativeTime } from "../ui/time.tsx";

/** The memory of agents, or one entry of it. */
export function MemoryScreen({ id }: { id?: string }) {
  if (id !== undefined) return <Entry key={id} id={id} />;
  return (
    <>
      <ScreenHeader title="Memory" detail="What agents remember, newest first" />
      <Attached what="memory">
        <Entries />
      </Attached>
    </>
  );
}

function Entries() {
  const pages = usePages<MemoryRow>("/api/memory?limit=100");
  return (
    <PagedList
      pages={pages}
      empty={
        <EmptyState title="Nothing is remembered">
          <p>
            Write <code class="code">{'"builtin": {"memory": true}'}</code> in the configuration of
            an agent: what it stores with <code class="code">memory_store</code> is listed here.
          </p>
        </EmptyState>
      }
    >
      {(items) => (
        <DataTable
          label="Memory"
          columns={["Key", "Category", "Caller", "Stored", { title: "Size", isNumber: true }]}
        >
          {items.map((entry) => (
            <tr key={entry.id}>
              <td>
                <Link href={toPath("memory", entry.id)}>{safeLine(entry.key)}</Link>
              </td>
              <td>{safeLine(entry.category)}</td>
              <td>{ownerText(entry)}</td>
              <td>
                <RelativeTime time={entry.storedAt} />
              </td>
              <td class="number">{formatBytes(entry.bytes)}</td>
            </tr>
          ))}
        </DataTable>
      )}
    </PagedList>
  );
}

function Entry({ id }: { id: string }) {
  const resource = useResource<MemoryDetails>(`/api/memory/${encodeURIComponent(id)}`);
  return (
    <>
      <Link href="/memory" class="back-link">
        <Icon name="left" /> All memory
      </Link>
      <Loaded resource={resource}>
        {(entry) => (
          <>
            <ScreenHeader
              title={safeLine(entry.key)}
              detail={
                <>
                  {safeLine(entry.category)}, {ownerText(entry)}, {formatBytes(entry.bytes)}, stored{" "}
                  <RelativeTime time={entry.storedAt} />
                  {entry.runId !== undefined && (
                    <>
                      {" in "}
                      <Link href={toPath("runs", entry.runId)}>{safeLine(entry.runId)}</Link>
                    </>
                  )}
                  {entry.expiresAt !== undefined && (
                    <>
                      , expires <RelativeTime time={entry.expiresAt} />
                    </>
                  )}
                </>
              }
            />
            <TextBlock text={entry.content} />
          </>
        )}
      </Loaded>
    </>
  );
}

function ownerText({ caller, agent }: MemoryRow): string {
  const name = caller === undefined ? "no caller" : safeLine(caller);
  return agent === undefined ? name : `${safeLine(agent)} for ${name}`;
}
