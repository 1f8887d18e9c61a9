import { must, should, type Requirement } from "./requirement.ts";

/** Rules about permissions. */
export const permissionRequirements: readonly Requirement[] = [
  must("TW-PERM-001", "7", "A read-only tool proposes no write."),
  must("TW-PERM-002", "7", "A tool with an effect is not marked as read-only.", ["effectCalls"]),
  must(
    "TW-PERM-003",
    "7",
    "A preflight proposes only permissions that the declared access allows.",
  ),
  must(
    "TW-PERM-004",
    "4",
    "A preflight returns a list of permissions with a known kind, a target and a summary that are not blank, and JSON details.",
  ),
  must("TW-PERM-005", "5", "A preflight proposes the same permissions for the same arguments."),
  must("TW-PERM-006", "5", "A preflight handles all arguments that the input schema accepts."),
  must("TW-PERM-007", "4", "A path that a preflight proposes is resolved: it contains no `..`."),
  must(
    "TW-PERM-008",
    "5",
    "A call that a policy denies or a person rejects has no effect.",
    ["effectCalls"],
    ["TW-PERM-006"],
  ),
  should(
    "TW-PERM-009",
    "7",
    "A function of the host with an effect declares it in its annotations or proposes a permission for it.",
    ["effectCalls"],
    ["TW-PERM-006"],
  ),
  must("TW-PERM-010", "4", "A preflight does not modify the arguments."),
  should(
    "TW-PERM-011",
    "4",
    "The summary of a permission is one line of at most 500 characters, without control characters.",
  ),
  should("TW-PERM-012", "4", "A tool with openWorldHint false does not use the network."),
  should("TW-PERM-013", "4", "The target of a network permission is an origin or a URL."),
  must("TW-PERM-014", "4", "A preflight has no side effects.", ["state"], ["TW-PERM-008"]),
  should("TW-PERM-015", "4", "A call does not propose the same permission twice."),
  must(
    "TW-PERM-016",
    "4",
    "A preflight proposes no permission that contains an argument which the schema marks as secret.",
    [],
    ["TW-PERM-006"],
  ),
  must(
    "TW-PERM-017",
    "7",
    "The target of a permission is one line without hidden characters: they are escaped, or the call is refused.",
    [],
    ["TW-PERM-004", "TW-PERM-006"],
  ),
];

const needs = ["suspendingCalls"] as const;
const asks = ["TW-SUSPEND-002"] as const;

/** Rules about calls that wait for a person. */
export const suspensionRequirements: readonly Requirement[] = [
  must(
    "TW-SUSPEND-001",
    "5",
    "A call that has to wait for a person is interrupted and has a request.",
    needs,
  ),
  must("TW-SUSPEND-002", "4", "A request to a person is not blank and can be answered.", needs, [
    "TW-SUSPEND-001",
  ]),
  must("TW-SUSPEND-003", "5", "An answered call resumes from JSON and completes.", needs, asks),
  must("TW-SUSPEND-004", "1", "An answered call resumes in another instance and executor.", needs, [
    "TW-SUSPEND-003",
  ]),
  must("TW-SUSPEND-005", "5", "A waiting call has had no effect.", needs, ["TW-SUSPEND-001"]),
  must("TW-SUSPEND-006", "5", "An answered call has its effect exactly once.", needs, [
    "TW-SUSPEND-003",
    "TW-SUSPEND-005",
  ]),
  must("TW-SUSPEND-007", "5", "A call that a person rejects ends without effect.", needs, [
    "TW-SUSPEND-003",
    "TW-SUSPEND-005",
  ]),
  must(
    "TW-SUSPEND-008",
    "5",
    "Until it is answered, the same call makes the same request.",
    needs,
    asks,
  ),
  must("TW-SUSPEND-009", "5", "Two waiting calls are answered independently.", needs, [
    "TW-SUSPEND-006",
    "TW-SUSPEND-008",
  ]),
  must("TW-SUSPEND-010", "5", "A waiting call sends nothing.", needs, ["TW-SUSPEND-001"]),
  should("TW-SUSPEND-011", "5", "The state of a waiting call is at most 64 KiB of JSON.", needs, [
    "TW-SUSPEND-001",
  ]),
  must(
    "TW-SUSPEND-012",
    "7",
    "An approved call resumes in another instance and executor, and has its effect exactly once.",
    ["effectCalls"],
    ["TW-PERM-005", "TW-CANCEL-001"],
  ),
  must(
    "TW-SUSPEND-013",
    "1",
    "A waiting call can be resumed after the source that it was made with was closed.",
    ["source", "suspendingCalls"],
    ["TW-SUSPEND-004", "TW-LIFE-003", "TW-LIFE-014"],
  ),
  must(
    "TW-SUSPEND-014",
    "4",
    "A request to a person contains no hidden or direction-changing characters; a target, an address or a code has no line breaks.",
    needs,
    asks,
  ),
];
