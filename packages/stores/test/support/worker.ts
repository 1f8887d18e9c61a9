// A child process that uses a store. It runs the job of its argument, and sends the results.
import { setTimeout as delay } from "node:timers/promises";
import { DatabaseSync } from "node:sqlite";
import { testArtifact, testInterruption } from "@toolweave/conformance/test-records";
import type { ToolEvent } from "@toolweave/core";
import type { AuditRecord, CredentialStore } from "@toolweave/core/stores";
import {
  auditFile,
  eventFile,
  fileArtifacts,
  fileCredentials,
  sqliteStore,
} from "../../src/index.ts";
import { artifactStore } from "./artifact-store.ts";

export type WorkerMessage = string | number | boolean | readonly string[];

const [, , job = "", path = "", ...rest] = process.argv;

function tell(message: WorkerMessage): void {
  process.send!(message);
}

/** The next message of the test. */
function nextMessage(): Promise<string> {
  return new Promise((resolve) => process.once("message", resolve));
}

/** The credentials at `path`, of the kind in the first argument. */
function credentialStore(): CredentialStore {
  return rest[0] === "files" ? fileCredentials(path) : sqliteStore(path).credentials;
}

/** Stays until it is killed, or until the test disconnects. */
function stay(): void {
  process.once("disconnect", () => process.exit());
}

const jobs: Readonly<Record<string, () => Promise<void>>> = {
  /** Claims every id; sends those that succeeded. */
  async claimAll() {
    const store = sqliteStore(path);
    tell("ready");
    const ids = (await nextMessage()).split(",");
    const results = await Promise.all(
      ids.map((id) => store.pendingCalls.claim(testInterruption(id))),
    );
    tell(ids.filter((_id, index) => results[index] === "claimed"));
    tell(ids.filter((_id, index) => results[index] === "running"));
    // Open claims: later processes must find them running.
    stay();
  },

  /**
   * Claims one call, and keeps running. With a second argument: with a clock that is wrong by that
   * amount.
   */
  async hold() {
    const [id = "", skew = "0"] = rest;
    const right = Date.now.bind(Date);
    Date.now = () => right() + Number(skew);
    const store = sqliteStore(path);
    tell(await store.pendingCalls.claim(testInterruption(id)));
    tell(Date.now());
    tell(await store.pendingCalls.now!());
    stay();
  },

  /** Claims one call, reserves, and has nothing more to do. */
  async end() {
    const store = sqliteStore(path);
    tell(await store.pendingCalls.claim(testInterruption("a")));
    await store.rateLimits.reserve([{ key: "k", amount: 1, limit: 1, windowMs: 1_000 }]);
    process.disconnect();
  },

  /** Adds without end; sends each id once `add` has resolved. */
  async addForever() {
    // On a busy machine it adds thousands before it is killed.
    const store = sqliteStore({ path, maxPendingCallsPerOwner: 1_000_000 });
    for (let id = 0; ; id++) {
      await store.pendingCalls.add(testInterruption(`${process.pid}-${id}`));
      tell(`${process.pid}-${id}`);
      // Waits until the message is sent.
      await new Promise((resolve) => setImmediate(resolve));
    }
  },

  /** Holds the write lock until it is told otherwise. */
  async lock() {
    const db = new DatabaseSync(path);
    db.exec("BEGIN IMMEDIATE");
    tell("locked");
    await nextMessage();
    db.exec("COMMIT");
    tell("free");
    stay();
  },

  /** Uses `count` of 10 in a second, waiting as long as the store requests. */
  async takeRate() {
    const store = sqliteStore(path);
    tell("ready");
    await nextMessage();
    for (let left = Number(rest[0]); left > 0;) {
      const taken = await store.rateLimits.reserve([
        { key: "tool:search", amount: 1, limit: 10, windowMs: 1_000 },
      ]);
      if (taken.granted) {
        await store.rateLimits.commit(taken.id);
        left--;
      } else await delay(taken.retryAfterMs);
    }
    tell("done");
  },

  /** Appends `count` records of about `size` characters. */
  async audit() {
    const [count, size, maxBytes] = rest.map(Number);
    const sink = auditFile(path, maxBytes === undefined ? {} : { maxBytes });
    tell("ready");
    await nextMessage();
    for (let index = 0; index < count!; index++) {
      await sink.write({
        time: index,
        tool: "t",
        decision: "allowed",
        callId: `${process.pid}-${index}`,
        reason: "x".repeat(size!),
      } as AuditRecord);
    }
    tell("done");
  },

  /**
   * Stores artifacts of a kind without end, each of `size` bytes; sends each word once `put` has
   * resolved.
   */
  async putForever() {
    const [kind = "", size] = rest;
    const store = artifactStore(kind, path);
    for (let count = 0; ; count++) {
      const word = `${process.pid}-${count}`;
      const { artifact, data } = testArtifact(word, Number(size));
      tell(`begins ${word}`);
      await store.put(artifact, data);
      tell(word);
      // Waits until the message is sent.
      await new Promise((resolve) => setImmediate(resolve));
    }
  },

  /** Uses everything that creates files, with a umask of 0. */
  async underUmask0() {
    process.umask(0);
    const { artifact, data } = testArtifact("a", 1_000);
    await fileArtifacts(`${path}/artifacts`).put(artifact, data);
    await sqliteStore(`${path}/database/store.db`).artifacts.put(artifact, data);
    await eventFile(`${path}/events/run.ndjson`).close();
    tell("done");
    stay();
  },

  /** Sends the stored token, and stores another. With a second argument: with a umask of 0. */
  async credential() {
    if (rest[1] === "umask") process.umask(0);
    const store = credentialStore();
    const key = { source: "museum", scheme: "oauth", caller: "ada" };
    const found = await store.get(key);
    tell(found?.type === "token" ? found.accessToken : "none");
    await store.set(key, { type: "secret", secret: "by another" });
    tell("set");
    stay();
  },

  /** Stores one secret after the other, each of one repeated character. */
  async setForever() {
    const store = credentialStore();
    const key = { source: "museum", scheme: "oauth", caller: "ada" };
    for (let count = 0; ; count++) {
      await store.set(key, { type: "secret", secret: `${count % 10}`.repeat(10_000) });
      if (count === 0) tell("begun");
    }
  },

  /** Records `count` events, each with a text of `size` characters. */
  async record() {
    const [count, size] = rest.map(Number);
    const recorder = eventFile(path);
    tell("ready");
    await nextMessage();
    for (let seq = 1; seq <= count!; seq++) {
      const message = "ä".repeat(size!);
      recorder({ type: "tool.rejected", seq, time: 1, message } as ToolEvent);
      if (seq % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await recorder.close();
    tell(recorder.stream);
    stay();
  },

  /** Opens the store as a user with read access only; sends the error. */
  async openAsReader() {
    if (process.getuid?.() === 0) process.setuid!(65_534);
    try {
      sqliteStore(path);
      tell("opened");
    } catch (error) {
      tell(JSON.stringify(error));
    }
  },

  /** Opens a store that other processes create at the same time. */
  async open() {
    tell("ready");
    await nextMessage();
    sqliteStore(path);
    tell("opened");
    stay();
  },
};

await jobs[job]!();
