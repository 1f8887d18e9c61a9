import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { startAgent } from "./start-agent.ts";
import type { CallOutcome } from "./ledger-agent.ts";

/** The number of calls of the run that `ledger-agent.ts` makes. */
export const count = 8;

/** One durable run, which processes drive one after the other. */
export class DurableRun {
  readonly #folder = tempFolder();
  readonly #log = join(this.#folder, "effects.log");
  readonly #received: CallOutcome[] = [];

  /** The effects, in the order in which they happened. */
  get effects(): readonly string[] {
    return existsSync(this.#log) ? readFileSync(this.#log, "utf8").split("\n").slice(0, -1) : [];
  }

  /** The codes that the processes received for a call. */
  readCodes(call: number): readonly string[] {
    return this.#of(call).map(({ code }) => code);
  }

  /**
   * Has a process drive the run from its first call.
   *
   * @param point at which it dies by itself.
   * @param killed when it is killed: so long after the outcome of that call.
   * @returns true when it has made all calls.
   */
  async drive(
    point: string,
    killed?: { readonly call: number; readonly ms: number },
  ): Promise<boolean> {
    const program = new URL("./ledger-agent.ts", import.meta.url);
    const agent = await startAgent(point, join(this.#folder, "runs.db"), this.#log, program);
    let isDone = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let finish: (() => void) | undefined;
    const done = new Promise<void>((resolve) => (finish = resolve));
    agent.listen((message) => {
      if (message === "done") {
        isDone = true;
        return finish?.();
      }
      const received = message as CallOutcome;
      this.#received.push(received);
      if (received.call === killed?.call) timer = setTimeout(() => void agent.kill(), killed.ms);
    });
    agent.tell("drive");
    await Promise.race([agent.gone, done]);
    clearTimeout(timer);
    await agent.kill();
    return isDone;
  }

  /** The effects that happened twice, and the calls with several outcomes, or with one and no effect. */
  get violations(): readonly string[] {
    const { effects } = this;
    const found = effects.filter((effect, at) => effects.indexOf(effect) !== at);
    for (let call = 0; call < count; call++) {
      const known = this.#of(call).filter(({ code }) => code !== "outcome_unknown");
      const outcomes = new Set(known.map(({ outcome }) => outcome));
      if (outcomes.size > 1) found.push(`${outcomes.size} outcomes of ${call}`);
      if (known.length > 0 && !effects.includes(`pay ${call}`)) found.push(`no effect of ${call}`);
    }
    return found;
  }

  /** The number of calls whose outcome was unknown to a process. */
  get unknown(): number {
    const calls = Array.from({ length: count }, (_, call) => this.readCodes(call));
    return calls.filter((codes) => codes.includes("outcome_unknown")).length;
  }

  #of(call: number): readonly CallOutcome[] {
    return this.#received.filter((one) => one.call === call);
  }
}
