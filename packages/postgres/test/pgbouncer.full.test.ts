import { inject } from "vitest";
import { describePostgres } from "./support/describe-postgres.ts";

describePostgres(
  "in PostgreSQL behind pgbouncer in transaction mode",
  inject("pgbouncerUrl"),
  inject("postgresUrl"),
);
