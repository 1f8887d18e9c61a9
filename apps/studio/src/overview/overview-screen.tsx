import type { Approval, ApprovalList, RunRow, Status } from "@toolweave/console";
import type { Page } from "../api/paged-resource.ts";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { onEvents } from "../api/event-stream.ts";
import { status } from "../api/live.ts";
import { useResource } from "../api/resource.ts";
import { Link } from "../navigation/link.tsx";
import { toPath } from "../navigation/routes.ts";
import { formatCount } from "../text/format.ts";
import { safeLine, safeProse } from "../text/safe-text.ts";
import { Badge } from "../ui/badge.tsx";
import { RunLink } from "../ui/run-link.tsx";
import { ScreenHeader } from "../ui/screen-header.tsx";
import { Loaded } from "../ui/states.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { SourceTable } from "./source-table.tsx";

/** The calls that wait, the runs that have failed, and the sources. */
export function OverviewScreen() {
  return (
    <Loaded resource={status}>
      {(value) => (
        <>
          <ScreenHeader
            title="Overview"
            detail={`Toolweave ${safeLine(value.version)} · ${describePolicies(value.policy.layers)}`}
          />
          <Figures value={value} />
          {value.policy.warnings.map(({ message, place }) => (
            <p key={message} class="notice warning">
              {safeProse(message)}
              {place === undefined ? "" : ` (${safeLine(place)})`}{" "}
              <Link href="/policy">Open the policy</Link>
            </p>
          ))}
          <div class="columns">
            <Waiting />
            <Failed />
          </div>
          <Panel title="Sources" href="/sources" link="All sources">
            <SourceTable sources={value.sources.slice(0, 12)} />
          </Panel>
        </>
      )}
    </Loaded>
  );
}

function describePolicies(layers: readonly string[]): string {
  if (layers.length === 0) return "no policy";
  return layers.length === 1 ? "one policy" : `policies: ${safeProse(layers.join(", "))}`;
}

function Figures({ value }: { value: Status }) {
  const failed = value.sources.filter(({ state }) => state === "failed").length;
  return (
    <ul class="figures">
      <Figure
        href="/approvals"
        count={value.waiting}
        text={value.waiting === 1 ? "call waits" : "calls wait"}
        tone={value.waiting > 0 ? "warning" : ""}
      />
      <Figure href="/tools" count={value.tools.total} text="tools" />
      <Figure
        href="/sources"
        count={value.sources.length}
        text={failed === 0 ? "sources" : `sources, ${failed} failed`}
        tone={failed > 0 ? "failing" : ""}
      />
      <Figure
        href="/problems"
        count={value.problems}
        text={value.problems === 1 ? "problem" : "problems"}
        tone={value.problems > 0 ? "bad" : ""}
      />
    </ul>
  );
}

function Figure(props: { href: string; count: number; text: string; tone?: string }) {
  return (
    <li>
      <Link href={props.href} class={`figure ${props.tone ?? ""}`}>
        <span class="figure-count">{props.count.toLocaleString("en")}</span>
        <span class="figure-text">{props.text}</span>
      </Link>
    </li>
  );
}

function Panel(props: { title: string; href: string; link: string; children: ComponentChildren }) {
  return (
    <section class="card">
      <div class="section-heading">
        <h2>{props.title}</h2>
        <Link href={props.href}>{props.link}</Link>
      </div>
      {props.children}
    </section>
  );
}

function Waiting() {
  const waiting = status.state.value.value?.waiting;
  const resource = useResource<ApprovalList>("/api/approvals?limit=5");
  useEffect(() => resource.reload(), [waiting]);
  return (
    <Panel title="Waiting for you" href="/approvals" link="All approvals">
      <Loaded resource={resource}>
        {({ approvals }) =>
          approvals.length === 0 ? (
            <p class="muted">Nothing waits.</p>
          ) : (
            <ul class="rows">
              {approvals.map(({ id, call, requester, expiresAt }) => (
                <li key={id}>
                  <Link href={toPath("approvals", id)} class="mono">
                    {safeLine(call?.name ?? id)}
                  </Link>
                  {requester !== undefined && <span>{describeRequester(requester)}</span>}
                  <span class="muted">
                    expires <RelativeTime time={expiresAt} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}

function describeRequester({ id, agent }: NonNullable<Approval["requester"]>): string {
  return agent === undefined ? `for ${safeLine(id)}` : `${safeLine(agent)} for ${safeLine(id)}`;
}

function Failed() {
  const resource = useResource<Page<RunRow>>("/api/runs?failed=true&limit=5");
  useEffect(
    () =>
      onEvents((events) => {
        if (events.some(({ type }) => type === "tool.failed" || type === "tool.rejected")) {
          resource.reload();
        }
      }),
    [resource],
  );
  return (
    <Panel title="Latest failures" href="/runs?failed=true" link="All failed runs">
      <Loaded resource={resource}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="muted">No run has failed.</p>
          ) : (
            <ul class="rows">
              {items.map((run) => (
                <li key={run.runId}>
                  <RunLink run={run} />
                  <Badge tone="bad">
                    {run.failed} of {formatCount(run.calls, "call")}
                  </Badge>
                  <span class="muted">
                    <RelativeTime time={run.startedAt} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}
