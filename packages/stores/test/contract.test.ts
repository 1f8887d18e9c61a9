import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describeStore, FakeClock } from "@toolweave/conformance/stores";
import type { AuditRecord } from "@toolweave/core/stores";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { auditFile, fileArtifacts, fileCredentials, fileLists, sqliteStore } from "../src/index.ts";

describeStore(
  "in SQLite",
  ({ maxPerOwner, ...limits }) => {
    const clock = new FakeClock();
    const path = join(tempFolder(), "store.db");
    const { maxArtifactBytes, maxArtifactBytesPerOwner = maxArtifactBytes } = limits;
    const counts = maxPerOwner ?? 10_000;
    return {
      clock,
      open: () =>
        sqliteStore({
          path,
          clock,
          maxPendingCallsPerOwner: counts,
          maxTasksPerOwner: counts,
          maxMemoriesPerOwner: counts,
          maxSchedulesPerOwner: counts,
          ...limits,
          ...(maxArtifactBytesPerOwner === undefined ? {} : { maxArtifactBytesPerOwner }),
        }),
    };
  },
  {
    ports: [
      "pendingCalls",
      "grants",
      "rateLimits",
      "tasks",
      "ledger",
      "artifacts",
      "credentials",
      "schedules",
      "memory",
    ],
  },
);

describeStore(
  "in files",
  ({ maxArtifactBytes, maxArtifactBytesPerOwner = maxArtifactBytes }) => {
    const clock = new FakeClock();
    const folder = tempFolder();
    const audit = join(folder, "audit.jsonl");
    return {
      clock,
      open: () => ({
        artifacts: fileArtifacts({
          path: join(folder, "artifacts"),
          clock,
          ...(maxArtifactBytes === undefined ? {} : { maxBytes: maxArtifactBytes }),
          ...(maxArtifactBytesPerOwner === undefined
            ? {}
            : { maxBytesPerOwner: maxArtifactBytesPerOwner }),
        }),
        credentials: fileCredentials(join(folder, "credentials")),
        lists: fileLists(join(folder, "lists")),
        audit: auditFile(audit),
      }),
      readAudit: () =>
        readFileSync(audit, "utf8")
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line) as AuditRecord),
    };
  },
  { ports: ["artifacts", "credentials", "lists", "audit"] },
);
