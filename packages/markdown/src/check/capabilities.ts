import type { DeclaredAccess, HookArtifact, ToolArtifact } from "../artifact/artifact.ts";
import type { Fields } from "../artifact/fields.ts";
import type { Capability } from "../builtins/builtin.ts";
import { matchesHost } from "../effects/declared-access.ts";
import { findArgument, readText } from "./script-view.ts";
import type { ScriptView } from "./script-view.ts";

/** A part of the world that a script can reach. `cache` is the memory of the run. */
export type Reach = Capability | "cache";

/** The use of a function with an effect. */
interface Effect {
  readonly name: string;
  readonly reach: Reach;
  readonly line: number;
  /** The program or the host, if the script names it. */
  readonly target?: string;
}

/** The effects that the text of a script can have. Names cannot be bound again while it runs, so none is missed. */
function findEffects(view: ScriptView): readonly Effect[] {
  const effects: Effect[] = [];
  const members = new Set<unknown>();
  const add = (module: string, name: string, start: number, target?: string): void => {
    const builtin = view.modules.get(module)?.get(name);
    const reach = module === "cache" ? "cache" : builtin?.capability;
    if (reach === undefined) return;
    const { line } = view.tree.position(start);
    const qualified = module === name ? name : `${module}.${name}`;
    effects.push({ name: qualified, reach, line, ...(target !== undefined && { target }) });
  };
  for (const node of view.walk()) {
    if (node.kind === "call" && node.callee.kind === "dot") {
      const builtin = view.builtin(node.callee);
      const [program, url] = [
        findArgument(node, "cmd", 0),
        findArgument(node, "url", builtin?.name === "request" ? 1 : 0),
      ];
      const target =
        builtin?.capability === "process"
          ? readText(program)
          : builtin?.capability === "network"
            ? readHost(readText(url))
            : undefined;
      if (builtin !== undefined && target !== undefined) {
        add(builtin.module ?? "", builtin.name, node.start, target);
        members.add(node.callee).add(node.callee.object);
      }
    } else if (node.kind === "dot" && node.object.kind === "name") {
      if (members.has(node) || view.globals.has(node.object.name)) continue;
      if (!view.modules.has(node.object.name)) continue;
      members.add(node.object);
      add(node.object.name, node.name, node.start);
    } else if (node.kind === "name" && !members.has(node) && !view.globals.has(node.name)) {
      // A module that is passed on can be used as a whole.
      for (const name of view.modules.get(node.name)?.keys() ?? [])
        add(node.name, name, node.start);
    }
  }
  return effects;
}

/** The host of a URL, if the text has all of it. */
function readHost(url: string | undefined): string | undefined {
  const host = /^https?:\/\/([^/?#]+)[/?#]/.exec(`${url ?? ""}/`)?.[1];
  return host?.replace(/^.*@/, "").replace(/:\d+$/, "");
}

/** The capabilities that a script can use, in order of name. */
export function inferCapabilities(view: ScriptView): readonly Reach[] {
  return [...new Set(findEffects(view).map(({ reach }) => reach))].toSorted();
}

/** Reports claims of a file that are narrower than what its script can do. */
export function checkClaims(
  view: ScriptView,
  artifact: ToolArtifact | HookArtifact,
  fields: Fields,
  isStrict: boolean,
): void {
  const severity = isStrict ? "error" : "warning";
  const effects = findEffects(view);
  const reported = new Set<string>();
  const refuse = (path: readonly string[], effect: Effect, what: string): void => {
    const key = JSON.stringify([path, effect.name, effect.target]);
    if (reported.has(key)) return;
    reported.add(key);
    const at = `${effect.name} (line ${effect.line})`;
    fields.report(path, {
      code: "access_too_narrow",
      severity,
      message: `${path.join(".")} does not allow ${at}${what}: the call will be refused`,
      hint: "Declare the access, or remove the call.",
    });
  };
  for (const effect of effects) checkAccess(artifact.access, effect, refuse);
  if (artifact.kind === "tool") checkAnnotations(artifact, effects, fields, severity);
}

function checkAccess(
  access: DeclaredAccess,
  effect: Effect,
  refuse: (path: readonly string[], effect: Effect, what: string) => void,
): void {
  const { filesystem, network, process } = access;
  const isWrite = effect.reach === "fs.write";
  if ((isWrite || effect.reach === "fs.read") && filesystem !== undefined) {
    if (filesystem === "none" || (filesystem === "read" && isWrite))
      refuse(["access", "filesystem"], effect, "");
  }
  if (effect.reach === "process") {
    if (isClosed(process)) refuse(["access", "process"], effect, "");
    else if (isMissing(process, effect.target, (entry, target) => entry === target))
      refuse(["access", "process"], effect, ` of ${effect.target ?? ""}`);
  }
  if (effect.reach === "network") {
    if (isClosed(network)) refuse(["access", "network"], effect, "");
    else if (isMissing(network, effect.target, matchesHost))
      refuse(["access", "network"], effect, ` to ${effect.target ?? ""}`);
  }
}

function isClosed(declared: boolean | readonly string[] | undefined): boolean {
  return declared === false || (Array.isArray(declared) && declared.length === 0);
}

function isMissing(
  declared: boolean | readonly string[] | undefined,
  target: string | undefined,
  matches: (entry: string, target: string) => boolean,
): boolean {
  if (target === undefined || typeof declared !== "object") return false;
  return !declared.some((entry) => matches(entry, target));
}

const changing: readonly Reach[] = ["process", "fs.write", "delegate", "tools", "meta"];
const destroying = new Set(["fs.remove", "fs.move", "fs.write", "exec.run"]);

function checkAnnotations(
  tool: ToolArtifact,
  effects: readonly Effect[],
  fields: Fields,
  severity: "error" | "warning",
): void {
  const { destructiveHint, openWorldHint, readOnlyHint } = tool.annotations;
  const claim = (hint: string, claimed: boolean, test: (effect: Effect) => boolean): void => {
    const effect = effects.find(test);
    if (effect === undefined) return;
    fields.report(["annotations", hint], {
      code: "annotation_claim",
      severity,
      message: `${hint} is ${claimed}, and the script can call ${effect.name} (line ${effect.line})`,
      hint: "Remove the annotation, or the call.",
    });
  };
  if (readOnlyHint === true)
    claim(
      "readOnlyHint",
      true,
      ({ name, reach }) =>
        changing.includes(reach) || name === "http.post" || name === "http.request",
    );
  if (destructiveHint === false)
    claim("destructiveHint", false, ({ name }) => destroying.has(name));
  if (openWorldHint === false) claim("openWorldHint", false, ({ reach }) => reach === "network");
}
