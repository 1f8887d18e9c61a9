import type { ErrorObject } from "ajv";
import { isObject, type JsonSchema } from "../json/json.ts";
import { childPointer, resolvePointer } from "../json/json-pointer.ts";
import { readBranch, type UnionBranch } from "./union-branch.ts";

/** With more errors than this, their branches are not determined: no reader needs them. */
const maxErrors = 2000;
const maxUnions = 20;
const maxBranches = 200;
const maxLabels = 10;

/**
 * Removes the errors of branches of `anyOf` and `oneOf` that were not meant. If branches have constants, as `type:
 * "circle"`, the value selects them; if no branch has its constant, one error lists all constants. Of the remaining
 * branches, the one that the value matches best keeps its errors, and the error of the union names it.
 *
 * @param errors with `parentSchema`, as Ajv's option `verbose` has them.
 */
export function ofChosenBranches(
  errors: readonly ErrorObject[],
  root: JsonSchema,
  value: unknown,
): readonly ErrorObject[] {
  if (errors.length > maxErrors) return errors;
  let left = errors;
  let unions = 0;
  for (const error of errors) {
    const { keyword } = error;
    if ((keyword !== "oneOf" && keyword !== "anyOf") || unions++ >= maxUnions) continue;
    if (left.includes(error)) left = withoutOthers(left, error, root, value);
  }
  return left;
}

function withoutOthers(
  errors: readonly ErrorObject[],
  union: ErrorObject,
  root: JsonSchema,
  value: unknown,
): readonly ErrorObject[] {
  const { instancePath, keyword, params, parentSchema } = union;
  const list: unknown = parentSchema?.[keyword];
  if (!Array.isArray(list) || list.length < 2 || list.length > maxBranches) return errors;
  const branches = list.map((branch) => readBranch(branch, root));
  const passing: unknown = params["passingSchemas"];
  if (Array.isArray(passing)) {
    const labels = passing.map((index) => getLabel(branches, index as number));
    const message = `must have exactly one of the allowed shapes, and has several: ${labels.join(", ")}`;
    const others = errors.filter(
      (error) => error === union || !isOfOthers(error, union, branches, []),
    );
    return replaced(others, union, { ...union, keyword: "shapes", message });
  }
  const given = resolvePointer(value, instancePath);
  const chosen = branches.filter((branch) => branch.selects(given));
  if (chosen.length === 0) return withoutConstants(errors, union, branches);
  const closest = findClosest(chosen, union, errors, given);
  const kept = closest === undefined ? chosen : [closest];
  const left = errors.filter(
    (error) => error === union || !isOfOthers(error, union, branches, kept),
  );
  const [only, another] = chosen;
  const isSelected = branches.length > chosen.length && another === undefined;
  if (isSelected && only !== undefined) {
    return left.filter((error) => error !== union || left.length === 1);
  }
  if (branches.every(({ label }) => label === undefined)) return left;
  const labels = branches
    .map((branch, index) => `${getLabel(branches, index)}${branch === closest ? " (closest)" : ""}`)
    .slice(0, maxLabels);
  const more = branches.length > labels.length ? ", …" : "";
  const message = `must have one of the allowed shapes: ${labels.join(", ")}${more}`;
  return replaced(left, union, { ...union, keyword: "shapes", message });
}

function getLabel(branches: readonly UnionBranch[], index: number): string {
  return branches[index]?.label ?? `shape ${index + 1}`;
}

/** One error that lists the constants of all branches, where they have them in one property. */
function withoutConstants(
  errors: readonly ErrorObject[],
  union: ErrorObject,
  branches: readonly UnionBranch[],
): readonly ErrorObject[] {
  const { instancePath } = union;
  const [first] = branches;
  const name = [...(first?.constants.keys() ?? [])].find((one) =>
    branches.every(({ constants }) => constants.has(one)),
  );
  if (name === undefined) return errors;
  const left = errors.filter((error) => error === union || !isOfOthers(error, union, branches, []));
  const allowedValues = [
    ...new Set(branches.flatMap(({ constants }) => [...(constants.get(name) ?? [])])),
  ];
  const path = childPointer(instancePath, name);
  const all = { ...union, keyword: "enum", instancePath: path, params: { allowedValues } };
  return replaced(left, union, all);
}

function replaced(
  errors: readonly ErrorObject[],
  before: ErrorObject,
  after: ErrorObject,
): readonly ErrorObject[] {
  return errors.map((error) => (error === before ? after : error));
}

/** True for an error of a branch that is not among `kept`. */
function isOfOthers(
  { instancePath, parentSchema }: ErrorObject,
  union: ErrorObject,
  branches: readonly UnionBranch[],
  kept: readonly UnionBranch[],
): boolean {
  if (parentSchema === undefined || !isWithin(instancePath, union.instancePath)) return false;
  const inside = instancePath.slice(union.instancePath.length);
  const isFrom = (branch: UnionBranch): boolean => branch.schemasAt(inside).has(parentSchema);
  return branches.some((branch) => !kept.includes(branch) && isFrom(branch)) && !kept.some(isFrom);
}

/** The weight of an error is the degree to which it indicates that another shape was meant. */
const weights: Readonly<Record<string, number>> = { type: 1000, enum: 20, const: 20 };

/** The branch of which least is wrong; undefined where that is several. */
function findClosest(
  branches: readonly UnionBranch[],
  { instancePath }: ErrorObject,
  errors: readonly ErrorObject[],
  given: unknown,
): UnionBranch | undefined {
  const names = isObject(given) ? Object.keys(given) : [];
  const scores = branches.map((branch) => {
    let score = 0;
    for (const error of errors) {
      const { parentSchema, keyword } = error;
      if (parentSchema === undefined || !isWithin(error.instancePath, instancePath)) continue;
      const inside = error.instancePath.slice(instancePath.length);
      if (!branch.schemasAt(inside).has(parentSchema)) continue;
      score += inside === "" ? (weights[keyword] ?? 2) : 2;
    }
    return score - names.filter((name) => branch.properties.has(name)).length;
  });
  const least = Math.min(...scores);
  const best = branches.filter((_, index) => scores[index] === least);
  return best.length === 1 ? best[0] : undefined;
}

function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}/`);
}
