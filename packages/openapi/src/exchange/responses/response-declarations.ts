import type { JsonObject } from "@toolweave/core";
import type { OperationDetails, ResponseDescription } from "../../document/operation.ts";

/** A document's declaration of an answer, without its content. */
export interface ResponseDeclaration {
  /** In lower case. */
  readonly headers: readonly string[];
  readonly links: ReadonlyMap<string, JsonObject>;
}

const nothing: ResponseDeclaration = { headers: [], links: new Map() };

/**
 * Returns the declaration for each status (OpenAPI 3.2, section 4.16, "Responses Object"): its own response, else that
 * of its class, else the default. Read when the first such answer arrives, and cached.
 */
export function responseDeclarations(
  details: OperationDetails,
): (status: number) => ResponseDeclaration {
  const byStatus = new Map<number, ResponseDeclaration>();
  return (status) => {
    let known = byStatus.get(status);
    if (known === undefined) byStatus.set(status, (known = findDeclaration(details, status)));
    return known;
  };
}

function findDeclaration({ responses }: OperationDetails, status: number): ResponseDeclaration {
  const find = (key: string): ResponseDescription | undefined =>
    responses.find((response) => response.status === key);
  const found = find(`${status}`) ?? find(`${Math.floor(status / 100)}XX`) ?? find("default");
  return found === undefined
    ? nothing
    : { headers: found.headers ?? [], links: found.links ?? nothing.links };
}
