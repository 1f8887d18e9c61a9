import type { RunInfo } from "../contract/call-info.ts";
import type { ToolSpec } from "../contract/tool-spec.ts";
import { toolDefinition } from "./definition.ts";
import type { Grant, GrantChoice, GrantProposal } from "../contract/grant.ts";

/** Characters that are kept with every grant. */
const maxDefinitionLength = 20_000;

/** The grant that a person has made of a proposal: what was shown, and no more unless they said so. */
export function newGrant(
  { argumentsHash, ...proposal }: GrantProposal,
  choice: GrantChoice,
  run: Pick<RunInfo, "id" | "sessionId">,
  by: string | undefined,
  now: number,
  spec: ToolSpec,
): Grant {
  const { scope, widened } =
    typeof choice === "string"
      ? { scope: choice, widened: false }
      : { scope: choice.scope, widened: choice.arguments === "any" };
  const definition = toolDefinition(spec);
  return {
    id: crypto.randomUUID(),
    scope,
    ...proposal,
    ...(widened || argumentsHash === undefined ? {} : { argumentsHash }),
    ...(scope === "session" ? { session: run.sessionId ?? run.id } : {}),
    ...(by === undefined ? {} : { by }),
    grantedAt: now,
    ...(JSON.stringify(definition).length > maxDefinitionLength ? {} : { definition }),
  };
}

/** True for a choice that a person can make; what comes from outside may be anything. */
export function isGrantChoice(choice: unknown): choice is GrantChoice {
  if (isScope(choice)) return true;
  if (typeof choice !== "object" || choice === null) return false;
  const { scope, arguments: args } = choice as { scope?: unknown; arguments?: unknown };
  return isScope(scope) && args === "any";
}

function isScope(scope: unknown): scope is "session" | "always" {
  return scope === "session" || scope === "always";
}
