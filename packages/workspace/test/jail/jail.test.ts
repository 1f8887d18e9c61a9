import { execFileSync } from "node:child_process";
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { beforeEach, describe, expect, test } from "vitest";
import { replaceFile } from "../../src/files/replace-file.ts";
import { Jail } from "../../src/jail/jail.ts";
import { JailError, type JailFault } from "../../src/jail/jail-error.ts";
import type { PathRules, WorkspaceRoot } from "../../src/jail/path-rules.ts";
import { everyObject, openJail } from "../support/open-jail.ts";

let base: string;
let root: string;

beforeEach(() => {
  base = tempFolder();
  root = join(base, "ws");
  mkdirSync(join(root, "src/deep"), { recursive: true });
  writeFileSync(join(root, "src/deep/file.txt"), "inside");
  mkdirSync(join(base, "ws-secrets"));
  writeFileSync(join(base, "ws-secrets/key"), "outside");
});

function createJail(rules: PathRules = {}, others: readonly WorkspaceRoot[] = []): Jail {
  return openJail([{ path: root, access: "write" }, ...others], rules);
}

function findFault(use: () => unknown): JailFault | undefined {
  try {
    use();
    return undefined;
  } catch (error) {
    if (error instanceof JailError) return error.fault;
    throw error;
  }
}

function read(jail: Jail, path: string): string {
  const file = jail.openFile(path, everyObject);
  try {
    const bytes = Buffer.alloc(1000);
    return bytes.toString("utf8", 0, readSync(file.fd, bytes));
  } finally {
    file.close();
  }
}

describe("a path", () => {
  test.each(["src/deep/file.txt", "./src//deep/../deep/file.txt", "src/./deep/file.txt"])(
    "%s inside of the root is read",
    (path) => {
      expect(read(createJail(), path)).toBe("inside");
    },
  );

  test("may be absolute, if it is inside of a root", () => {
    expect(read(createJail(), join(root, "src/deep/file.txt"))).toBe("inside");
    expect(findFault(() => read(createJail(), join(base, "ws-secrets/key")))).toBe("outside");
  });

  test.each([
    ["PT01", "../../etc/passwd"],
    ["PT01", "src/../../x"],
    ["PT02", "/etc/passwd"],
    ["PT03", "../ws-secrets/key"],
    ["PT08", "/proc/self/environ"],
  ])("%s: %s that leads out of the root is refused for every use", (_, path) => {
    const jail = createJail();
    expect(findFault(() => jail.locate(path, "read"))).toBe("outside");
    expect(findFault(() => jail.locate(path, "write"))).toBe("outside");
    expect(findFault(() => jail.openFile(path, everyObject))).toBe("outside");
    expect(findFault(() => jail.openFolder(path, everyObject))).toBe("outside");
    expect(findFault(() => jail.openForWriting(path, everyObject))).toBe("outside");
  });

  test("PT03: of a folder whose name begins like that of the root is outside", () => {
    expect(findFault(() => read(createJail(), join(base, "ws-secrets", "key")))).toBe("outside");
  });

  test("PT10: with a NUL is refused before the file system is asked", () => {
    expect(findFault(() => createJail().locate("ok.txt\0/../../etc/passwd", "read"))).toBe(
      "malformed",
    );
  });

  test("PT12: with a backslash, a drive or a stream is a literal name", () => {
    writeFileSync(join(root, "..\\..\\x"), "literal");
    expect(read(createJail(), "..\\..\\x")).toBe("literal");
    expect(createJail().locate("C:\\Windows", "write").path).toBe("C:\\Windows");
  });

  test("that is too long or too deep is refused", () => {
    expect(findFault(() => createJail().locate("a".repeat(5_000), "read"))).toBe("tooDeep");
    const deep = Array.from({ length: 300 }, () => "d").join("/");
    mkdirSync(join(root, deep), { recursive: true });
    expect(findFault(() => createJail().locate(`${deep}/x`, "write"))).toBe("tooDeep");
  });

  test("that does not exist can be written, and not be read", () => {
    const jail = createJail();
    expect(jail.locate("new/folder/f", "write")).toMatchObject({ path: "new/folder/f" });
    expect(findFault(() => jail.openFile("new/folder/f", everyObject))).toBe("missing");
  });
});

