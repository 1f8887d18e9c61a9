import type { SentKind } from "./plan.ts";
import { forged } from "./environment.ts";

function deep(levels: number): object {
  let at: object = {};
  for (let level = 0; level < levels; level++) at = { at };
  return at;
}

/** The arguments of a model, a framework, or an attacker. */
export function sentArguments(kind: SentKind): unknown {
  switch (kind) {
    case "right":
      return { n: 1 };
    case "other":
      return { n: 2 };
    case "text":
      return '{"n":1}';
    case "malformed":
      return '{"n":';
    case "deep":
      return deep(300);
    case "wrong":
      return { n: "one" };
    case "extra":
      return { n: 1, z: [1, { y: 2 }] };
    case "injected":
      return { n: 1, tenant: forged };
    case "fenced":
      return '```json\n{"n":1}\n```';
    case "envelope":
      return { arguments: '{"n":1}' };
    case "proto":
      return '{"__proto__":{"n":1},"constructor":1,"n":1}';
    case "cyclic": {
      const cycle: Record<string, unknown> = { n: 1 };
      cycle["self"] = cycle;
      return cycle;
    }
    case "infinite":
      return { n: Infinity };
    case "unreadable":
      return {
        n: 1,
        get x() {
          throw new Error("no");
        },
      };
    case "huge":
      return { n: 1, text: "x".repeat(100_000) };
    case "list":
      return [{ n: 1 }];
  }
}
