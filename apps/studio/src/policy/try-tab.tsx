import type { TryResult } from "@toolweave/console";
import { useState } from "preact/hooks";
import { requestJson } from "../api/client.ts";
import type { ApiError } from "../api/problem.ts";
import { toApiError } from "../api/resource.ts";
import { Link } from "../navigation/link.tsx";
import { toPath } from "../navigation/routes.ts";
import { formatCount } from "../text/format.ts";
import { safeLine, safeProse } from "../text/safe-text.ts";
import { Badge, type Tone } from "../ui/badge.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { EmptyState, ErrorState } from "../ui/states.tsx";
import { VirtualList } from "../ui/virtual-list.tsx";

const example = '{ "tools": ["*delete*"], "effect": "deny", "reason": "Nothing is deleted." }';
const tones: Readonly<Record<string, Tone>> = { allow: "good", ask: "warning", deny: "bad" };

/** Tries a rule over all tools: what would change. The rule is not stored. */
export function TryTab() {
  const [text, setText] = useState(example);
  const [state, setState] = useState<{ result?: TryResult; error?: ApiError; isLoading?: true }>(
    {},
  );
  const tryRule = async (): Promise<void> => {
    setState({ isLoading: true });
    try {
      JSON.parse(text);
      setState({
        result: await requestJson<TryResult>("/api/policy/try", {
          method: "POST",
          text: `{"rule":${text}}`,
        }),
      });
    } catch (error) {
      setState({ error: toApiError(error) });
    }
  };
  const { result, error, isLoading } = state;
  return (
    <div class="form-and-result">
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void tryRule();
        }}
      >
        <label>
          <span class="field-label">
            A rule as in <code class="code">toolweave.json</code>
          </span>
          <textarea
            class="editor"
            rows={8}
            spellcheck={false}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <div class="actions">
          <button type="submit" class="button primary" disabled={isLoading === true}>
            Try it
          </button>
          <CopyButton text={() => text} label="Copy the rule" />
        </div>
        <p class="muted">The configuration is not changed: add the rule to the file yourself.</p>
      </form>
      <div aria-live="polite">
        {error !== undefined && <ErrorState error={error} />}
        {result?.problems.map((problem) => (
          <p key={problem} class="notice bad">
            {safeProse(problem)}
          </p>
        ))}
        {result !== undefined && result.problems.length === 0 && <Changes result={result} />}
        {result === undefined && error === undefined && (
          <EmptyState title="What would a rule change?">
            <p>Every tool is decided with and without the rule; the differences are listed here.</p>
          </EmptyState>
        )}
      </div>
    </div>
  );
}

function Changes({ result: { changes, unchanged } }: { result: TryResult }) {
  return (
    <>
      <h2>
        {formatCount(changes.length, "tool")} would change, {formatCount(unchanged, "tool")} would
        not
      </h2>
      {changes.length > 0 && (
        <div class="try-list">
          <VirtualList
            items={changes}
            rowHeight={40}
            label="Tools that would change"
            getKey={({ tool, permission }) => `${tool} ${permission ?? ""}`}
            renderRow={(change, focus) => (
              <Link {...focus} href={toPath("tools", change.tool)} class="row-link try-row">
                <span class="tool-name">{safeLine(change.tool)}</span>
                <span>
                  <Badge tone={tones[change.before] ?? "neutral"}>{safeLine(change.before)}</Badge>{" "}
                  → <Badge tone={tones[change.after] ?? "neutral"}>{safeLine(change.after)}</Badge>
                </span>
              </Link>
            )}
          />
        </div>
      )}
    </>
  );
}
