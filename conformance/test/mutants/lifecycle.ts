import { randomUUID } from "node:crypto";
import { ToolError, type Tool, type ToolSource } from "@toolweave/core";
import { SecretSet } from "@toolweave/core/adapter";
import type { Manifest } from "../../src/index.ts";
import { hanging, ofSource, ofTools, over, rejected, spare, type Mutant } from "./mutant.ts";
import { librarySecret, sourceManifest } from "../fixtures/index.ts";
import { endingMutants } from "./ending.ts";

/** The healthy source, which behaves differently if one of its tools has an unusual schema. */
function withOdd(what: string, change: (source: ToolSource) => ToolSource): Mutant {
  return {
    rule: "TW-LIFE-022",
    what,
    manifest: () => {
      const { createWithSchema, ...manifest } = sourceManifest();
      const createOdd: Manifest["createWithSchema"] = async (schema) =>
        change((await createWithSchema?.(schema)) as ToolSource);
      return { ...manifest, createWithSchema: createOdd };
    },
  };
}

export const lifecycleMutants: readonly Mutant[] = [
  withOdd("a list that is refused because of one tool", (source) => {
    const ready = source.ready.then(() => {
      throw new ToolError("unavailable", "can't resolve reference #/$defs/nothing from id #");
    });
    ready.catch(() => {});
    return over(source, { ready, tools: () => [] });
  }),
  withOdd("a loop that stops at the first tool that it cannot read", (source) => {
    const problems = [{ subject: "odd", message: "Its schema is invalid.", severity: "warning" }];
    return over(source, {
      problems: problems as ToolSource["problems"],
      tools: () => source.tools().slice(0, 3),
    });
  }),
  withOdd("a tool that is skipped in silence", (source) => {
    let healthy: readonly Tool[] = [];
    void source.ready.then(
      () => (healthy = source.tools().filter(({ spec }) => spec.name !== "odd")),
      () => {},
    );
    return over(source, { tools: () => healthy });
  }),
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
  ofSource("TW-LIFE-004", "a list that is filled in place", (source) => {
    let list: Tool[] = [];
    const ready = source.ready.then(() => void list.push(...source.tools()));
    ready.catch(() => {});
    source.onChange(() => (list = [...source.tools()]));
    return over(source, { ready, tools: () => list });
  }),
  ofSource("TW-LIFE-004", "a close that empties the list in place", (source) => {
    const close = async (): Promise<void> => {
      (source.tools() as Tool[]).length = 0;
      await source.close();
    };
    return over(source, { close, [Symbol.asyncDispose]: close });
  }),
  ofSource("TW-LIFE-005", "a name that only the server knows", (source) => {
    let id = "";
    void source.ready.then(
      () => (id = "library"),
      () => {},
    );
    return over(source, {
      get id() {
        return id;
      },
    });
  }),
  ofSource("TW-LIFE-005", "a source without a name", (source) => over(source, { id: " " })),
  ofSource("TW-LIFE-006", "a list that cannot be read too early", (source) => {
    let isReady = false;
    const ready = source.ready.then(() => void (isReady = true));
    ready.catch(() => {});
    const tools = (): readonly Tool[] => {
      if (!isReady) throw new Error("not connected");
      return source.tools();
    };
    return over(source, { ready, tools });
  }),
  ofSource("TW-LIFE-006", "no list after close", (source) => {
    let closed = false;
    const close = async (): Promise<void> => {
      closed = true;
      await source.close();
    };
    const tools = (): readonly Tool[] => (closed ? (undefined as never) : source.tools());
    return over(source, { tools, close, [Symbol.asyncDispose]: close });
  }),
  withProblem("a problem that is blank", { subject: "GET /books", message: "" }),
  withProblem("a URL fragment for a pointer", {
    subject: "GET /books",
    message: "It has no answer. Add one.",
    pointer: "#/paths/~1books",
  }),
  withProblem("an unknown severity", {
    subject: "GET /books",
    message: "It has no answer. Add one.",
    severity: "fatal" as "error",
  }),
  withProblem("an error for a problem", new Error("no answer") as never),
  ofSource("TW-LIFE-015", "secrets that are collected again each time", (source) =>
    over(source, {
      get secrets() {
        return new SecretSet([librarySecret]);
      },
    }),
  ),
  ofSource("TW-LIFE-015", "a plain list of secrets", (source) =>
    over(source, { secrets: [librarySecret] as never }),
  ),
  ofSource("TW-LIFE-016", "trust that is known after the connection", (source) => {
    let trusted = false;
    void source.ready.then(
      () => (trusted = true),
      () => {},
    );
    return over(source, {
      get trustAnnotations() {
        return trusted;
      },
    });
  }),
  ofSource("TW-LIFE-016", "trust as a configuration file writes it", (source) =>
    over(source, { trustAnnotations: "yes" as never }),
  ),
  withParts("an availability as a string", { availability: "down" as never }),
  withParts("an availability without a reason", {
    availability: { status: "unavailable" } as never,
  }),
  withParts("a fingerprint that is a number", { fingerprint: 7 as never }),
  withParts("a schema for a validate", { validate: { type: "object" } as never }),
  withParts("a list for a preflight", { preflight: [] as never }),
  ofSource("TW-LIFE-019", "a listener that cannot be taken back", (source) =>
    over(source, { onChange: (listener) => void source.onChange(listener) as never }),
  ),
  ofSource("TW-LIFE-019", "a listener that is taken back only once", (source) =>
    over(source, {
      onChange: (listener) => {
        let stop: (() => void) | undefined = source.onChange(listener);
        return () => {
          if (stop === undefined) throw new Error("no such listener");
          stop();
          stop = undefined;
        };
      },
    }),
  ),
  ofSource("TW-LIFE-020", "a random id", (source) => over(source, { id: randomUUID() })),
  ofSource("TW-LIFE-021", "a load that notifies its listeners as its last step", (source) => {
    const listeners = new Set<() => void>();
    const ready = source.ready.then(() => {
      for (const listener of listeners) listener();
    });
    ready.catch(() => {});
    return over(source, {
      ready,
      onChange: (listener) => {
        const stop = source.onChange(listener);
        listeners.add(listener);
        return () => {
          stop();
          listeners.delete(listener);
        };
      },
    });
  }),
  ...endingMutants,
];

function withProblem(what: string, problem: ToolSource["problems"][number]): Mutant {
  return ofSource("TW-LIFE-013", what, (source) => over(source, { problems: [problem] }));
}

function withParts(what: string, parts: Partial<Tool>): Mutant {
  return ofTools("TW-LIFE-018", what, (tools) => [...tools, { ...spare, ...parts }]);
}
