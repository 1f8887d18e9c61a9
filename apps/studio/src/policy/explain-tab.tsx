import type { ExplanationView as Explanation } from "@toolweave/console";
import { useEffect, useState } from "preact/hooks";
import { requestJson } from "../api/client.ts";
import { toolList } from "../api/live.ts";
import type { ApiError } from "../api/problem.ts";
import { toApiError } from "../api/resource.ts";
import { queryValue, setQuery } from "../navigation/location.ts";
import { ExplanationView } from "../results/explanation-view.tsx";
import { safeProse } from "../text/safe-text.ts";
import { EmptyState, ErrorState } from "../ui/states.tsx";

const debounceMs = 250;

/** Explains the decision on any call as the person types it. Nothing runs. */
export function ExplainTab() {
  const [name, setName] = useState(() => queryValue("tool"));
  const [text, setText] = useState("{}");
  const [caller, setCaller] = useState("");
  const [state, setState] = useState<{ explanation?: Explanation; error?: ApiError }>({});
  const problem = jsonProblem(text);
  useEffect(() => {
    if (name.trim() === "" || problem !== undefined) return;
    const request = new AbortController();
    const timer = setTimeout(() => {
      setQuery({ tool: name });
      const callerText = caller === "" ? "" : `,"caller":${JSON.stringify({ id: caller })}`;
      requestJson<Explanation>("/api/policy/explain", {
        method: "POST",
        text: `{"name":${JSON.stringify(name.trim())},"arguments":${text}${callerText}}`,
        signal: request.signal,
      }).then(
        (explanation) => setState({ explanation }),
        (error: unknown) => {
          if (!request.signal.aborted) setState({ error: toApiError(error) });
        },
      );
    }, debounceMs);
    return () => {
      clearTimeout(timer);
      request.abort();
    };
  }, [name, text, caller, problem]);
  // A list of suggestions of all tools would be thousands of elements.
  const tools = toolList.state.value.value?.items ?? [];
  const matches = tools.filter((tool) => tool.name.includes(name)).slice(0, 20);
  return (
    <div class="form-and-result">
      <div class="stack">
        <label>
          <span class="field-label">Tool</span>
          <input
            class="input wide mono"
            list="policy-tools"
            data-search
            spellcheck={false}
            value={name}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </label>
        <datalist id="policy-tools">
          {matches.map((tool) => (
            <option key={tool.name} value={tool.name} />
          ))}
        </datalist>
        <label>
          <span class="field-label">Arguments</span>
          <textarea
            class="editor"
            rows={8}
            spellcheck={false}
            aria-invalid={problem !== undefined}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        {problem !== undefined && <p class="problem-text">{safeProse(problem)}</p>}
        <label>
          <span class="field-label">Caller (optional)</span>
          <input
            class="input wide"
            value={caller}
            onInput={({ currentTarget }) => setCaller(currentTarget.value)}
          />
        </label>
      </div>
      <div aria-live="polite">
        {state.error !== undefined && <ErrorState error={state.error} />}
        {state.explanation !== undefined && <ExplanationView explanation={state.explanation} />}
        {state.error === undefined && state.explanation === undefined && (
          <EmptyState title="Choose a tool">
            <p>The decision, its rule and the reason appear here as you type.</p>
          </EmptyState>
        )}
      </div>
    </div>
  );
}

function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : "This is no JSON.";
  }
}
