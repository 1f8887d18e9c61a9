import { baseStem } from "./words.ts";

/** The kind of action of a tool, or of the one that a query asks for. */
export type Action = "read" | "create" | "update" | "delete";

const verbs: Readonly<Record<Action, string>> = {
  read: "get retrieve fetch read show view display see list enumerate search find lookup check download who what which how",
  create: "create add make insert new post open start register upload",
  update: "update edit change modify patch set rename replace",
  delete: "delete remove destroy erase purge clear drop revoke cancel stop take",
};

const actions: ReadonlyMap<string, Action> = new Map(
  (Object.keys(verbs) as Action[]).flatMap((action) =>
    verbs[action].split(" ").map((verb) => [baseStem(verb), action] as const),
  ),
);

/** The action of the first of these stems that names one. */
export function toAction(stems: readonly string[]): Action | undefined {
  return stems.map((stem) => actions.get(stem)).find((action) => action !== undefined);
}

const otherAction = 0.8;
const unaskedDelete = 0.85;

/**
 * The factor for the score of a tool: lower, if it does something else than the query asks for, or deletes and the query
 * names no action.
 */
export function actionFactor(asked: Action | undefined, action: Action | undefined): number {
  if (action === undefined || action === asked) return 1;
  if (asked !== undefined) return otherAction;
  return action === "delete" ? unaskedDelete : 1;
}
