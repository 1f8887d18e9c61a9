import type { MemoryDetails, MemoryOwner, MemoryOwnerList, MemoryRow } from "@toolweave/console";
import { withQuery } from "../api/client.ts";
import { usePages } from "../api/paged-resource.ts";
import { useResource } from "../api/resource.ts";
import { Link } from "../navigation/link.tsx";
import { queryValue } from "../navigation/location.ts";
import { toPath } from "../navigation/routes.ts";
import { useQueryText } from "../navigation/use-query-text.ts";
import { formatBytes } from "../text/format.ts";
import { safeLine } from "../text/safe-text.ts";
import { Attached } from "../ui/attached.tsx";
import { Choice } from "../ui/choice.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { Icon } from "../ui/icon.tsx";
import { PagedList } from "../ui/paged-list.tsx";
import { ScreenHeader } from "../ui/screen-header.tsx";
import { SearchInput } from "../ui/search-input.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { TextBlock } from "../ui/text.tsx";
import { RelativeTime } from "../ui/time.tsx";

/** Matches that the API returns at most, and entries without a search. */
const [maxFound, maxListed] = [100, 1000];

/** The members of the query that select entries: the API has the same. */
const selection = () => ({ q: queryValue("q").trim(), owner: queryValue("owner") });

/** The memory of agents, or one entry of it. */
export function MemoryScreen({ id }: { id?: string }) {
  if (id !== undefined) return <Entry key={id} id={id} />;
  return (
    <>
      <ScreenHeader
        title="Memory"
        detail={`What agents remember, ${selection().q === "" ? "newest" : "the best match"} first`}
      />
      <Attached what="memory">
        <Search />
        <Entries />
      </Attached>
    </>
  );
}

function Search() {
  const [text, changeText] = useQueryText("q", 300);
  const { value } = useResource<MemoryOwnerList>("/api/memory-owners").state.value;
  const { owner } = selection();
  const owners = (value?.items ?? []).map((each): [string, string] => [
    JSON.stringify([each.caller ?? null, each.agent ?? null]),
    ownerText(each),
  ]);
  // An owner of the address may have no entry among the latest.
  if (owner !== "" && !owners.some(([id]) => id === owner)) owners.push([owner, safeLine(owner)]);
  return (
    <div class="search-row" role="search">
      <SearchInput
        label="Search the memory"
        placeholder="Words of an entry"
        value={text}
        onInput={changeText}
      />
      {owners.length > 1 && <Choice label="Owner" name="owner" value={owner} options={owners} />}
    </div>
  );
}

function Entries() {
  const { q, owner } = selection();
  const pages = usePages<MemoryRow>(withQuery("/api/memory", { limit: 100, q, owner }));
  return (
    <PagedList
      pages={pages}
      empty={
        q + owner === "" ? (
          <EmptyState title="Nothing is remembered">
            <p>
              Write <code class="code">{'"builtin": {"memory": true}'}</code> in the configuration
              of an agent: what it stores with <code class="code">memory_store</code> is listed
              here.
            </p>
          </EmptyState>
        ) : (
          <EmptyState title="No entry matches">
            <p>An entry is found by its words, or by at least 4 letters that one begins with.</p>
          </EmptyState>
        )
      }
    >
      {(items) => (
        <>
          <DataTable
            label="Memory"
            columns={["Key", "Category", "Caller", "Stored", { title: "Size", isNumber: true }]}
          >
            {items.map((entry) => (
              <tr key={entry.id}>
                <td>
                  <Link href={toPath("memory", entry.id) + location.search}>
                    {safeLine(entry.key)}
                  </Link>
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
          {q !== "" && items.length === maxFound && (
            <p class="muted">These are the {maxFound} best matches.</p>
          )}
          {q === "" && items.length === maxListed && (
            <p class="muted">These are the latest 1,000 entries. A search finds older ones.</p>
          )}
        </>
      )}
    </PagedList>
  );
}

function Entry({ id }: { id: string }) {
  const path = withQuery(`/api/memory/${encodeURIComponent(id)}`, selection());
  const resource = useResource<MemoryDetails>(path);
  return (
    <>
      <Link href={toPath("memory") + location.search} class="back-link">
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

function ownerText({ caller, agent }: MemoryOwner): string {
  const name = caller === undefined ? "no caller" : safeLine(caller);
  return agent === undefined ? name : `${safeLine(agent)} for ${name}`;
}
