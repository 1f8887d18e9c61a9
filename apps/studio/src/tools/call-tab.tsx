import type { ToolDetails } from "@toolweave/console";
import { useEffect, useState } from "preact/hooks";
import { hasScope } from "../api/session.ts";
import { SchemaForm } from "../form/schema-form.tsx";
import { setQuery } from "../navigation/location.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Badge, EffectBadge } from "../ui/badge.tsx";
import { getCalls, cancelCall, isRunning, startCall } from "./call.ts";
import { CallView } from "./call-view.tsx";
import { getForm } from "./drafts.ts";
import { toCommand } from "./to-command.ts";
import { useCheck } from "./use-check.ts";
import { Checkbox } from "../ui/checkbox.tsx";

/** Arguments, their check, and the call with its result. */
export function CallTab({ tool }: { tool: ToolDetails }) {
  const { name } = tool.spec;
  const form = getForm(tool);
  const { json } = form;
  const [asTask, setAsTask] = useState(false);
  const [timeout, setTimeoutText] = useState("");
  const check = useCheck(name, json);
  const problems = check.result?.problems;
  useEffect(() => form.setProblems(problems ?? []), [form, problems]);
  const calls = getCalls(name).value;
  const [current] = calls;
  const running = current !== undefined && isRunning(current) ? current : undefined;
  const mayCall = hasScope("call");
  // The latest check may be of what was there before the last keystrokes.
  const isInvalid = check.json === json && problems !== undefined && problems.length > 0;
  const isDisplayed = form.displayedProblems.length > 0;
  const send = (isForced: boolean): void => {
    if (running !== undefined || !mayCall) return;
    if (json === undefined || (isInvalid && !isForced)) {
      form.reportProblems();
      return;
    }
    const seconds = Number(timeout);
    const timeoutMs = timeout.trim() !== "" && seconds > 0 ? { timeoutMs: seconds * 1000 } : {};
    void startCall(name, json, { asTask, ...timeoutMs });
  };
  return (
    <div
      onKeyDown={(event) => {
        if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        send(false);
      }}
    >
      <SchemaForm form={form} label={`Arguments of ${name}`} injected={tool.spec.injected ?? []} />
      <div class="call-bar">
        {running === undefined ? (
          <button
            type="button"
            class="button primary"
            disabled={!mayCall}
            onClick={() => send(false)}
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
        {json !== undefined && isInvalid && isDisplayed && (
          <button
            type="button"
            class="button small"
            disabled={!mayCall || running !== undefined}
            onClick={() => send(true)}
          >
            Call anyway
          </button>
        )}
        {check.result !== undefined && json !== undefined && (!isInvalid || isDisplayed) && (
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
          <Checkbox
            label="As a task"
            isChecked={asTask}
            onChange={(isChecked) => setAsTask(isChecked)}
          />
          <CopyButton label="Copy command" text={() => toCommand(name, form.publicJson ?? "{}")} />
          <button
            type="button"
            class="button small quiet"
            onClick={() => setQuery({ arguments: form.publicJson ?? "" })}
          >
            Keep in the address
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
