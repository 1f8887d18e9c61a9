import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { inFullRun } from "@toolweave/test-support";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { expect, test } from "vitest";
import { replaceFile } from "../../src/files/replace-file.ts";
import { everyObject, openJail } from "../support/open-jail.ts";
import type { WriterMessage } from "../support/writing-process.ts";
import { randomFrom } from "../policy/support/random-scripts.ts";

const kills = inFullRun(200, 8);

test(
  "kill -9 at any moment of a write leaves the old file or the new one, and nothing else after the next write",
  { timeout: 120_000 + 3_000 * kills },
  async () => {
    const root = tempFolder();
    const random = randomFrom(1);
    const sizes = [1_000, 1_000_000, 5_000_000];
    for (let count = 0; count < kills; count++) {
      const size = sizes[count % sizes.length] as number;
      const child = fork(
        join(import.meta.dirname, "../support/writing-process.ts"),
        [root, `${size}`],
        {
          execArgv: ["--conditions=@toolweave/source"],
        },
      );
      const [message] = (await once(child, "message")) as [WriterMessage];
      expect(message).toBe("ready");
      await delay(random() * 30);
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
      const content = readFileSync(join(root, "file.txt"), "latin1");
      expect(content.length).toBe(size);
      expect(new Set(content)).toHaveProperty("size", 1);
    }
    const place = openJail([{ path: root, access: "write" }]).openForWriting(
      "file.txt",
      everyObject,
    );
    await replaceFile(place, Buffer.from("after"));
    place.close();
    expect(readdirSync(root)).toEqual(["file.txt"]);
  },
);

test("a temporary file of a process that runs stays, and so does a file that only looks like one", async () => {
  const root = join(tempFolder(), "ws");
  mkdirSync(root);
  const names = [`.tw-${process.pid}-0123456789abcdef`, ".tw-notes", ".tw-1x-0123456789abcdef"];
  for (const name of names) writeFileSync(join(root, name), "");
  writeFileSync(join(root, ".tw-999999999-0123456789abcdef"), "");
  const place = openJail([{ path: root, access: "write" }]).openForWriting("file.txt", everyObject);
  await replaceFile(place, Buffer.from("text"));
  place.close();
  expect(readdirSync(root).toSorted()).toEqual([...names, "file.txt"].toSorted());
});
