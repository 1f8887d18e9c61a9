import type { Approval, ApprovalList } from "@toolweave/console";
import { useEffect, useState } from "preact/hooks";
import { onEvents } from "../api/event-stream.ts";
import { useResource } from "../api/resource.ts";
import { changesApprovals } from "../api/shared-resource.ts";
import { Link } from "../navigation/link.tsx";
import { toPath } from "../navigation/routes.ts";
import { formatCount } from "../text/format.ts";
import { safeLine, safeProse } from "../text/safe-text.ts";
import { Badge, type Tone } from "../ui/badge.tsx";
import { Icon } from "../ui/icon.tsx";
import { ScreenHeader } from "../ui/screen-header.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { VirtualList } from "../ui/virtual-list.tsx";
import { ApprovalCard } from "./approval-card.tsx";
import { stableList } from "./stable-list.ts";
import "./approvals.css";

/** Calls that wait for a person, with the one that is open. */
export function ApprovalsScreen({ id }: { id?: string }) {
  const resource = useResource<ApprovalList>("/api/approvals?limit=200");
  useEffect(
    () =>
      onEvents((events) => {
        if (events.some(changesApprovals)) resource.reload();
      }),
    [resource],
  );
  return (
    <div class={id === undefined ? "split narrow-list" : "split narrow-list has-detail"}>
      <section class="split-list" aria-label="Approvals">
        <ScreenHeader
          title="Approvals"
          detail="Calls that wait for a person"
          level={id === undefined ? 1 : 2}
        />
        <Loaded resource={resource}>
          {(list) => <Inbox list={list} {...(id === undefined ? {} : { current: id })} />}
        </Loaded>
      </section>
      {id !== undefined && (
        <section class="split-detail" aria-label="Approval">
          <Link href="/approvals" class="back-link">
            <Icon name="left" /> All approvals
          </Link>
          <ApprovalCard key={id} id={id} headingLevel={1} />
        </section>
      )}
    </div>
  );
}

/** The list does not move under the pointer: new approvals are counted, and come when the person asks for them. */
function Inbox({ list, current }: { list: ApprovalList; current?: string }) {
  const [displayed, setDisplayed] = useState<readonly string[]>(() =>
    list.approvals.map(({ id }) => id),
  );
  const { rows, added } = stableList(displayed, list.approvals);
  const showAll = (): void => setDisplayed(list.approvals.map(({ id }) => id));
  // Nothing can move where nothing is displayed.
  useEffect(() => {
    if (rows.length === 0 && added > 0) showAll();
  }, [rows.length, added]);
  return (
    <>
      {added > 0 && rows.length > 0 && (
        <button type="button" class="button new-rows" onClick={showAll}>
          {added} new
        </button>
      )}
      {rows.length === 0 ? (
        <EmptyState title="Nothing waits">
          <p>
            Calls that the policy asks about appear here. <Link href="/policy">The policy</Link>{" "}
            says which.
          </p>
        </EmptyState>
      ) : (
        <VirtualList
          items={rows}
          rowHeight={64}
          label="Approvals"
          getKey={(approval) => approval.id}
          {...(current === undefined ? {} : { current })}
          renderRow={(approval, focus) => (
            <Link
              {...focus}
              href={toPath("approvals", approval.id)}
              class="row-link approval-row"
              aria-current={approval.id === current ? "true" : undefined}
            >
              <span class="tool-names">
                <span class="tool-name">{safeLine(approval.call?.name ?? "unreadable call")}</span>
                <span class="tool-line">{summary(approval)}</span>
              </span>
              <span class="approval-state">
                <StatusBadge approval={approval} />
                <span class="muted">
                  expires <RelativeTime time={approval.expiresAt} />
                </span>
              </span>
            </Link>
          )}
        />
      )}
      {list.nextCursor !== undefined && (
        <p class="muted">
          Only the oldest {formatCount(list.approvals.length, "approval")} are listed.
        </p>
      )}
    </>
  );
}

function summary({ requests, truncated }: Approval): string {
  const [first] = requests ?? [];
  if (first === undefined) return truncated === true ? "open it to read what it asks" : "";
  if (first.type === "approval") return safeProse(first.permission.summary);
  if (first.type === "auth") return `sign in: ${safeProse(first.credential)}`;
  return first.type === "input" ? safeProse(first.message) : "the host runs the tool";
}

function StatusBadge({ approval: { status, verified } }: { approval: Approval }) {
  const texts: Readonly<Record<Approval["status"], readonly [string, Tone]>> = {
    pending: ["waits", "warning"],
    claimed: ["running", "accent"],
    finished: ["answered", "good"],
    unfinished: ["outcome unknown", "bad"],
  };
  const [text, tone] = verified ? texts[status] : (["not verified", "bad"] as const);
  return <Badge tone={tone}>{text}</Badge>;
}
