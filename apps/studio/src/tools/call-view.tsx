import type { JsonValue } from "@toolweave/core";
import { useEffect } from "preact/hooks";
import { Link } from "../navigation/link.tsx";
import { toPath } from "../navigation/routes.ts";
import { OutcomeView } from "../results/outcome-view.tsx";
import { formatDuration } from "../text/format.ts";
import { safeProse } from "../text/safe-text.ts";
import { announce } from "../ui/announcer.tsx";
import { Badge, type Tone } from "../ui/badge.tsx";
import { JsonView } from "../ui/json-view.tsx";
import { ErrorState } from "../ui/states.tsx";
import { useNow } from "../ui/use-now.ts";
import { ApprovalCard } from "../approvals/approval-card.tsx";
import { callStatus, isRunning, type DisplayedCall } from "./call.ts";

const tones: Readonly<Record<string, Tone>> = {
  running: "accent",
  completed: "good",
  failed: "bad",
  waiting: "warning",
  cancelled: "neutral",
};

/** The status of a call. */
export function CallBadge({ status }: { status: string }) {
  return <Badge tone={tones[status] ?? "neutral"}>{status}</Badge>;
}

/** A call: its progress, partial results, what it waits for, and its outcome. */
export function CallView({ call }: { call: DisplayedCall }) {
  const { state, error, progress, partial, runId } = call;
  const running = isRunning(call);
  const now = useNow();
  const status = callStatus(call);
  useEffect(() => {
    if (running) return;
    announce(
      status === "waiting" ? "The call waits for a person" : `The call has ended: ${status}`,
    );
  }, [running, status]);
  const end = state?.endedAt ?? (running ? now : undefined);
  const start = state?.startedAt ?? call.startedAt;
  return (
    <section class="call-result" aria-label="Result">
      <div class="call-status">
        <CallBadge status={status} />
        {end !== undefined && <span class="muted">{formatDuration(Math.max(0, end - start))}</span>}
        {runId !== undefined && <Link href={toPath("runs", runId)}>Open the run</Link>}
      </div>
      {running && progress !== undefined && <Progress progress={progress} />}
      {running && partial !== undefined && <JsonView value={partial} label="Partial result" />}
      {error !== undefined && <ErrorState error={error} />}
      {state?.status === "interrupted" && state.approvalId !== undefined ? (
        <ApprovalCard id={state.approvalId} headingLevel={3} />
      ) : null}
      {state?.outcome !== undefined && state.status !== "interrupted" && (
        <OutcomeView outcome={state.outcome} />
      )}
    </section>
  );
}

function Progress({ progress }: { progress: JsonValue }) {
  const { done, total, message } = (
    typeof progress === "object" && progress !== null && !Array.isArray(progress) ? progress : {}
  ) as Readonly<Record<string, JsonValue>>;
  const isKnown = typeof done === "number" && typeof total === "number" && total > 0;
  return (
    <div class="progress">
      <progress aria-label="Progress" {...(isKnown ? { value: done, max: total } : {})} />
      <span>
        {typeof message === "string" ? safeProse(message) : ""}
        {isKnown ? ` ${done} of ${total}` : ""}
      </span>
    </div>
  );
}
