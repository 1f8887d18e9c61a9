import type { Span } from "@toolweave/console";
import { useResource } from "../api/resource.ts";
import { requestExactJson } from "./request-exact-json.ts";
import { Link } from "../navigation/link.tsx";
import { toPath } from "../navigation/routes.ts";
import { formatBytes, formatDuration, formatTime } from "../text/format.ts";
import { safeLine, safeProse } from "../text/safe-text.ts";
import { Badge } from "../ui/badge.tsx";
import { JsonView } from "../ui/json-view.tsx";
import { Loaded } from "../ui/states.tsx";
import { kindTexts, stateTexts } from "./span-text.ts";
import { isFailed } from "./span-tree.ts";

/** Everything that is known of a span. */
export function SpanDetails(props: {
  span: Span;
  start: number;
  /** The path of the span with its arguments and output. */
  payloadPath: string;
  onClose: () => void;
}) {
  const { span, start } = props;
  const { tool, kind, state, code, message, rule, reason, by, from, to, attempt } = span;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["Start", `${formatTime(from)}, after ${formatDuration(from - start)}`],
    ["Duration", to === undefined ? undefined : formatDuration(to - from)],
    ["Attempt", attempt === undefined ? undefined : String(attempt)],
    ["Code", code === undefined ? undefined : safeLine(code)],
    ["Message", message === undefined ? undefined : safeProse(message)],
    ["Rule", rule === undefined ? undefined : safeLine(rule)],
    ["Reason", reason === undefined ? undefined : safeProse(reason)],
    ["Person", by === undefined ? undefined : safeLine(by)],
    ["Output", span.outputBytes === undefined ? undefined : formatBytes(span.outputBytes)],
    ["Call", safeLine(span.callId)],
  ];
  return (
    <aside class="span-details" aria-label="Span">
      <div class="section-heading">
        <h2 class="mono">{safeLine(tool)}</h2>
        <button type="button" class="button small" onClick={props.onClose}>
          Close
        </button>
      </div>
      <p class="badges">
        <Badge>{kindTexts[kind]}</Badge>
        <Badge tone={isFailed(span) ? "bad" : state === "ok" ? "good" : "warning"}>
          {stateTexts[state]}
        </Badge>
        <Link href={toPath("tools", tool)}>Open the tool</Link>
      </p>
      <dl class="facts">
        {facts.map(([name, text]) =>
          text === undefined ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ),
        )}
      </dl>
      {span.approvalId !== undefined && state === "waiting" && (
        <p>
          <Link href={toPath("approvals", span.approvalId)}>Open the approval</Link>
        </p>
      )}
      {span.taskId !== undefined && (
        <p>
          <Link href={toPath("tasks", span.taskId)}>Open the task</Link>
        </p>
      )}
      {span.artifacts?.map(({ key, name, bytes }) => (
        <p key={key}>
          <Link href={toPath("artifact", key)}>{safeLine(name ?? key)}</Link>{" "}
          <span class="muted">{bytes === undefined ? "" : formatBytes(bytes)}</span>
        </p>
      ))}
      {kind === "call" && <Payload key={`${span.id} ${state}`} path={props.payloadPath} />}
    </aside>
  );
}

/** The arguments and the output of a call. */
function Payload({ path }: { path: string }) {
  const resource = useResource<Span>(path, requestExactJson);
  return (
    <Loaded resource={resource}>
      {({ arguments: args, output }) => (
        <>
          {args !== undefined && (
            <>
              <h3>Arguments</h3>
              <JsonView value={args} label="Arguments" />
            </>
          )}
          {output !== undefined && (
            <>
              <h3>Output</h3>
              <JsonView value={output} label="Output" />
            </>
          )}
          {args === undefined && output === undefined && (
            <p class="muted">
              Arguments and outputs are recorded if <code class="code">eventPayloads</code> is set.
            </p>
          )}
        </>
      )}
    </Loaded>
  );
}
