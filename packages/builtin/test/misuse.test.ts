import { ToolError } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { delegateTool } from "../src/delegate.ts";
import {
  browserTools,
  memoryTools,
  responseCache,
  scheduleTools,
  scheduleWorker,
  shapeResults,
  webTools,
} from "../src/index.ts";
import { allTools, defaultTools, withNames } from "../src/registries.ts";

const webCredential = { secret: "s", hosts: ["a.example"] };

describe("an option of the wrong kind is an error with its name and the values that are valid", () => {
  test.each<[make: () => unknown, error: string]>([
    [() => webTools({ allow: "x" as never }), 'webTools: allow is "x"; use a list.'],
    [() => webTools({ credentials: "s3cret" as never }), "credentials is no object; use one."],
    [() => webTools(5 as never), "webTools takes an object"],
    [
      () => webTools({ credentials: { a: { ...webCredential, hosts: "x" as never } } }),
      'webTools: credentials.a.hosts is "x"; use a list.',
    ],
    [
      () => webTools({ credentials: { a: { secret: "s3cret\ntwo", hosts: [] } } }),
      "webTools: credentials.a.secret cannot be the value of a header",
    ],
    [
      () => webTools({ credentials: { a: { ...webCredential, header: "a b" } } }),
      'webTools: credentials.a.header is "a b"; use the name of a header',
    ],
    [
      () => browserTools({ executable: 5 as never }),
      "browserTools: executable is 5; use the path of Chromium",
    ],
    [() => shapeResults(undefined as never), "shapeResults: shapes is missing; use an object."],
    [() => shapeResults({ a: null as never }), "shapeResults: shapes.a is no object; use one."],
    [() => shapeResults({ a: { fields: [5 as never] } }), "shapes.a.fields is [5]; use a list of"],
    [() => shapeResults({ a: { field: ["b"] } as never }), 'unknown option "field"'],
    [() => responseCache({ tools: { a: 1 }, maxEntries: NaN }), "maxEntries is NaN; use 1 or more"],
    [() => responseCache({} as never), "responseCache: tools is missing; use an object."],
    [() => memoryTools({ store: {} as never }), "memoryTools: store has no set(); use sqliteStore"],
    [() => memoryTools({ store: "x.db" as never }), "memoryTools: store has no set()"],
    [() => memoryTools({ embedder: {} as never }), "memoryTools: embedder has no embed()"],
    [() => scheduleTools({} as never), "scheduleTools: store is missing; use sqliteStore"],
    [
      () => scheduleTools({ store: { claim() {} } as never, timeZone: "Mars/X" }),
      'scheduleTools: timeZone is "Mars/X"; use the name of a time zone, such as "Europe/Berlin".',
    ],
    [
      () => scheduleWorker({} as never),
      "scheduleWorker: executor is missing; use new ToolExecutor",
    ],
    [() => defaultTools(undefined as never), "defaultTools: options is missing; use an object."],
    [
      () => defaultTools({ root: ".", names: "x" as never }),
      'defaultTools: names is "x"; use "phi", "claude" or "zeroclaw".',
    ],
    [() => allTools(undefined as never), "allTools: options is missing; use an object."],
    [() => withNames(null as never, "phi"), "withNames: source has no tools(); use workspaceTools"],
    [() => withNames(webTools(), "x" as never), 'withNames: style is "x"; use "phi"'],
    [() => delegateTool(undefined as never), "delegateTool: options is missing; use an object."],
    [
      () => delegateTool({ model: {} as never, preset: "x" as never }),
      'delegateTool: preset is "x"; use "phi" or "zeroclaw".',
    ],
  ])("%#", (make, error) => {
    let fault: unknown;
    try {
      make();
    } catch (thrown) {
      fault = thrown;
    }
    expect(ToolError.is(fault) ? fault.code : fault).toBe("invalid_configuration");
    expect((fault as ToolError).message).toContain(error);
    // The secret of a credential is no part of it.
    expect((fault as ToolError).message).not.toContain("s3cret");
  });
});
