import type { ExplanationView as Explanation, ToolDetails } from "@toolweave/console";
import { useEffect, useState } from "preact/hooks";
import { requestJson } from "../api/client.ts";
import type { ApiError } from "../api/problem.ts";
import { toApiError } from "../api/resource.ts";
import { ExplanationView } from "../results/explanation-view.tsx";
import { ErrorState } from "../ui/states.tsx";
import { getForm } from "./drafts.ts";

/** Explains the decision on a call with the arguments of the draft. */
export function PolicyTab({ tool }: { tool: ToolDetails }) {
  const { name } = tool.spec;
  const draft = getForm(tool).json;
  const json = draft ?? "{}";
  const [state, setState] = useState<{ explanation?: Explanation; error?: ApiError }>({});
  useEffect(() => {
    const request = new AbortController();
    requestJson<Explanation>("/api/policy/explain", {
      method: "POST",
      text: `{"name":${JSON.stringify(name)},"arguments":${json}}`,
      signal: request.signal,
    }).then(
      (explanation) => setState({ explanation }),
      (error: unknown) => {
        if (!request.signal.aborted) setState({ error: toApiError(error) });
      },
    );
    return () => request.abort();
  }, [name, json]);
  const { explanation, error } = state;
  return (
    <>
      <p class="muted">
        The decision on a call with the arguments in the tab Call
        {draft === undefined ? ", which are no JSON yet: without arguments" : ""}. Nothing runs.
      </p>
      {error !== undefined && <ErrorState error={error} />}
      {explanation !== undefined && <ExplanationView explanation={explanation} />}
    </>
  );
}
