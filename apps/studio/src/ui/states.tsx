import type { ComponentChildren } from "preact";
import { ApiError } from "../api/problem.ts";
import type { Resource } from "../api/resource.ts";
import { safeProse } from "../text/safe-text.ts";

/** Nothing to display, and what to do about it. */
export function EmptyState(props: { title: string; children?: ComponentChildren }) {
  return (
    <div class="state">
      <p class="state-title">{props.title}</p>
      {props.children !== undefined && <div class="state-text">{props.children}</div>}
    </div>
  );
}

/** Remedies of errors by their codes. */
const remedies: Readonly<Record<string, string>> = {
  unreachable: "Start it again with `toolweave studio`, then open the new link.",
  insufficient_scope: "Open the link that `toolweave studio` prints: this session may only read.",
  not_found: "It may have been answered or removed. Go back to the list.",
  store_unavailable: "Check that the store is running, then try again.",
  too_many_requests: "Wait for a moment, then try again.",
};

/** An error of a request with what a person can do. */
export function ErrorState({ error, onRetry }: { error: ApiError; onRetry?: () => void }) {
  const remedy = remedies[error.code];
  return (
    <div class="state error-state">
      <p class="state-title">{safeProse(error.message)}</p>
      {remedy !== undefined && <p class="state-text">{remedy}</p>}
      <p class="state-text muted">Code: {safeProse(error.code)}</p>
      {onRetry !== undefined && (
        <button type="button" class="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** A resource of the API: its value, or what it is waiting for. An error is displayed above the earlier value. */
export function Loaded<Value>(props: {
  resource: Resource<Value>;
  children: (value: Value) => ComponentChildren;
}) {
  const { value, error, isLoading } = props.resource.state.value;
  if (error !== undefined) {
    return (
      <>
        <ErrorState error={error} onRetry={() => props.resource.reload()} />
        {value !== undefined && props.children(value)}
      </>
    );
  }
  if (value !== undefined) return <>{props.children(value)}</>;
  return isLoading ? <p class="state muted">Loading…</p> : null;
}
