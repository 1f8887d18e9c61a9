import type { CheckResult } from "@toolweave/console";
import { useEffect, useState } from "preact/hooks";
import { requestJson } from "../api/client.ts";
import { ApiError } from "../api/problem.ts";
import { toApiError } from "../api/resource.ts";

const debounceMs = 150;

/** The latest result of a check; while the next one runs, the earlier one stays. */
export interface Check {
  /** The arguments that were checked, as text. */
  readonly json?: string;
  readonly result?: CheckResult;
  readonly error?: ApiError;
}

/** Has the server check arguments a moment after the person has stopped typing. Nothing runs. */
export function useCheck(name: string, json: string | undefined): Check {
  const [check, setCheck] = useState<Check>({});
  useEffect(() => {
    if (json === undefined) return;
    const request = new AbortController();
    const timer = setTimeout(() => {
      requestJson<CheckResult>(`/api/tools/${encodeURIComponent(name)}/check`, {
        method: "POST",
        text: `{"arguments":${json}}`,
        signal: request.signal,
      }).then(
        (result) => setCheck({ json, result }),
        (error: unknown) => {
          if (!request.signal.aborted) setCheck({ error: toApiError(error) });
        },
      );
    }, debounceMs);
    return () => {
      clearTimeout(timer);
      request.abort();
    };
  }, [name, json]);
  return check;
}
