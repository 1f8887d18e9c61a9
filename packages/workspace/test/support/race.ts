import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../../src/files/replace-file.ts";
import { walkTree } from "../../src/files/walk-tree.ts";
import { Jail } from "../../src/jail/jail.ts";
import { everyObject } from "./open-jail.ts";
import { SwappingAttacker } from "./swapping-attacker.ts";

/** The results of an operation: it read the secret, worked inside, or failed. */
export interface RaceCounts {
  tries: number;
  leaks: number;
  inside: number;
  refused: number;
}

/** Makes the folders of a race, with a file of the same name in each. */
export function makeRaceFolders(base: string): { readonly root: string; readonly outside: string } {
  const root = join(base, "ws");
  const outside = join(base, "outside");
  mkdirSync(join(root, "d"), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(root, "d/f"), "inside");
  writeFileSync(join(outside, "f"), "secret");
  symlinkSync(outside, join(root, "d-link"));
  return { root, outside };
}

/** The folders of a race: `d` in the root is swapped with a link to a folder outside. */
export class Race {
  readonly root: string;
  readonly outside: string;
  readonly jail: Jail;
  #attacker: SwappingAttacker | undefined;

  constructor(base: string) {
    const { root, outside } = makeRaceFolders(base);
    this.root = root;
    this.outside = outside;
    this.jail = new Jail([{ path: this.root, access: "write" }], { hardLinks: "allow" });
  }

  async start(): Promise<void> {
    const { root } = this;
    this.#attacker = await SwappingAttacker.start(
      join(root, "d"),
      join(root, "d-link"),
      join(root, "d-real"),
    );
  }

  async stop(): Promise<number> {
    const swaps = await this.#attacker?.stop();
    this.jail.close();
    return swaps ?? 0;
  }

  /** Files that were created in the folder outside. */
  get created(): readonly string[] {
    return readdirSync(this.outside).filter((name) => name !== "f");
  }

  /** Tries an operation until `isOver`. The text that it returns is what it has read. */
  async repeat(
    operation: () => string | Promise<string>,
    isOver: (tries: number) => boolean,
  ): Promise<RaceCounts> {
    const counts: RaceCounts = { tries: 0, leaks: 0, inside: 0, refused: 0 };
    while (!isOver(counts.tries)) {
      counts.tries += 1;
      try {
        const text = await operation();
        if (text.includes("secret")) counts.leaks += 1;
        else counts.inside += 1;
      } catch {
        counts.refused += 1;
      }
    }
    return counts;
  }

  /** Checks the text of the path, and opens it. */
  readonly lexicalRead = (): string => readFileSync(join(this.root, "d/f"), "utf8");

  /** Checks the real path, and opens the path. */
  readonly realpathRead = (): string => {
    const path = join(this.root, "d/f");
    if (!realpathSync.native(path).startsWith(`${this.root}/`)) throw new Error("outside");
    return readFileSync(path, "utf8");
  };

  readonly jailRead = (): string => {
    const file = this.jail.openFile("d/f", everyObject);
    try {
      const bytes = Buffer.alloc(10);
      return bytes.toString("utf8", 0, readSync(file.fd, bytes));
    } finally {
      file.close();
    }
  };

  readonly jailList = (): string => {
    const folder = this.jail.openFolder("d", everyObject);
    try {
      const texts: string[] = [];
      walkTree(folder, this.jail.matcher, {}, ({ entry }) => {
        const fd = openSync(entry.path, "r");
        const bytes = Buffer.alloc(10);
        texts.push(bytes.toString("utf8", 0, readSync(fd, bytes)));
        closeSync(fd);
      });
      return texts.join();
    } finally {
      folder.close();
    }
  };

  readonly lexicalWrite = (): string => {
    writeFileSync(join(this.root, "d/lexical"), "x");
    return "";
  };

  #writes = 0;
  readonly jailWrite = async (): Promise<string> => {
    const place = this.jail.openForWriting(`d/w${(this.#writes += 1) % 10}`, everyObject);
    try {
      await replaceFile(place, Buffer.from("x"));
      return "";
    } finally {
      place.close();
    }
  };

  readonly jailCreateFolder = async (): Promise<string> => {
    const place = this.jail.openForWriting(`d/n${(this.#writes += 1) % 1000}/f`, everyObject);
    try {
      await replaceFile(place, Buffer.from("x"));
      return "";
    } finally {
      place.close();
    }
  };
}
