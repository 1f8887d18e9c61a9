import type { Grant, ToolExecutor } from "@toolweave/core";
import { getPage } from "../http/paging.ts";
import { Problem } from "../http/problem.ts";

/** A grant for display: without its seal, and without the definition of the tool. */
export type ListedGrant = Omit<Grant, "seal" | "definition">;

/** A page of grants, oldest first. */
export interface GrantList {
  readonly grants: readonly ListedGrant[];
  /** The `cursor` of the next page. */
  readonly nextCursor?: string;
}

/** Lists the grants, all of them or those of one tool. */
export async function listGrants(
  { grants }: ToolExecutor,
  query: URLSearchParams,
): Promise<GrantList> {
  const all = await grants.list(query.get("tool") ?? undefined);
  const { rows, ...next } = getPage(query, all, ({ grantedAt, id }) => ({ time: grantedAt, id }));
  return { grants: rows.map(toListed), ...next };
}

/** @throws Problem `not_found` */
export async function revokeGrant({ grants }: ToolExecutor, id: string): Promise<void> {
  if (await grants.revoke(id)) return;
  throw new Problem(
    "not_found",
    "There is no grant with this id: it was revoked, or the id is wrong.",
  );
}

/** Converts a grant for display. */
export function toListed(grant: Grant): ListedGrant {
  const { seal: _, definition: __, ...listed } = grant;
  return listed;
}
