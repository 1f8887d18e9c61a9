import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Interruption } from "@toolweave/core";
import { inFullRun } from "@toolweave/test-support";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { ToolResume } from "../src/index.ts";

/** The output of a host before it is killed. */
interface Said {
  readonly asked: Interruption[];
  readonly answers: [string, string][];
  /** Only that the endless call has begun. */
  readonly running?: number;
}

const host = fileURLToPath(new URL("support/killed-host.ts", import.meta.url));
let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "toolweave-langchain-"))));
afterEach(() => rmSync(folder, { recursive: true }));

/** A process that resumes the graph until it prints a message, and is killed at once. */
async function killed(graph: string, resume?: ToolResume): Promise<Said> {
  const args = [folder, graph, ...(resume === undefined ? [] : [JSON.stringify(resume)])];
  const child = fork(host, args, { execArgv: ["--conditions=@toolweave/source"] });
  const exited = once(child, "exit");
  const said = await Promise.race([once(child, "message"), exited]);
  child.kill("SIGKILL");
  const [, signal] = (await exited) as [number | null, string | null];
  expect(signal).toBe("SIGKILL");
  return said[0] as Said;
}

function done(): string[] {
  return readFileSync(join(folder, "done"), "utf8").trim().split("\n");
}

it.each(inFullRun(["createAgent", "an agent in a graph"], ["createAgent"]))(
  "%s is resumed in other processes, each killed, and runs nothing twice",
  async (graph) => {
    let said = await killed(graph);
    expect(done()).toEqual(["look 1"]);
    while (said.asked.length > 0) {
      // One at a time: a call beside the endless one would be killed with it.
      const next = said.asked.find(({ call }) => call.name !== "endless") ?? said.asked[0];
      const type = next?.call.id === "c2" ? "reject" : "approve";
      const resume: ToolResume = { [next?.id as string]: { type } };
      said = await killed(graph, resume);
      if (said.running === undefined) continue;
      // Killed in the middle of an approved call: its progress is unknown.
      expect(said.running).toBe(4);
      said = await killed(graph, resume);
    }
    expect(done().toSorted()).toEqual(["endless 4", "look 1", "remove 3"]);
    const texts = Object.fromEntries(said.answers);
    expect(Object.keys(texts).toSorted()).toEqual(["c1", "c2", "c3", "c4"]);
    expect(texts["c1"]).toBe("look 1");
    expect(texts["c2"]).toContain("rejected");
    expect(texts["c3"]).toBe("remove 3");
    expect(texts["c4"]).toMatch(/not known|unknown/i);
  },
  // Six processes, one after the other.
  120_000,
);
