import type { ToolErrorCode, ToolOutcome } from "@toolweave/core";
import { errorCodes } from "@toolweave/core";
import type { Entry, Host } from "./host.ts";
import type { Plan } from "./plan.ts";
import type { Played } from "./play.ts";
import { secret } from "./environment.ts";

const endTypes: ReadonlySet<string> = new Set(["tool.completed", "tool.failed", "tool.suspended"]);
const outTypes: ReadonlySet<string> = new Set(["tool.rejected", "tool.interrupted"]);
/** An end that no middleware turns into an answer. */
const finalCodes: ReadonlySet<ToolErrorCode> = new Set([
  "cancelled",
  "permission_denied",
  "approval_rejected",
  "limit_exceeded",
]);
/** The events that may be emitted for a call after its end. */
const afterwards: ReadonlySet<string> = new Set([
  "tool.late",
  "store.failed",
  "task.input_required",
  "task.completed",
  "task.failed",
  "task.cancelled",
]);

/** The executor's guarantees, whatever happens: returns every violation as text. */
export function brokenInvariants(
  plan: Plan,
  { environment, hosts, inside, timers }: Played,
): readonly string[] {
  const found = [...environment.violations];
  if (environment.clock.isRacing) found.push("a timer follows on a timer without end");
  if (inside.inFlight > 0) found.push(`${inside.inFlight} calls are still in flight`);
  if (inside.places > 0) found.push(`${inside.places} calls still hold, or wait for, a slot`);
  if (timers > 0) found.push(`${timers} timers are left`);
  const goneOn = new Map<string, number>();
  for (const [at, host] of hosts.entries()) {
    const say = (what: string): void => void found.push(`executor ${at}: ${what}`);
    if (host.reservations.size > 0) say(`${host.reservations.size} reservations are open`);
    const elsewhere = hosts.filter((other) => !plan.sharesStore && other !== host);
    ofEvents(plan, host, elsewhere, say);
    ofOutcomes(plan, host, say);
    ofCounters(plan, host, say);
    ofApprovals(plan, host, say);
    for (const entry of host.log) {
      if (entry.type !== "tool.resumed") continue;
      const store = plan.sharesStore ? "both" : `${at}`;
      const claim = `${store} ${entry.interruptionId}`;
      goneOn.set(claim, (goneOn.get(claim) ?? 0) + 1);
    }
    const serialized = [host.log, host.audited].map((list) => JSON.stringify(list)).join();
    if (serialized.includes(secret)) say("an event or the audit holds a secret");
  }
  for (const [claim, times] of goneOn) {
    if (times > 1) found.push(`interruption ${claim} was resumed ${times} times`);
  }
  if (JSON.stringify(environment.interruptions).includes(secret))
    found.push("an interruption tells");
  return found;
}

function groupCalls({ log }: Host): Map<string, Entry[]> {
  const calls = new Map<string, Entry[]>();
  for (const entry of log) {
    const own = calls.get(entry.callId);
    if (own === undefined) calls.set(entry.callId, [entry]);
    else own.push(entry);
  }
  return calls;
}

/** Each call is requested, perhaps started, and ends once; no event of it follows. */
function ofEvents(
  { host: given }: Plan,
  host: Host,
  elsewhere: readonly Host[],
  say: (what: string) => void,
): void {
  // Code that a listener calls runs before the others are notified: events come one after the
  // other.
  const isLateTold = given.listener?.does === "calls";
  for (const [callId, entries] of groupCalls(host)) {
    const story = entries.map(({ type }) => type).join(" ");
    const resumes = host.resumes.get(callId) ?? 0;
    // A call that is made twice, or resumed by two stores, is two calls of one id, which may run
    // together.
    const isOne =
      entries.filter(({ type }) => type === "tool.requested").length < 2 &&
      !elsewhere.some(({ log }) => log.some((entry) => entry.callId === callId));
    let requested = 0;
    let ended = 0;
    let running = 0;
    for (const { type } of entries) {
      if (type === "tool.requested") requested += 1;
      else if (type === "tool.started") running += 1;
      else if (endTypes.has(type)) running -= 1;
      if (endTypes.has(type) || outTypes.has(type)) ended += 1;
      const isEarly = type === "invoked" && isLateTold;
      const isOver = resumes === 0 && ended === requested && !outTypes.has(type) && !isEarly;
      if (isOver && !endTypes.has(type) && !afterwards.has(type)) say(`${callId}: ${story}`);
      const needsIt = ["invoked", "tool.retried", "tool.updated", "tool.progressed"].includes(type);
      if (running < 0 || (isOne && running > 1) || (needsIt && !isEarly && running === 0)) {
        say(`${callId}: ${story}`);
      }
      if (outTypes.has(type) && running > 0 && resumes === 0 && isOne) say(`${callId}: ${story}`);
    }
    // Each start has one end.
    if (ended !== requested + resumes) say(`${callId}, resumed ${resumes} times: ${story}`);
    if (running !== 0) say(`${callId} started and did not end: ${story}`);
  }
}

