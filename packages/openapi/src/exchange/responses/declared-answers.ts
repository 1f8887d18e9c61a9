import type { JsonObject } from "@toolweave/core";
import type { OperationDetails, ResponseDescription } from "../../document/operation.ts";

/** What a document declares of an answer, beside its content. */
export interface DeclaredAnswer {
  /** In lower case. */
  readonly headers: readonly string[];
  readonly links: ReadonlyMap<string, JsonObject>;
}

const nothing: DeclaredAnswer = { headers: [], links: new Map() };

/**
 * What is declared for each status (OpenAPI 3.2, section 4.16, "Responses Object"): its own response, else that of its
 * class, else the default. Read when such an answer comes, and kept.
 */
export function declaredAnswers(details: OperationDetails): (status: number) => DeclaredAnswer {
  const byStatus = new Map<number, DeclaredAnswer>();
  return (status) => {
    let known = byStatus.get(status);
    if (known === undefined) byStatus.set(status, (known = declaredAnswer(details, status)));
    return known;
  };
}

function declaredAnswer({ responses }: OperationDetails, status: number): DeclaredAnswer {
  const find = (key: string): ResponseDescription | undefined =>
    responses.find((response) => response.status === key);
  const found = find(`${status}`) ?? find(`${Math.floor(status / 100)}XX`) ?? find("default");
  return found === undefined
    ? nothing
    : { headers: found.headers ?? [], links: found.links ?? nothing.links };
}
