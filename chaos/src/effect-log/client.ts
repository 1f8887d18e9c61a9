import { Agent, request } from "node:http";
import type { AgentEvent } from "../history/agent-events.ts";
import type { Effect } from "../history/history.ts";

/** The effect log, as a worker uses it. */
export interface EffectLog {
  /** The time of the log, in milliseconds. */
  now(): Promise<number>;
  /** Records an effect. */
  add(effect: Omit<Effect, "time">): Promise<void>;
  /** Records what an agent does. */
  addEvent(event: AgentEvent): Promise<void>;
}

/** Connects to the effect log that listens on `port` of this machine. */
export function effectLog(port: number): EffectLog {
  const agent = new Agent({ keepAlive: true });
  const send = (method: "GET" | "POST", body?: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const sent = request({ agent, host: "127.0.0.1", port, method, path: "/" }, (response) => {
        let text = "";
        response
          .setEncoding("utf8")
          .on("data", (chunk: string) => (text += chunk))
          .on("error", reject)
          .on("end", () => resolve((JSON.parse(text) as { readonly time: number }).time));
      });
      sent.on("error", reject).end(body);
    });
  return {
    now: () => send("GET"),
    add: async (effect) => void (await send("POST", JSON.stringify(effect))),
    addEvent: async (event) => void (await send("POST", JSON.stringify(event))),
  };
}