/** Each outcome belongs to its own call, is bounded, has an event, and contains no secrets. */
function ofOutcomes({ host: given }: Plan, host: Host, say: (what: string) => void): void {
  const counts = new Map<string, number>();
  for (const { type, callId } of host.log) {
    const status = statusTold(type);
    if (status === undefined) continue;
    const key = `${callId} ${status}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  for (const { outcome, callId } of host.got) {
    const isTask = outcome.status === "completed" && outcome.result.taskId !== undefined;
    const key = `${callId} ${isTask ? "task" : outcome.status}`;
    const left = (counts.get(key) ?? 0) - 1;
    counts.set(key, left);
    if (left < 0) say(`${key}, which has no event`);
    if (outcome.status === "interrupted") {
      const { interruption } = outcome;
      if (interruption.call.id !== callId) say(`${callId} was returned as ${interruption.call.id}`);
      const text = JSON.stringify(interruption);
      if (JSON.stringify(JSON.parse(text)) !== text) say(`${callId}: not plain JSON`);
      continue;
    }
    const { result } = outcome;
    const code = host.decided.get(callId);
    if (outcome.status === "completed" && !isTask && code !== undefined && finalCodes.has(code)) {
      say(`${callId} completed although its tool has thrown ${code}`);
    }
    if (result.callId !== callId) say(`${callId} was returned as ${result.callId}`);
    const size = result.content.reduce(
      (sum, block) => sum + (block.type === "text" ? Buffer.byteLength(block.text) : 0),
      0,
    );
    if (size > given.maxOutputBytes) say(`${callId}: ${size} bytes for the model`);
    if (JSON.stringify(result.content).includes(secret))
      say(`${callId} reveals a secret to the model`);
    if (outcome.status !== "failed") continue;
    const failed = read(outcome);
    const { message } = failed;
    if (!Object.hasOwn(errorCodes, failed.code)) say(`${callId} failed with ${failed.code}`);
    if (message.includes(secret)) say(`${callId} reveals a secret: ${message}`);
  }
}

/** A value that only looks like an error may throw when it is read. */
function read({ error }: Extract<ToolOutcome, { status: "failed" }>): {
  code: ToolErrorCode;
  message: string;
} {
  try {
    return { code: error.code, message: String(error.message) };
  } catch {
    return { code: "execution_failed", message: "" };
  }
}

function statusTold(type: string): ToolOutcome["status"] | "task" | undefined {
  if (type === "task.created" || type === "task.working") return "task";
  if (type === "tool.completed") return "completed";
  if (type === "tool.rejected" || type === "tool.failed") return "failed";
  if (type === "tool.interrupted" || type === "tool.suspended") return "interrupted";
  return undefined;
}

/** A run counts its starts, and a suspended call that is resumed there only once. */
function ofCounters({ ops, runs }: Plan, host: Host, say: (what: string) => void): void {
  // A call of a disposed run is resumed in another one with the same id; of two calls with one id
  // it is unknown which is resumed.
  const isMixed = ops.some(
    ({ what }) =>
      what.op === "dispose" ||
      (what.op === "resume" && what.there) ||
      (what.op === "checkAdmission" && what.times > 1),
  );
  for (const [at, run] of host.runs.entries()) {
    if (runs[at]?.limits === undefined || isMixed) continue;
    const own = host.log.filter((entry) => "runId" in entry && entry.runId === run.id);
    const counted = startsCounted(own);
    const calls = run.counters?.calls;
    if (calls !== counted) say(`${run.id} has counted ${calls} calls, not ${counted}`);
    const byTool = [...(run.counters?.byTool.values() ?? [])].reduce(
      (sum, { calls }) => sum + calls,
      0,
    );
    if (byTool !== counted) say(`${run.id} has counted ${byTool} calls by tool, not ${counted}`);
    const most = runs[at]?.limits?.spend ?? Infinity;
    if ((run.counters?.spend ?? 0) > most) say(`${run.id} has spent too much`);
    if (counted === 0 && (run.counters?.spend ?? 0) !== 0) say(`${run.id} has spent on nothing`);
  }
}

function startsCounted(entries: readonly Entry[]): number {
  /**
   * Interruptions, and calls that are resumed after one of them, of which a start is counted
   * already.
   */
  const before = new Set<string>();
  let counted = 0;
  for (const entry of entries) {
    const { callId, type } = entry;
    if (type === "tool.resumed" && before.has(entry.interruptionId)) before.add(callId);
    else if (type === "tool.started" && !before.has(callId)) counted += 1;
    else if (type === "tool.suspended") before.add(entry.interruptionId);
    else if (type === "tool.interrupted" && before.has(callId)) before.add(entry.interruptionId);
    // Not if it is rejected: another caller may have tried to resume it too late.
    if (endTypes.has(type)) before.delete(callId);
  }
  return counted;
}

/** No call that needs a person, or is denied, starts without one. */
function ofApprovals({ host: given, tools }: Plan, host: Host, say: (what: string) => void): void {
  const denied = given.policy.flatMap((layer) =>
    layer.layer === "rules" && layer.effect === "deny" && layer.on === "tool"
      ? [`t${layer.tool}`]
      : [],
  );
  // A function that never allows anything asks about every call.
  const nothingRuns = given.policy.some(
    (layer) =>
      layer.layer === "function" && ["deny", "throws", "garbage", "hangs"].includes(layer.answers),
  );
  const always = tools.flatMap(({ from, asks }, at) =>
    from === "own" && asks === "always" ? [`t${at}`] : [],
  );
  const isSupervised = given.policy.every(({ layer }) => layer === "supervised");
  const names = new Map<string, string>();
  const agreed = new Map<string, number>();
  for (const entry of host.log) {
    if ("tool" in entry) names.set(entry.callId, entry.tool);
    const name = names.get(entry.callId) ?? "";
    if (entry.type === "invoked" && (nothingRuns || denied.includes(name)))
      say(`${name} ran although it is denied`);
    if (!isSupervised || !always.includes(name)) continue;
    if (entry.type === "tool.authorized") {
      if (entry.decision === "allow") say(`${entry.callId} was allowed without a person`);
      agreed.set(entry.callId, (agreed.get(entry.callId) ?? 0) + 1);
    }
    if (entry.type !== "tool.started") continue;
    const left = (agreed.get(entry.callId) ?? 0) - 1;
    agreed.set(entry.callId, left);
    if (left < 0) say(`${entry.callId} started without a person`);
  }
}
