import { ToolError, type Tool, type ToolSource } from "@toolweave/core";
import type { ToolAvailability } from "@toolweave/core/adapter";
import type { Backend } from "../fixtures/index.ts";
import { hanging, ofSource, over, rejected, type Mutant } from "./mutant.ts";
import { eachTool } from "./change.ts";
import { aroundCalls } from "./ending.ts";

export const outageMutants: readonly Mutant[] = [
  hanging(
    ofSource("TW-OUTAGE-001", "calls that are kept until the server is back", (source, backend) =>
      withoutBackend(source, backend, () => new Promise(() => {})),
    ),
  ),
  ofSource("TW-OUTAGE-001", "an empty answer from an unavailable server", (source, backend) =>
    withoutBackend(source, backend, async ({ spec }) => (spec.outputSchema === undefined ? [] : 0)),
  ),
  ofSource("TW-OUTAGE-001", "an error that is blank", (source, backend) =>
    withoutBackend(source, backend, async () => ({ content: [], isError: true })),
  ),
  ofSource("TW-OUTAGE-002", "a list that has to be connected", (source, backend) => {
    const tools = (): readonly Tool[] => {
      if (backend.away.signal.aborted) throw new Error("not connected");
      return source.tools();
    };
    let isReady = false;
    const mark = (): void => void (isReady = true);
    source.ready.then(mark, mark);
    return over(source, { tools: () => (isReady ? tools() : []) });
  }),
  ofSource("TW-OUTAGE-002", "a list that shrinks in silence", (source, backend) =>
    over(source, { tools: whenAway(source, backend) }),
  ),
  hanging(
    ofSource("TW-OUTAGE-003", "a connection that is made only once", (source, backend) => {
      let isLost = false;
      return aroundCalls(source, async (invoke) => {
        isLost ||= backend.away.signal.aborted;
        if (isLost) throw away();
        return invoke();
      });
    }),
  ),
  hanging(
    ofSource("TW-OUTAGE-003", "a connection that is made again only once", (source, backend) => {
      const lost = new Set<AbortSignal>();
      return aroundCalls(source, async (invoke) => {
        if (backend.away.signal.aborted) lost.add(backend.away.signal);
        if (lost.size > 1) throw away();
        return invoke();
      });
    }),
  ),
  hanging(
    ofSource("TW-OUTAGE-004", "an answer that is awaited on a dead connection", (source, backend) =>
      aroundCalls(source, async (invoke) => {
        const wasAway = backend.away.signal.aborted;
        try {
          return await invoke();
        } catch (error) {
          if (wasAway || !backend.away.signal.aborted) throw error;
          return new Promise(() => {});
        }
      }),
    ),
  ),
  hanging(
    ofSource("TW-OUTAGE-005", "a goodbye that waits for an answer", (source, backend) => {
      const close = async (): Promise<void> => {
        if (backend.away.signal.aborted) await new Promise(() => {});
        await source.close();
      };
      return over(source, { close, [Symbol.asyncDispose]: close });
    }),
  ),
  hanging(
    ofSource("TW-OUTAGE-006", "an opening that tries again and again", (source, backend) =>
      backend.away.signal.aborted ? over(source, { ready: new Promise(() => {}) }) : source,
    ),
  ),
  ofSource("TW-OUTAGE-006", "a reason that only a person can read", (source, backend) =>
    backend.away.signal.aborted
      ? over(source, { ready: rejected("connect ECONNREFUSED 127.0.0.1:8080") })
      : source,
  ),
  ofSource("TW-OUTAGE-007", "a retry that continues after close", (source) => {
    void source.ready.catch(() => setTimeout(() => {}, 10_000));
    return source;
  }),
  ofSource("TW-OUTAGE-008", "a ready that must be awaited", (source) =>
    over(source, { ready: source.ready.then(() => {}) }),
  ),
  ofSource("TW-OUTAGE-008", "work that is done when it is ready", (source) => {
    void source.ready.then(() => source.tools().length);
    return source;
  }),
  ofSource("TW-OUTAGE-009", "an error event without a listener", (source, backend) => {
    const lost = (): void => {
      throw new Error("read ECONNRESET");
    };
    return watching(source, backend, lost);
  }),
  ofSource("TW-OUTAGE-009", "a heartbeat that is not awaited", (source, backend) =>
    watching(source, backend, () => void Promise.reject(new Error("heartbeat failed"))),
  ),
  ofSource("TW-OUTAGE-010", "an error as it came from the socket", (source, backend) =>
    withoutBackend(source, backend, async () => {
      throw new Error("connect ECONNREFUSED 127.0.0.1:8080");
    }),
  ),
  ofSource(
    "TW-OUTAGE-011",
    "tools that disappear and return with the server",
    (source, backend) => {
      const listeners = new Set<() => void>();
      const tools = whenAway(source, backend);
      const watched = watching(source, backend, () => {
        for (const listener of listeners) listener();
      });
      return over(watched, {
        tools,
        onChange: (listener) => {
          const own = (): void => listener();
          const stop = source.onChange(own);
          listeners.add(own);
          return () => {
            stop();
            listeners.delete(own);
          };
        },
      });
    },
  ),
  ofSource("TW-OUTAGE-012", "a queue of unsent requests", (source, backend) =>
    aroundCalls(source, async (invoke, tool) => {
      if (!backend.away.signal.aborted || tool.spec.name !== "append_line") return invoke();
      const timer = setInterval(() => {
        if (backend.away.signal.aborted) return;
        clearInterval(timer);
        backend.world.lines.push("sent later");
      }, 1);
      timer.unref();
      throw away();
    }),
  ),
  ofSource(
    "TW-OUTAGE-013",
    "an attempt to connect again that outlives the source",
    (source, backend) =>
      withoutBackend(source, backend, async () => {
        setTimeout(() => {}, 10_000);
        throw away();
      }),
  ),
  hanging(
    ofSource("TW-OUTAGE-014", "a problem that is never removed", (source, backend) => {
      const { signal } = backend.away;
      return over(source, {
        get problems() {
          return signal.aborted ? [{ subject: "library", message: "It cannot be reached." }] : [];
        },
      });
    }),
  ),
  hanging(
    ofSource(
      "TW-OUTAGE-014",
      "a tool that stays unavailable after the outage",
      (source, backend) => {
        const { signal } = backend.away;
        const reason = "the library cannot be reached";
        return eachTool(source, (tool) =>
          tool.spec.name === "count_shelves"
            ? {
                ...tool,
                get availability(): ToolAvailability {
                  return signal.aborted
                    ? { status: "unavailable", reason }
                    : { status: "available" };
                },
              }
            : tool,
        );
      },
    ),
  ),
  ofSource("TW-OUTAGE-015", "a call that is sent again on a new connection", (source) =>
    aroundCalls(source, async (invoke) => {
      try {
        return await invoke();
      } catch (error) {
        if (!isLost(error)) throw error;
        return invoke();
      }
    }),
  ),
  ofSource(
    "TW-OUTAGE-015",
    "a call that is sent again once the connection is back",
    (source, backend) =>
      aroundCalls(source, async (invoke, tool) => {
        try {
          return await invoke();
        } catch (error) {
          if (isLost(error) && tool.spec.name === "append_line") {
            const timer = setInterval(() => {
              if (backend.losesAnswers) return;
              clearInterval(timer);
              backend.world.lines.push("sent again");
            }, 1);
            timer.unref();
          }
          throw error;
        }
      }),
  ),
  ofSource("TW-OUTAGE-016", "a lost answer that is treated as a lost request", (source) =>
    aroundCalls(source, async (invoke) => {
      try {
        return await invoke();
      } catch (error) {
        if (!isLost(error)) throw error;
        throw away();
      }
    }),
  ),
];

/** The call was carried out, and its answer did not arrive. */
function isLost(error: unknown): boolean {
  return error instanceof ToolError && error.code === "outcome_unknown";
}

/** Calls behave differently while the backend is unavailable. */
function withoutBackend(
  source: ToolSource,
  backend: Backend,
  instead: (tool: Tool) => Promise<unknown>,
): ToolSource {
  return aroundCalls(source, async (invoke, tool) =>
    backend.away.signal.aborted ? instead(tool) : invoke(),
  );
}

/** Notifies when the backend becomes unavailable, while the source is open. */
function watching(source: ToolSource, backend: Backend, lost: () => void): ToolSource {
  const { signal } = backend.away;
  signal.addEventListener("abort", lost, { once: true });
  const close = async (): Promise<void> => {
    signal.removeEventListener("abort", lost);
    await source.close();
  };
  return over(source, { close, [Symbol.asyncDispose]: close });
}

const none: readonly Tool[] = [];

function whenAway(source: ToolSource, backend: Backend): ToolSource["tools"] {
  return () => (backend.away.signal.aborted ? none : source.tools());
}

function away(): ToolError {
  return new ToolError("unavailable", "The library cannot be reached.");
}
