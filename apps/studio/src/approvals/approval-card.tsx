import type { AnswerResult, Approval } from "@toolweave/console";
import { useEffect, useRef, useState } from "preact/hooks";
import { onEvents } from "../api/event-stream.ts";
import { useResource } from "../api/resource.ts";
import { changesApprovals } from "../api/shared-resource.ts";
import { Link } from "../navigation/link.tsx";
import { toPath } from "../navigation/routes.ts";
import { safeLine } from "../text/safe-text.ts";
import { EmptyState, ErrorState } from "../ui/states.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { AnswerOutcome } from "./answer-outcome.tsx";
import { Decision } from "./decision.tsx";
import "./approvals.css";

/** An approval with everything that a person needs to decide. */
export function ApprovalCard({ id, headingLevel = 2 }: { id: string; headingLevel?: 1 | 2 | 3 }) {
  const resource = useResource<Approval>(`/api/approvals/${encodeURIComponent(id)}`);
  const [answered, setAnswered] = useState<Answered>();
  const hasAnswer = answered !== undefined;
  // While an answer is under way, its own events must not replace what is displayed.
  const isSending = useRef(false);
  useEffect(() => {
    // What was answered here is displayed as it was: the store may have removed it.
    if (hasAnswer) return;
    return onEvents((events) => {
      if (!isSending.current && events.some(changesApprovals)) resource.reload();
    });
  }, [resource, hasAnswer]);
  if (answered !== undefined) {
    return (
      <article class="approval-card">
        <ApprovalHeader approval={answered.approval} isAnswered headingLevel={headingLevel} />
        <AnswerOutcome result={answered.result} />
      </article>
    );
  }
  const { value, error } = resource.state.value;
  if (error?.code === "not_found") {
    return (
      <EmptyState title="This approval is no longer there">
        <p>
          It was answered or has expired. The decision is in <Link href="/audit">the audit</Link>,
          if one is attached.
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
  return (
    <article class="approval-card">
      <ApprovalHeader approval={value} headingLevel={headingLevel} />
      <Body
        approval={value}
        onSending={(sending) => {
          isSending.current = sending;
        }}
        reload={() => resource.reload()}
        onAnswered={(result) => setAnswered({ approval: value, result })}
      />
    </article>
  );
}

interface Answered {
  readonly approval: Approval;
  readonly result: AnswerResult;
}

function ApprovalHeader(props: {
  approval: Approval;
  isAnswered?: boolean;
  headingLevel: 1 | 2 | 3;
}) {
  const { call, requester, expiresAt, runId, status } = props.approval;
  const canExpire = status === "pending" && props.isAnswered !== true;
  const Heading = `h${props.headingLevel}` as const;
  return (
    <header class="approval-header">
      <Heading>{call === undefined ? "A call that cannot be read" : safeLine(call.name)}</Heading>
      <p class="muted">
        {requester !== undefined && (
          <>
            {requester.agent === undefined ? "asked" : `${safeLine(requester.agent)} asks`} for{" "}
            {safeLine(requester.id)} ·{" "}
          </>
        )}
        {canExpire ? (
          <>
            expires <RelativeTime time={expiresAt} />
          </>
        ) : (
          "answered"
        )}
        {call !== undefined && (
          <>
            {" · "}
            <Link href={toPath("tools", call.name)}>Open the tool</Link>
          </>
        )}
        {runId !== undefined && (
          <>
            {" · "}
            <Link href={toPath("runs", runId)}>Open the run</Link>
          </>
        )}
      </p>
    </header>
  );
}

function Body(props: {
  approval: Approval;
  onSending: (isSending: boolean) => void;
  reload: () => void;
  onAnswered: (result: AnswerResult) => void;
}) {
  const { status, verified, parentCallId } = props.approval;
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
  return <Decision {...props} />;
}
