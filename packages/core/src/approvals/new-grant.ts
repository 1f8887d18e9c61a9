import type { RunInfo } from "../contract/call-info.ts";
import type { ToolSpec } from "../contract/tool-spec.ts";
import { toolDefinition } from "./definition.ts";
import type { Grant, GrantChoice, GrantProposal } from "../contract/grant.ts";

/** Maximum characters of a definition that is stored with a grant. */
const maxDefinitionLength = 20_000;

/** Creates the grant that a person has given for a proposal: as displayed, and wider only if the person chose so. */
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

/** True for a valid choice of a grant. A value from outside may be anything. */
export function isGrantChoice(choice: unknown): choice is GrantChoice {
  if (isScope(choice)) return true;
  if (typeof choice !== "object" || choice === null) return false;
  const { scope, arguments: args } = choice as { scope?: unknown; arguments?: unknown };
  return isScope(scope) && args === "any";
}

function isScope(scope: unknown): scope is "session" | "always" {
  return scope === "session" || scope === "always";
}
