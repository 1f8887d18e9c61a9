import { useEffect } from "preact/hooks";
import { onEvents } from "../api/event-stream.ts";
import { useResource } from "../api/resource.ts";
import { changesApprovals } from "../api/shared-resource.ts";
import type { Approval } from "../contract/approval.ts";
import { Link } from "../navigation/link.tsx";
import { toPath } from "../navigation/routes.ts";
import { safeLine } from "../text/safe-text.ts";
import { EmptyState, ErrorState } from "../ui/states.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { Decision } from "./decision.tsx";
import "./approvals.css";

/** An approval with everything that a person needs to decide. */
export function ApprovalCard({ id, headingLevel = 2 }: { id: string; headingLevel?: 2 | 3 }) {
  const resource = useResource<Approval>(`/api/approvals/${encodeURIComponent(id)}`);
  useEffect(
    () =>
      onEvents((events) => {
        if (events.some(changesApprovals)) resource.reload();
      }),
    [resource],
  );
  const { value, error } = resource.state.value;
  if (error?.code === "not_found" && value === undefined) {
    return (
      <EmptyState title="This approval is no longer there">
        <p>
          It was answered or has expired. <Link href="/audit">The audit</Link> has the decision.
        </p>
      </EmptyState>
    );
  }
  if (value === undefined) {
    return error === undefined ? (
      <p class="state muted">Loading…</p>
    ) : (
      <ErrorState error={error} onRetry={() => resource.reload()} />
    );
  }
  const Heading = `h${headingLevel}` as const;
  return (
    <article class="approval-card" aria-labelledby={`approval-${id}`}>
      <header class="approval-header">
        <Heading id={`approval-${id}`}>
          {value.call === undefined ? "A call that cannot be read" : safeLine(value.call.name)}
        </Heading>
        <p class="muted">
          {value.requester !== undefined && (
            <>
              for {safeLine(value.requester.id)}
              {value.requester.agent === undefined ? "" : ` by ${safeLine(value.requester.agent)}`}
              ,{" "}
            </>
          )}
          expires <RelativeTime time={value.expiresAt} />
          {value.call !== undefined && (
            <>
              {" · "}
              <Link href={toPath("tools", value.call.name)}>the tool</Link>
            </>
          )}
          {value.runId !== undefined && (
            <>
              {" · "}
              <Link href={toPath("runs", value.runId)}>the run</Link>
            </>
          )}
        </p>
      </header>
      <Body approval={value} reload={() => resource.reload()} />
    </article>
  );
}

function Body({ approval, reload }: { approval: Approval; reload: () => void }) {
  const { status, verified, parentCallId } = approval;
  if (!verified) {
    return (
      <p class="notice bad">
        The approval was changed in the store, or belongs to a process with another key. It cannot
        be answered here.
      </p>
    );
  }
  if (parentCallId !== undefined) {
    return (
      <p class="notice">
        This call is part of the call <code class="code">{safeLine(parentCallId)}</code>, which is
        the one to answer.
      </p>
    );
  }
  if (status === "claimed") return <p class="notice">It was answered, and its call is running.</p>;
  if (status === "finished") return <p class="notice">It was answered.</p>;
  if (status === "unfinished") {
    return (
      <p class="notice bad">
        It was answered, and the process that ran the call did not finish it. Check what it did: it
        is not run again.
      </p>
    );
  }
  return <Decision approval={approval} reload={reload} />;
}
