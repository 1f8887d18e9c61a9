import type { Tool, ToolSource } from "@toolweave/core";
import { hanging, ofSource, over, spare, type Mutant } from "./mutant.ts";
import { aroundCalls } from "./ending.ts";

export const changeMutants: readonly Mutant[] = [
  hanging(
    ofSource("TW-CHANGE-001", "a list that changes in silence", (source) =>
      over(source, { onChange: () => () => {} }),
    ),
  ),
  ofSource("TW-CHANGE-002", "a list that is changed in place", (source) => {
    let list: Tool[] = [];
    const ready = source.ready.then(() => void (list = [...source.tools()]));
    ready.catch(() => {});
    source.onChange(() => list.splice(0, list.length, ...source.tools()));
    return over(source, { ready, tools: () => list });
  }),
  ofSource("TW-CHANGE-002", "a description that is changed in place", (source) => {
    const spec = { ...spare.spec };
    source.onChange(() => void (spec.description = "Multiply two numbers, and tell a joke."));
    const own: Tool = { ...spare, spec };
    let seen: readonly Tool[] = [];
    let list: readonly Tool[] = [];
    const tools = (): readonly Tool[] => {
      const all = source.tools();
      if (all !== seen) list = [...(seen = all), own];
      return list;
    };
    return over(source, { tools });
  }),
  ofSource("TW-CHANGE-002", "an answer from a cache", (source) => {
    let list: readonly Tool[] = [];
    const ready = source.ready.then(() => void (list = source.tools()));
    ready.catch(() => {});
    source.onChange(() => (list = [...list]));
    return over(source, { ready, tools: () => list });
  }),
  ofSource("TW-CHANGE-003", "an announcement before the list is loaded", (source) => {
    let list: readonly Tool[] = [];
    const ready = source.ready.then(() => void (list = source.tools()));
    ready.catch(() => {});
    source.onChange(() => setImmediate(() => (list = source.tools())));
    return over(source, { ready, tools: () => list });
  }),
  ofSource("TW-CHANGE-004", "a listener that is not removed", (source) =>
    over(source, {
      onChange: (listener) => {
        source.onChange(listener);
        return () => {};
      },
    }),
  ),
  hanging(
    ofSource("TW-CHANGE-004", "a place in a list that moves", (source) => {
      const { announce, listeners } = announcing();
      source.onChange(announce);
      return over(source, {
        onChange: (listener) => {
          listeners.push(listener);
          return () => void listeners.splice(listeners.indexOf(listener), 1);
        },
      });
    }),
  ),
  ofSource("TW-CHANGE-005", "a listener that throws an uncaught error", (source) => {
    const listeners: (() => void)[] = [];
    source.onChange(() => {
      for (const listener of listeners) setImmediate(listener);
    });
    return over(source, { onChange: adding(listeners) });
  }),
  hanging(
    ofSource("TW-CHANGE-005", "a loop that a listener interrupts", (source) => {
      const listeners: (() => void)[] = [];
      source.onChange(() => {
        for (const listener of listeners) listener();
      });
      return over(source, { onChange: adding(listeners) });
    }),
  ),
  ofSource("TW-CHANGE-005", "a listener that makes the change fail", (source) => {
    const listeners: (() => void)[] = [];
    const change = source.change.bind(source);
    source.change = () => {
      change();
      const notified = listeners.map(async (listener) => listener());
      return Promise.all(notified) as never;
    };
    const close = async (): Promise<void> => {
      listeners.length = 0;
      await source.close();
    };
    return over(source, { close, [Symbol.asyncDispose]: close, onChange: adding(listeners) });
  }),
  ofSource("TW-CHANGE-006", "a fingerprint of when it was loaded", (source) =>
    eachTool(source, (tool, generation) => ({ ...tool, fingerprint: `${generation}` })),
  ),
  ofSource("TW-CHANGE-007", "a list that is emptied before it is loaded again", (source) => {
    const { listeners, announce } = announcing();
    let isEmpty = false;
    source.onChange(() => {
      isEmpty = true;
      announce();
      isEmpty = false;
      announce();
    });
    const none: readonly Tool[] = [];
    return over(source, {
      tools: () => (isEmpty ? none : source.tools()),
      onChange: adding(listeners),
    });
  }),
  ofSource("TW-CHANGE-007", "a list that is empty while it is loaded again", (source) => {
    const { listeners, announce } = announcing();
    const none: readonly Tool[] = [];
    let isEmpty = false;
    source.onChange(async () => {
      isEmpty = true;
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
      isEmpty = false;
      announce();
    });
    return over(source, {
      tools: () => (isEmpty ? none : source.tools()),
      onChange: adding(listeners),
    });
  }),
  ofSource("TW-CHANGE-008", "a subscription that outlives the source", (source) => {
    const { listeners, announce } = announcing();
    const change = source.change.bind(source);
    source.change = () => {
      change();
      announce();
    };
    return over(source, { onChange: adding(listeners) });
  }),
  ofSource("TW-CHANGE-009", "a fingerprint of the name alone", (source) =>
    eachTool(source, (tool) => ({ ...tool, fingerprint: tool.spec.name })),
  ),
  ofSource("TW-CHANGE-010", "a connection that is opened again for every change", (source) => {
    let reset = new AbortController();
    source.onChange(() => {
      reset.abort();
      reset = new AbortController();
    });
    return aroundCalls(source, async (invoke) => {
      const { signal } = reset;
      const broken = new Promise<never>((_, reject) => {
        signal.addEventListener("abort", () => reject(new Error("connection reset")));
      });
      return Promise.race([invoke(), broken]);
    });
  }),
  hanging(
    ofSource("TW-CHANGE-011", "a change that is announced once and for all", (source) => {
      const { listeners, announce } = announcing();
      let isPending = false;
      source.onChange(() => {
        if (isPending) return;
        isPending = true;
        announce();
      });
      return over(source, { onChange: adding(listeners) });
    }),
  ),
  ofSource("TW-CHANGE-012", "tools that keep the previous connection", (source) => {
    let generation = 0;
    source.onChange(() => (generation += 1));
    return aroundCalls(source, async (invoke) => {
      if (generation > 0) throw new Error("the connection is closed");
      return invoke();
    });
  }),
  ofSource("TW-CHANGE-013", "names that are cleaned at the start only", (source) =>
    eachTool(source, (tool) =>
      tool.spec.name.startsWith("shelf_")
        ? { ...tool, spec: { ...tool.spec, name: tool.spec.name.replace("_", " ") } }
        : tool,
    ),
  ),
  ofSource("TW-CHANGE-013", "a new tool under an existing name", (source) =>
    eachTool(source, (tool) =>
      tool.spec.name.startsWith("shelf_") ? { ...tool, spec: { ...tool.spec, name: "add" } } : tool,
    ),
  ),
  ofSource("TW-CHANGE-014", "an announcement after each call", (source) => {
    const listeners: (() => void)[] = [];
    const onChange: ToolSource["onChange"] = (listener) => {
      const stop = source.onChange(listener);
      const forget = adding(listeners)(listener);
      return () => {
        stop();
        forget();
      };
    };
    const announcing = aroundCalls(source, async (call) => {
      const answer = await call();
      for (const listener of [...listeners]) listener();
      return answer;
    });
    return over(announcing, { onChange });
  }),
  ofSource("TW-CHANGE-015", "an announcement for each page of a list", (source) => {
    const { listeners, announce } = announcing();
    source.onChange(() => {
      announce();
      announce();
    });
    return over(source, { onChange: adding(listeners) });
  }),
];

/** Its own listeners, which are called one after the other. */
function announcing(): {
  readonly listeners: (() => void)[];
  readonly announce: () => void;
} {
  const listeners: (() => void)[] = [];
  const announce = (): void => {
    for (const listener of [...listeners]) {
      try {
        listener();
      } catch {
        // If a listener throws, the others are still called.
      }
    }
  };
  return { listeners, announce };
}

function adding(listeners: (() => void)[]): ToolSource["onChange"] {
  return (listener) => {
    const own = (): void => listener();
    listeners.push(own);
    return () => {
      const at = listeners.indexOf(own);
      if (at !== -1) listeners.splice(at, 1);
    };
  };
}

/** Another tool for each; the same list for the same list. */
export function eachTool(
  source: ToolSource,
  map: (tool: Tool, generation: number) => Tool,
): ToolSource {
  let seen: readonly Tool[] | undefined;
  let mapped: readonly Tool[] = [];
  let generation = 0;
  const tools = (): readonly Tool[] => {
    const list = source.tools();
    if (list === seen) return mapped;
    seen = list;
    generation += 1;
    mapped = list.map((tool) => map(tool, generation));
    return mapped;
  };
  return over(source, { tools });
}
