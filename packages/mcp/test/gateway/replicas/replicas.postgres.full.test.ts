import { postgresStore } from "@toolweave/postgres";
import { describe, inject } from "vitest";
import { cluster } from "../../support/replicas/cluster.ts";
import { describeReplicas } from "../../support/replicas/replica-rules.ts";

const url = inject("postgresUrl");
const { tasks } = postgresStore({ connectionString: url ?? "postgres://127.0.0.1/none" });
const canCancel = typeof tasks.requestCancel === "function";

// Without PostgreSQL, the setup says so.
describe.skipIf(url === undefined)("with PostgreSQL", () => {
  describeReplicas(() => cluster(url), canCancel);
});
