import { useState } from "preact/hooks";
import { hasScope } from "../api/session.ts";
import type { ToolDetails } from "../contract/contract.ts";
import { setQuery } from "../navigation/location.ts";
import { safeLine } from "../text/safe-text.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Badge, EffectBadge } from "../ui/badge.tsx";
import { ArgumentsEditor } from "./arguments-editor.tsx";
import { callsOf, cancelCall, isRunning, startCall } from "./call.ts";
import { CallView } from "./call-view.tsx";
import { parseDraft, readDraft, storeDraft } from "./drafts.ts";
import { useCheck } from "./use-check.ts";

/** Arguments, their check, and the call with its result. */
export function CallTab({ tool }: { tool: ToolDetails }) {
  const { name } = tool.spec;
  const [text, setText] = useState(() => readDraft(tool));
  const [asTask, setAsTask] = useState(false);
  const [timeout, setTimeoutText] = useState("");
  const draft = parseDraft(text);
  const check = useCheck(name, draft);
  const calls = callsOf(name).value;
  const [current] = calls;
  const running = current !== undefined && isRunning(current) ? current : undefined;
  const mayCall = hasScope("call");
  const change = (next: string): void => {
    setText(next);
    storeDraft(name, next);
  };
  const send = (): void => {
    if (draft.json === undefined || running !== undefined || !mayCall) return;
    const seconds = Number(timeout);
    const timeoutMs = timeout.trim() !== "" && seconds > 0 ? { timeoutMs: seconds * 1000 } : {};
    void startCall(name, draft.json, { asTask, ...timeoutMs });
  };
  return (
    <div
      onKeyDown={(event) => {
        if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        send();
      }}
    >
      <ArgumentsEditor
        text={text}
        onChange={change}
        {...(draft.problem === undefined ? {} : { syntaxProblem: draft.problem })}
        problems={check.result?.problems ?? []}
      />
      <InjectedParameters tool={tool} />
      <div class="call-bar">
        {running === undefined ? (
          <button
            type="button"
            class="button primary"
            disabled={draft.json === undefined || !mayCall}
            onClick={send}
          >
            <Icon name="play" />
            Call
          </button>
        ) : (
          <button
            type="button"
            class="button"
            disabled={running.isCancelling}
            onClick={() => void cancelCall(name, running.callId)}
          >
            <Icon name="stop" />
            {running.isCancelling ? "Cancelling…" : "Cancel"}
          </button>
        )}
        <kbd>Ctrl ⏎</kbd>
        {check.result !== undefined && draft.json !== undefined && (
          <CheckSummary
            effect={check.result.explanation.effect}
            problems={check.result.problems.length}
          />
        )}
        <span class="call-settings">
          <label>
            Timeout{" "}
            <input
              class="input short"
              inputMode="decimal"
              placeholder="default"
              value={timeout}
              onInput={({ currentTarget }) => setTimeoutText(currentTarget.value)}
            />{" "}
            s
          </label>
          <label class="check">
            <input
              type="checkbox"
              checked={asTask}
              onChange={({ currentTarget }) => setAsTask(currentTarget.checked)}
            />
            as a task
          </label>
          <CopyButton label="Copy as a command" text={() => toCommand(name, text)} />
          <button
            type="button"
            class="button small quiet"
            onClick={() => setQuery({ arguments: text === "{}" ? "" : text })}
          >
            Arguments into the address
          </button>
        </span>
      </div>
      {!mayCall && (
        <p class="notice warning">
          This session may not call tools. Open the link that{" "}
          <code class="code">toolweave studio</code> prints.
        </p>
      )}
      {current !== undefined && <CallView call={current} />}
    </div>
  );
}

function CheckSummary(props: { effect: "allow" | "ask" | "deny"; problems: number }) {
  if (props.problems > 0) return <Badge tone="bad">arguments do not match</Badge>;
  return <EffectBadge effect={props.effect} />;
}

/** The parameters that the host supplies: a caller does not send them. */
function InjectedParameters({ tool }: { tool: ToolDetails }) {
  const injected = tool.spec.injected ?? [];
  if (injected.length === 0) return null;
  return (
    <p class="muted">
      Supplied by the host:{" "}
      {injected.map((parameter, index) => (
        <span key={parameter.name}>
          {index > 0 && ", "}
          <code class="code">{safeLine(parameter.name)}</code>
        </span>
      ))}
    </p>
  );
}

/** The same call for a POSIX shell. */
function toCommand(name: string, text: string): string {
  const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
  return `toolweave call ${quote(name)} ${quote(text)}`;
}
