import type { Awaitable } from "@toolweave/core";
import type { ElicitationAnswer, ElicitationRequest } from "../server-requests/elicitation.ts";
import type { LiveCall } from "../server-requests/active-calls.ts";
import type { LogMessage } from "../server-requests/log-message.ts";
import type { Root } from "../server-requests/roots.ts";
import type { SamplingAnswer, SamplingRequest } from "../server-requests/sampling.ts";

/** What the host answers when a server asks something while it works. */
export interface AskOptions {
  /**
   * Puts a server's question to a person, at once. Absent: the call is interrupted and waits for the answer; on a
   * connection of the older protocol, where it cannot wait, the question is declined. What it throws is told to no
   * server, which hears `cancel`. Forms that ask for secrets, and pages that are not https, are put to nobody.
   */
  readonly onElicitation?: (
    request: ElicitationRequest,
    call: LiveCall,
  ) => Awaitable<ElicitationAnswer>;
  /**
   * Lets a server ask the host's model. Throw to refuse; the server hears no more than that. Absent: servers are told
   * that there is none.
   */
  readonly onSampling?: (request: SamplingRequest, call: LiveCall) => Awaitable<SamplingAnswer>;
  /**
   * Servers may give the model tools of their own, which they run themselves: `onSampling` gets `tools` and `toolChoice`.
   * Default: false; a request with tools is refused.
   */
  readonly samplingTools?: boolean;
  /**
   * The folders that a server may work in. A function is asked each time, with the call if it is about one;
   * `source.rootsChanged()` tells servers to ask again. Absent: servers are told that there are none.
   */
  readonly roots?: readonly Root[] | ((call: LiveCall | undefined) => Awaitable<readonly Root[]>);
  /**
   * Hears what a server writes to its log, from `debug` on, and the call that it is about where that can be told. Absent:
   * servers are not asked for a log; what one writes during a call is the call's progress, from `info` on.
   */
  readonly onLog?: (message: LogMessage, call: LiveCall | undefined) => void;
}
