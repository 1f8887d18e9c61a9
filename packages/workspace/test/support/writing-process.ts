// Writes a file again and again, until the process is killed: all of one letter, then all of the other.
import { replaceFile } from "../../src/files/replace-file.ts";
import { Jail } from "../../src/jail/jail.ts";

/** Sent after the first write. */
export type WriterMessage = "ready";

const [, , root = "", size = "1000000"] = process.argv;
const jail = new Jail([{ path: root, access: "write" }]);
const contents = ["a", "b"].map((letter) => Buffer.from(letter.repeat(Number(size))));
for (let count = 0; ; count++) {
  const place = jail.openForWriting("file.txt", () => {});
  await replaceFile(place, contents[count % 2] as Buffer);
  place.close();
  if (count === 0) process.send?.("ready" satisfies WriterMessage);
}
