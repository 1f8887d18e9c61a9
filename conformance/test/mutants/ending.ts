import { spawn } from "node:child_process";
import { createServer } from "node:net";
import type { Tool, ToolSource } from "@toolweave/core";
import { hanging, ofSource, over, type Mutant } from "./mutant.ts";

/** Long enough to be detected, short enough not to keep a process alive for long. */
const someTime = 10_000;

/** Runs an additional function when the source is closed. */
function closing(
  source: ToolSource,
  end: () => unknown,
  changes: Partial<ToolSource> = {},
): ToolSource {
  const close = async (): Promise<void> => {
    await end();
    await source.close();
  };
  return over(source, { close, [Symbol.asyncDispose]: close, ...changes });
}

export const endingMutants: readonly Mutant[] = [
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
  hanging(
    ofSource("TW-LIFE-007", "a close that waits for an opening it has stopped", (source) => {
      let settled = false;
      void source.ready.then(
        () => (settled = true),
        () => (settled = true),
      );
      return closing(source, () => (settled ? undefined : new Promise(() => {})));
    }),
  ),
  hanging(
    ofSource("TW-LIFE-007", "an opening that is forgotten", (source) => {
      let closed = false;
      const ready = new Promise<void>((resolve, reject) => {
        source.ready.then(() => {
          if (!closed) resolve();
        }, reject);
      });
      ready.catch(() => {});
      return closing(source, () => (closed = true), { ready });
    }),
  ),
  ofSource("TW-LIFE-008", "a poll that continues", (source) => {
    const timer = setInterval(() => source.tools(), 1000);
    setTimeout(() => clearInterval(timer), someTime).unref();
    return source;
  }),
  ofSource("TW-LIFE-008", "a server for callbacks that is left open", (source) => {
    const server = createServer().listen(0, "127.0.0.1");
    setTimeout(() => server.close(), someTime).unref();
    return source;
  }),
  ofSource("TW-LIFE-008", "a child process that is neither awaited nor ended", (source) => {
    const args = ["-e", `setTimeout(() => {}, ${someTime})`];
    spawn(process.execPath, args, { stdio: "ignore" }).unref();
    return source;
  }),
  ofSource("TW-LIFE-008", "a call that leaves a timer behind", (source) =>
    aroundCalls(source, async (invoke, tool) => {
      if (tool.spec.name === "add") setTimeout(() => {}, someTime);
      return invoke();
    }),
  ),
  ofSource("TW-LIFE-009", "a handler for the end of the process, one per source", listening()),
  ofSource("TW-LIFE-010", "something that is done when it is ready, closed or not", (source) => {
    let closed = false;
    // The result is not awaited.
    void source.ready.then(
      () => {
        if (closed) throw new Error("cannot subscribe: closed");
      },
      () => {},
    );
    return closing(source, () => (closed = true));
  }),
  hanging(
    ofSource("TW-LIFE-011", "calls that are kept until it is open again", (source) => {
      let closed = false;
      const waiting = eachCall(source, () => (closed ? new Promise(() => {}) : undefined));
      return closing(waiting, () => (closed = true));
    }),
  ),
  hanging(
    ofSource("TW-LIFE-012", "a close that waits for slow calls", (source) => {
      const running = new Set<Promise<unknown>>();
      const tracked = aroundCalls(source, (invoke) => {
        const call = invoke();
        running.add(call);
        call.finally(() => running.delete(call)).catch(() => {});
        return call;
      });
      return closing(tracked, () => Promise.allSettled(running));
    }),
  ),
  ofSource("TW-LIFE-014", "a connection that the first close takes from all", sharing()),
  ofSource("TW-LIFE-017", "a disposal that forgets", (source) => {
    const timer = setInterval(() => {}, 1000);
    return closing(source, () => clearInterval(timer), {
      [Symbol.asyncDispose]: () => source.close(),
    });
  }),
];

/** Runs a function before each call; a promise is awaited. */
function eachCall(source: ToolSource, before: () => unknown): ToolSource {
  return aroundCalls(source, async (invoke) => {
    await before();
    return invoke();
  });
}

/** Wraps each call. The same list for the same list. */
export function aroundCalls(
  source: ToolSource,
  around: (invoke: () => Promise<unknown>, tool: Tool) => Promise<unknown>,
): ToolSource {
  let seen: readonly Tool[] | undefined;
  let mapped: readonly Tool[] = [];
  const tools = (): readonly Tool[] => {
    const list = source.tools();
    if (list === seen) return mapped;
    seen = list;
    mapped = list.map((tool) => ({
      ...tool,
      invoke: (args, ctx) =>
        around(async () => tool.invoke(args, ctx), tool) as ReturnType<Tool["invoke"]>,
    }));
    return mapped;
  };
  return over(source, { tools });
}

function listening(): (source: ToolSource) => ToolSource {
  let stop = (): void => {};
  return (source) => {
    // One at a time is enough to be detected.
    stop();
    const flush = (): void => void source.tools();
    process.on("beforeExit", flush);
    stop = () => process.off("beforeExit", flush);
    return source;
  };
}

function sharing(): (source: ToolSource) => ToolSource {
  let connected = false;
  return (source) => {
    connected = true;
    const calling = eachCall(source, () => {
      if (!connected) throw new Error("the connection is closed");
    });
    return closing(calling, () => (connected = false));
  };
}
