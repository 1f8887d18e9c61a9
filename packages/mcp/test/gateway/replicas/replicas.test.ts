import { cluster } from "../../support/replicas/cluster.ts";
import { describeReplicas } from "../../support/replicas/replica-rules.ts";

describeReplicas(() => cluster());
