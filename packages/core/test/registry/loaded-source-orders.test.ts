import fc from "fast-check";
import { expect, test } from "vitest";
import type { Tool } from "@toolweave/core";
import { loadedSource, type LoadedSource } from "@toolweave/core/adapter";
import { foreignTool } from "../support/executor-for.ts";

const step = fc.constantFrom(
  ...(["refresh", "refresh", "change", "change", "give", "give", "give"] as const),
  ...(["fail", "listen", "stop", "turn", "turn", "close"] as const),
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Applies a plan to a source, and records every violation. */
class Story {
  readonly faults: string[] = [];
  readonly #source: LoadedSource;
  /** The number of changes of the world; each changes one of the tools. */
  #version = 0;
  /** The version that was listed last. */
  #listed = -1;
  readonly #loads: ((fails: boolean) => void)[] = [];
  #running = 0;
  #closed = 0;
  #isClosed = false;
  #previous: readonly Tool[];
  readonly #kept: { readonly list: readonly Tool[]; readonly copy: readonly Tool[] }[] = [];
  readonly #stops: (() => void)[] = [];
  readonly #asked: Promise<unknown>[] = [];

  constructor() {
    this.#source = loadedSource({
      id: "world",
      load: () => this.#load(),
      close: () => {
        this.#closed += 1;
        this.#check(this.#running === 0, "released while it loads");
      },
    });
    this.#previous = this.#source.tools();
    this.#source.onChange(() => this.#receive());
  }

  async tell(plan: readonly Step[]): Promise<void> {
    for (const planned of plan) await this.#do(planned);
    await this.#do("close");
    while (this.#loads.length > 0) {
      await this.#do("give");
      await turn();
    }
    await Promise.all(this.#asked);
    await this.#source.ready.catch(() => {});
    this.#check(this.#closed === 1, `closed ${this.#closed} times`);
    for (const { list, copy } of this.#kept) {
      const isAsItWas = list.length === copy.length && list.every((tool, at) => tool === copy[at]);
      this.#check(isAsItWas, "a list was changed in place");
    }
  }

  async #do(planned: Step): Promise<void> {
    if (planned === "refresh") this.#asked.push(this.#refresh());
    else if (planned === "change") this.#version += 1;
    else if (planned === "give" || planned === "fail") this.#loads.shift()?.(planned === "fail");
    else if (planned === "listen") this.#listen();
    else if (planned === "stop") this.#stops.pop()?.();
    else if (planned === "turn") await turn();
    else {
      this.#isClosed = true;
      this.#asked.push(this.#source.close());
      this.#check(this.#source.tools().length === 0, "has tools after it was closed");
    }
  }

  async #load(): Promise<readonly Tool[]> {
    this.#running += 1;
    this.#check(this.#running === 1, "loads twice at once");
    this.#check(!this.#isClosed, "loads after it was closed");
    const version = this.#version;
    const fails = await new Promise<boolean>((settle) => this.#loads.push(settle));
    this.#running -= 1;
    if (fails) throw new Error("down");
    this.#check(version >= this.#listed, "lists an older version");
    this.#listed = version;
    return [0, 1, 2].map((at) => {
      const edition = Math.floor((version + at) / 3);
      return foreignTool(`tool_${at}`, { spec: { description: `Edition ${edition}.` } });
    });
  }

  async #refresh(): Promise<void> {
    const version = this.#version;
    const wasClosed = this.#isClosed;
    try {
      await this.#source.refresh();
      this.#check(!wasClosed, "is refreshed after it was closed");
      this.#check(this.#listed >= version, "is refreshed with an older version");
    } catch (error) {
      const { code } = error as { readonly code?: string };
      const isExpected =
        code === "cancelled" ? this.#isClosed : code === "unavailable" && !wasClosed;
      this.#check(isExpected, `rejects with ${code}`);
    }
  }

  #receive(): void {
    const list = this.#source.tools();
    const before = this.#previous;
    this.#check(!this.#isClosed, "announces after it was closed");
    this.#check(list !== before, "announces the same list");
    this.#check(
      list.some((tool) => !before.includes(tool)),
      "announces the same tools",
    );
    for (const tool of list) {
      const old = before.find(({ spec }) => spec.name === tool.spec.name);
      const isSame = old?.spec.description === tool.spec.description;
      this.#check((old === tool) === isSame, "takes the same tool for another, or another for it");
    }
    this.#kept.push({ list, copy: [...list] });
    this.#previous = list;
  }

  #listen(): void {
    let isStopped = false;
    const stop = this.#source.onChange(() => {
      this.#check(!isStopped, "notifies a removed listener");
      throw new Error("A listener threw this.");
    });
    this.#stops.push(() => {
      isStopped = true;
      stop();
    });
  }

  #check(holds: boolean, fault: string): void {
    if (!holds) this.faults.push(fault);
  }
}

test("in any order of refreshes, closes and listeners, a source meets its contract", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (plan) => {
      const story = new Story();
      await story.tell(plan);
      expect(story.faults).toEqual([]);
    }),
    { numRuns: 200 },
  );
});
