import { type Tool } from "@toolweave/core";
import { hanging, ofSource, ofTools, over, rejected, type Mutant } from "../mutant.ts";

export const lifecycleMutants: readonly Mutant[] = [
  ofSource("TW-LIFE-001", "a source that cannot be loaded", (source) =>
    over(source, { ready: rejected("no such file") }),
  ),
  hanging(
    ofSource("TW-LIFE-001", "a source that never gets ready", (source) =>
      over(source, { ready: new Promise(() => {}) }),
    ),
  ),
  ofTools("TW-LIFE-001", "an adapter that finds nothing", () => []),
  ofSource("TW-LIFE-002", "a getter that connects again", (source) => {
    let connected = false;
    return over(source, {
      get ready() {
        if (connected) return rejected("already connected");
        connected = true;
        return source.ready;
      },
    });
  }),
  ofSource("TW-LIFE-003", "a second close that throws", (source) => {
    let closed = false;
    const close = async (): Promise<void> => {
      if (closed) throw new Error("not open");
      closed = true;
    };
    return over(source, { close, [Symbol.asyncDispose]: close });
  }),
  hanging(
    ofSource("TW-LIFE-003", "a second close that waits forever", (source) => {
      let closed = false;
      const close = (): Promise<void> => {
        if (closed) return new Promise(() => {});
        closed = true;
        return Promise.resolve();
      };
      return over(source, { close, [Symbol.asyncDispose]: close });
    }),
  ),
  ofSource("TW-LIFE-004", "a list that is filled in place", (source) => {
    const list: Tool[] = [];
    const ready = source.ready.then(() => void list.push(...source.tools()));
    return over(source, { ready, tools: () => list });
  }),
];
