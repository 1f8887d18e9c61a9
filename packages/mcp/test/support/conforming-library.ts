import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Manifest, SuspendingCall } from "@toolweave/conformance";
import type { ConformanceOptions } from "@toolweave/conformance/vitest";
import type { ToolSource } from "@toolweave/core";
import { isFullRun } from "@toolweave/test-support";
import { afterAll } from "vitest";

/** The credential that the library receives, and returns. */
export const libraryToken = "t0ken-that-never-comes-out";

/**
 * All rules in a full run. In a quick one: those that the transport can affect; one server over
 * HTTP is tested with all rules there, too.
 */
export const transportRules: ConformanceOptions = isFullRun
  ? {}
  : { only: ["CANCEL", "SUSPEND", "TIMEOUT", "EVENT"] };

/** The records of a library, until the test file is done. */
export class LibraryFolder {
  readonly #folder: string = mkdtempSync(join(tmpdir(), "toolweave-library-"));
  readonly added: string = join(this.#folder, "added");
  readonly lent: string = join(this.#folder, "lent");
  /** While it exists the library is closed: see `library-server.ts`. */
  readonly closed: string = join(this.#folder, "closed");

  constructor() {
    for (const file of [this.added, this.lent]) writeFileSync(file, "");
    afterAll(() => rmSync(this.#folder, { recursive: true }));
  }

  lines(file: string): string[] {
    return readFileSync(file, "utf8").split("\n").slice(0, -1);
  }

  /** A person who enters their name. */
  borrowing(tool: string): SuspendingCall {
    return {
      tool,
      arguments: { file: this.lent },
      answer: ({ id }) => ({ type: "input", requestId: id, value: { name: "Emma" } }),
      count: () => this.lines(this.lent).length,
    };
  }

  /** A person who visits the given page. */
  paying(tool: string): SuspendingCall {
    return {
      tool,
      arguments: { file: this.lent },
      answer: ({ id }) => {
        writeFileSync(`${this.lent}.visited`, "");
        return { type: "approve", requestId: id };
      },
      count: () => this.lines(this.lent).length,
    };
  }
}

/** The differences of one library from the others. */
export interface ConformingLibrary extends Pick<Manifest, "name" | "create" | "outage"> {
  readonly folder: LibraryFolder;
  /** Its tools' names here, by their own. */
  named(tool: string): string;
  /** The calls that wait for a person: the older generation cannot wait for an answer to a form. */
  readonly waits?: SuspendingCall;
  /** All sources have the same library: a change would also affect the next of them. */
  readonly isShared?: boolean;
  readonly without?: Exclude<Manifest["without"], string>;
}

/** The library with everything that the kit can test. */
export function conformingLibrary(library: ConformingLibrary): Manifest {
  const { name, create, outage, folder, named, waits, isShared = false, without } = library;
  const { added, lent } = folder;
  return {
    name,
    create,
    samples: {
      succeedingCalls: [
        { tool: named("get_book"), arguments: { id: 1 } },
        { tool: named("show_cover"), arguments: {} },
        { tool: named("show_environment"), arguments: {} },
      ],
      failingCalls: [{ tool: named("get_book"), arguments: { id: 7 } }],
      slowCalls: [{ tool: named("take_inventory"), arguments: {} }],
      effectCalls: [
        {
          tool: named("add-book"),
          arguments: { title: "Persuasion", file: added },
          count: () => folder.lines(added).length,
        },
      ],
      ...(waits === undefined ? {} : { suspendingCalls: [waits] }),
      updatingCalls: [{ tool: named("bind_book"), arguments: { id: 1 } }],
      largeCalls: [{ tool: named("read_book"), arguments: {}, bytes: 380_000 }],
    },
    generatedCalls: [named("get_book"), named("bind_book"), named("show_cover")],
    state: () => [...folder.lines(added), ...folder.lines(lent)],
    secrets: [libraryToken],
    ...(isShared ? {} : { change: (source) => reorganise(source, named) }),
    ...(outage === undefined ? {} : { outage }),
    ...(without === undefined ? {} : { without }),
  };
}

async function reorganise(source: ToolSource, named: ConformingLibrary["named"]): Promise<void> {
  const tool = source.tools().find(({ spec }) => spec.name === named("reorganise"));
  const context = {
    signal: new AbortController().signal,
    progress() {},
    idempotencyKey: async () => "k",
  };
  await tool?.invoke({}, context as never);
}

/** The library is unavailable while a file exists. */
export function closing({ closed }: LibraryFolder): NonNullable<Manifest["outage"]> {
  return {
    begin: () => writeFileSync(closed, ""),
    end: () => {
      if (existsSync(closed)) rmSync(closed);
    },
  };
}