describe("a symbolic link", () => {
  test("PT04: to a file outside of the root is neither read nor written", () => {
    symlinkSync(join(base, "ws-secrets/key"), join(root, "link"));
    symlinkSync("../ws-secrets/key", join(root, "relative"));
    for (const path of ["link", "relative"]) {
      expect(findFault(() => createJail().openFile(path, everyObject))).toBe("outside");
      expect(findFault(() => createJail().openForWriting(path, everyObject))).toBe("outside");
    }
  });

  test("PT05: to a folder outside of the root is not used as a part of a path", () => {
    symlinkSync(join(base, "ws-secrets"), join(root, "d"));
    const jail = createJail();
    expect(findFault(() => jail.openFile("d/key", everyObject))).toBe("outside");
    expect(findFault(() => jail.openFolder("d", everyObject))).toBe("outside");
    expect(findFault(() => jail.openForWriting("d/new", everyObject))).toBe("outside");
  });

  test("PT06: without a target leads to no file outside of the root", async () => {
    symlinkSync(join(base, "absent"), join(root, "out"));
    expect(findFault(() => createJail().openForWriting("out", everyObject))).toBe("outside");
    expect(readdirSync(base).toSorted()).toEqual(["ws", "ws-secrets"]);
  });

  test("inside of the root is followed, relative and absolute, and stays a link when its target is written", async () => {
    symlinkSync("deep/file.txt", join(root, "src/near"));
    symlinkSync(join(root, "src"), join(root, "far"));
    const jail = createJail();
    expect(read(jail, "src/near")).toBe("inside");
    expect(read(jail, "far/deep/file.txt")).toBe("inside");
    const place = jail.openForWriting("far/near", everyObject);
    await replaceFile(place, Buffer.from("new"));
    place.close();
    expect(place.info.path).toBe("src/deep/file.txt");
    expect(readFileSync(join(root, "src/deep/file.txt"), "utf8")).toBe("new");
  });

  test("that leads to itself ends", () => {
    symlinkSync("loop", join(root, "loop"));
    expect(findFault(() => createJail().openFile("loop", everyObject))).toBe("tooManyLinks");
  });
});

describe("rules", () => {
  test("deny a path by its own name and by the name that it was asked for", () => {
    mkdirSync(join(root, "private"));
    writeFileSync(join(root, "private/a"), "1");
    symlinkSync("private/a", join(root, "harmless"));
    symlinkSync("src", join(root, "private/alias"));
    const jail = createJail({ deny: ["private"] });
    expect(findFault(() => jail.openFile("private/a", everyObject))).toBe("denied");
    expect(findFault(() => jail.openFile("harmless", everyObject))).toBe("denied");
    expect(findFault(() => jail.openFile("private/alias/deep/file.txt", everyObject))).toBe(
      "denied",
    );
  });

  test.each([
    ".git/hooks/pre-commit",
    ".GIT/Hooks/pre-commit",
    "sub/.vscode/settings.json",
    ".mcp.json",
  ])("PT15: name %s protected", (path) => {
    expect(createJail().locate(path, "write").classes).toContain("protected");
  });

  test.each([".env", "app/.env.local", "keys/server.pem", ".ssh/config"])(
    "name %s secret",
    (path) => {
      expect(createJail().locate(path, "read").classes).toContain("secret");
    },
  );

  test.each(["app/[id]/**", "app/[id]/k", "app//[id]/./k", "./app/[id]/", "/app/[id]", "app/*/k"])(
    "deny the folder of a web framework by its name: %s",
    (glob) => {
      mkdirSync(join(root, "app/[id]"), { recursive: true });
      writeFileSync(join(root, "app/[id]/k"), "x");
      expect(
        findFault(() => createJail({ deny: [glob] }).openFile("app/[id]/k", everyObject)),
      ).toBe("denied");
    },
  );

  test("PT09: about hard links ask, deny, or allow", () => {
    linkSync(join(base, "ws-secrets/key"), join(root, "hard"));
    expect(createJail().locate("hard", "read").asksForHardLink).toBe(true);
    expect(findFault(() => createJail({ hardLinks: "deny" }).openFile("hard", everyObject))).toBe(
      "hardLink",
    );
    expect(read(createJail({ hardLinks: "allow" }), "hard")).toBe("outside");
  });
});

