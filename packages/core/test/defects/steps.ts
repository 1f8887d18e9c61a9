import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { parseAst } from "rolldown/parseAst";

/**
 * Loaded before a program, with `--import`: puts a step before each statement of the executor's functions, which
 * `throwAt` lets throw.
 */
interface Steps {
  /** Called by each statement. */
  step(place: number): void;
  /** Places by number: `executor/execute.ts:10`. */
  readonly places: string[];
  /** The places that were reached since this was set; undefined: they are not recorded. */
  reached: Set<number> | undefined;
  /** The place that throws, once. */
  throwAt: number | undefined;
}

declare global {
  var steps: Steps;
}

globalThis.steps = {
  places: [],
  reached: undefined,
  throwAt: undefined,
  step(place) {
    this.reached?.add(place);
    if (this.throwAt !== place) return;
    this.throwAt = undefined;
    throw new Error(`defect at ${this.places[place]}`);
  },
};

const instrumented = /\/packages\/core\/src\/((?:executor|tasks|approvals|limits|ledger)\/.*\.ts)$/;
/** Functions that end a call when everything else has failed: if they throw as well, nothing is left to try. */
const lastResort: ReadonlySet<string> = new Set(["abandonCall", "endOrAbandon", "observed"]);

registerHooks({
  load(url, context, next) {
    const file = instrumented.exec(url)?.[1];
    if (file === undefined) return next(url, context);
    const source = insertSteps(file, readFileSync(fileURLToPath(url), "utf8"));
    return { format: "module-typescript", source, shortCircuit: true };
  },
});

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

function insertSteps(file: string, source: string): string {
  const starts: number[] = [];
  collect(parseAst(source, { lang: "ts" }) as unknown as Node, starts);
  let text = "";
  let from = 0;
  for (const start of starts.sort((a, b) => a - b)) {
    const place = globalThis.steps.places.length;
    const line = source.slice(0, start).split("\n").length;
    globalThis.steps.places.push(`${file}:${line}`);
    text += `${source.slice(from, start)}globalThis.steps.step(${place});`;
    from = start;
  }
  return text + source.slice(from);
}

function collect(node: Node, starts: number[]): void {
  const name = (node["id"] ?? node["key"]) as { name?: string } | null | undefined;
  if (lastResort.has(name?.name ?? "")) return;
  if (node.type === "BlockStatement") {
    for (const statement of node["body"] as Node[]) {
      if (mayThrow(statement)) starts.push(statement.start);
    }
  }
  for (const child of children(node)) collect(child, starts);
}

/**
 * Returns true for a statement that calls something by itself. To set a field or to enter a `try` cannot throw, nor can
 * a type guard or a method of a map or a list.
 */
function mayThrow(node: Node): boolean {
  if (/^(?:Block|Try)Statement$|Function|Class|^TS/.test(node.type)) return false;
  if (/^(?:Await|Yield|New|TaggedTemplate)Expression$|^ThrowStatement$/.test(node.type))
    return true;
  if (node.type === "CallExpression" && !harmless.test(readName(node["callee"] as Node)))
    return true;
  return children(node).some(mayThrow);
}

const harmless =
  /^(?:is[A-Z]\w*|get|set|has|add|delete|push|pop|shift|at|includes|indexOf|splice|keys|values|entries|(?:add|remove)EventListener|settle|resolve|stop|abandon)$/;

/** The name of a function that is called, without the object of which it is a method. */
function readName(callee: Node): string {
  const named = (callee["property"] ?? callee) as { name?: string };
  return named.name ?? "";
}

function children(node: Node): readonly Node[] {
  return Object.values(node)
    .flat()
    .filter(
      (value): value is Node => typeof value === "object" && value !== null && "type" in value,
    );
}
