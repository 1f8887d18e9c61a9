import type { AnswerResult } from "@toolweave/console";
import { Link } from "../navigation/link.tsx";
import { toPath } from "../navigation/routes.ts";
import { OutcomeView } from "../results/outcome-view.tsx";
import { formatTime } from "../text/format.ts";
import { safeLine } from "../text/safe-text.ts";

/** The outcome of an answer: the result of the call, its rejection, or what it waits for now. */
export function AnswerOutcome({ result }: { result: AnswerResult }) {
  const { status, error, approval, replayed, answeredBy, answeredAt } = result;
  const isRejected = error?.code === "approval_rejected";
  const by = answeredBy === undefined ? "" : ` by ${safeLine(answeredBy)}`;
  const at = answeredAt === undefined ? "" : ` at ${formatTime(answeredAt)}`;
  return (
    <div>
      <p class={`notice ${isRejected ? "" : status === "completed" ? "good" : ""}`} role="status">
        {isRejected ? "Rejected" : "Answered"}
        {by}
        {at}.{replayed === true && " It was answered before: nothing has run now."}
      </p>
      {approval !== undefined && (
        <p class="notice warning">
          The call waits again.{" "}
          <Link href={toPath("approvals", approval.id)}>Open what it asks</Link>
        </p>
      )}
      {!isRejected && result.result !== undefined && <OutcomeView outcome={result} />}
    </div>
  );
}
