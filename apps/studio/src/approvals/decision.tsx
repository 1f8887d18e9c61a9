import type { AnswerResult, Approval } from "@toolweave/console";
import type { JsonValue } from "@toolweave/core";
import { useEffect, useRef, useState } from "preact/hooks";
import { requestJson } from "../api/client.ts";
import type { ApiError } from "../api/problem.ts";
import { toApiError } from "../api/resource.ts";
import { hasScope } from "../api/session.ts";
import type { FormNode } from "../json/node.ts";
import { singleKeys } from "../navigation/preferences.ts";
import { announce } from "../ui/announcer.tsx";
import { ErrorState } from "../ui/states.tsx";
import { Icon } from "../ui/icon.tsx";
import { approveAnswers, rejectAnswers, type RequestDraft } from "./answers.ts";
import { ArgumentsSection } from "./arguments-section.tsx";
import { RequestView } from "./request-view.tsx";
import { useArmed } from "./use-armed.ts";

/** The requests, the arguments, and the buttons that decide. An answer names the digest of what is displayed. */
export function Decision(props: {
  approval: Approval;
  onSending: (isSending: boolean) => void;
  reload: () => void;
  onAnswered: (result: AnswerResult) => void;
}) {
  const { approval } = props;
  const { id, digest, requests = [], call } = approval;
  const [drafts, setDrafts] = useState<Readonly<Record<string, RequestDraft>>>({});
  const [edited, setEdited] = useState<FormNode>();
  const [hasSyntaxProblem, setSyntaxProblem] = useState(false);
  const [reason, setReason] = useState("");
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<ApiError>();
  const [displayed, setDisplayed] = useState(digest);
  const hasChanged = displayed !== digest;
  const armed = useArmed(digest);
  const mayDecide = hasScope("decide");
  const isReady = armed && mayDecide && !isSending && !hasSyntaxProblem && digest !== undefined;
  const asksApproval = requests.some(({ type }) => type === "approval");
  const buttons = useRef<HTMLDivElement>(null);
  useEffect(() => moveFocusByKeys(buttons), []);

  const post = async (answers: string): Promise<void> => {
    setSending(true);
    props.onSending(true);
    setError(undefined);
    try {
      const path = `/api/approvals/${encodeURIComponent(id)}/answers`;
      const answered = await requestJson<AnswerResult>(path, {
        method: "POST",
        text: `{"digest":${JSON.stringify(digest)},"answers":${answers}}`,
      });
      announce("The answer was accepted");
      props.onAnswered(answered);
    } catch (refused) {
      setError(toApiError(refused));
      setSending(false);
      props.onSending(false);
      props.reload();
    }
  };
  const approve = (): void => {
    if (!isReady) return;
    const read = approveAnswers(requests, drafts, edited);
    if (read.json === undefined) {
      setError(toApiError(new Error(read.problem)));
      return;
    }
    void post(read.json);
  };
  return (
    <>
      {hasChanged && (
        <p class="notice warning">
          The approval has changed since it was displayed. Read it again.{" "}
          <button type="button" class="button small" onClick={() => setDisplayed(digest)}>
            I have read it
          </button>
        </p>
      )}
      {requests.map((request) => (
        <RequestView
          key={request.id}
          request={request}
          draft={drafts[request.id] ?? { grant: "once", value: "" }}
          onChange={(draft) => setDrafts({ ...drafts, [request.id]: draft })}
        />
      ))}
      {call !== undefined && (
        <ArgumentsSection
          value={(call.arguments ?? {}) as JsonValue}
          canEdit={asksApproval && mayDecide}
          onEdit={setEdited}
          onSyntaxProblem={setSyntaxProblem}
        />
      )}
      {!mayDecide && (
        <p class="notice warning">
          This session may not decide. Open the link that <code class="code">toolweave studio</code>{" "}
          prints.
        </p>
      )}
      <div class="decision" ref={buttons}>
        {error !== undefined && <ErrorState error={error} />}
        <button
          type="button"
          class="button primary"
          data-decision="approve"
          aria-disabled={!isReady || hasChanged}
          onClick={() => {
            if (!hasChanged) approve();
          }}
        >
          <Icon name="allow" />
          {approveText(requests, edited !== undefined)}
        </button>
        <button
          type="button"
          class="button danger"
          data-decision="reject"
          aria-disabled={!armed || !mayDecide || isSending}
          onClick={() => {
            if (armed && mayDecide && !isSending) void post(rejectAnswers(requests, reason));
          }}
        >
          <Icon name="deny" />
          Reject
        </button>
        <label class="reason">
          <span class="field-label">Reason to reject, for the model</span>
          <input
            class="input"
            value={reason}
            onInput={({ currentTarget }) => setReason(currentTarget.value)}
          />
        </label>
      </div>
    </>
  );
}

function approveText(requests: NonNullable<Approval["requests"]>, isEdited: boolean): string {
  if (isEdited) return "Approve the edited call";
  const [first] = requests;
  if (requests.length === 1 && first !== undefined) {
    if (first.type === "auth") return "I have signed in";
    if (first.type === "input") return "Send the answer";
    if (first.type === "result") return "Send the result";
  }
  return "Approve";
}

/** `a` and `r` move the focus to a button; neither presses it. */
function moveFocusByKeys(buttons: { readonly current: HTMLElement | null }): () => void {
  const names: Readonly<Record<string, string>> = { a: "approve", r: "reject" };
  const onKeyDown = (event: KeyboardEvent): void => {
    const name = Object.hasOwn(names, event.key) ? names[event.key] : undefined;
    if (name === undefined || event.defaultPrevented || !singleKeys.value) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof Element && event.target.matches("input, textarea, select")) return;
    const button = buttons.current?.querySelector<HTMLElement>(`[data-decision="${name}"]`);
    button?.focus();
    button?.scrollIntoView({ block: "nearest" });
  };
  document.addEventListener("keydown", onKeyDown);
  return () => document.removeEventListener("keydown", onKeyDown);
}