describe("a root", () => {
  test("that can only be read is not written", () => {
    const other = join(base, "ws-secrets");
    const jail = createJail({}, [{ path: other, access: "read" }]);
    expect(read(jail, join(other, "key"))).toBe("outside");
    expect(findFault(() => jail.openForWriting(join(other, "key"), everyObject))).toBe("readOnly");
  });

  test("inside of another one decides about its files", () => {
    const jail = createJail({}, [{ path: join(root, "src"), access: "read" }]);
    expect(findFault(() => jail.openForWriting(join(root, "src/deep/file.txt"), everyObject))).toBe(
      "readOnly",
    );
  });

  test("that is a link is its target", () => {
    symlinkSync(root, join(base, "alias"));
    const jail = openJail([{ path: join(base, "alias"), access: "write" }]);
    expect(read(jail, join(base, "alias", "src/deep/file.txt"))).toBe("inside");
    expect(read(jail, join(root, "src/deep/file.txt"))).toBe("inside");
  });

  test("that is missing, or a file, is an error of the configuration", () => {
    expect(() => openJail([{ path: join(base, "no"), access: "read" }])).toThrow(
      "cannot be opened",
    );
    expect(() => openJail([{ path: join(base, "ws-secrets/key"), access: "read" }])).toThrow(
      "is no folder",
    );
  });
});

describe.runIf(process.platform === "linux")("on Linux", () => {
  test("a pipe, a device and a file of the kernel are not opened", () => {
    execFileSync("mkfifo", [join(root, "pipe")]);
    expect(findFault(() => createJail().openFile("pipe", everyObject))).toBe("special");
    const all = openJail([{ path: "/", access: "read" }]);
    expect(findFault(() => all.openFile("/dev/zero", everyObject))).toBe("special");
    expect(findFault(() => all.openFile("/proc/self/environ", everyObject))).toBe("special");
    expect(findFault(() => all.openFolder("/sys", everyObject))).toBe("special");
  });

  test("a folder that is moved away while a file is written in it gets no file, nor does what is in its place", async () => {
    const jail = createJail();
    const place = jail.openForWriting("src/deep/new.txt", everyObject);
    renameSync(join(root, "src/deep"), join(root, "moved"));
    symlinkSync(join(base, "ws-secrets"), join(root, "src/deep"));
    await expect(replaceFile(place, Buffer.from("text"))).rejects.toMatchObject({
      fault: "changed",
    });
    place.close();
    expect(readdirSync(join(root, "moved"))).not.toContain("new.txt");
    expect(readdirSync(join(base, "ws-secrets"))).toEqual(["key"]);
  });

  test("no descriptor stays open", () => {
    const jail = createJail({ deny: ["private"] });
    symlinkSync("deep/file.txt", join(root, "src/near"));
    const count = (): number => readdirSync("/proc/self/fd").length;
    const before = count();
    for (const path of [
      "src/near",
      "src",
      "nope/x",
      "../x",
      "private/x",
      "src/deep/file.txt/x",
      "loop",
    ]) {
      for (const use of ["read", "write"] as const) findFault(() => jail.locate(path, use));
      findFault(() => jail.openFile(path, everyObject).close());
      findFault(() => jail.openFolder(path, everyObject).close());
      findFault(() => jail.openForWriting(path, everyObject).close());
    }
    expect(count()).toBe(before);
  });
});
