import type { Question } from "./questions.ts";

/** A question, and the name of its tool; or names, if several tools answer it. */
type Row = readonly [text: string, ...tools: readonly [string, ...string[]]];

/** Questions of people who do not know how an API calls things; one right tool among the first ones is enough. */
interface NewcomerQuestions {
  /** The document, as the beginning of its file name in `specs`. */
  readonly document: string;
  readonly part: "tuned" | "held out";
  readonly questions: readonly Question[];
}

function toQuestions(rows: readonly Row[]): readonly Question[] {
  return rows.map(([text, ...tools]) => ({ text, tools }));
}

/** Twelve questions over GitHub's document, written before any search was run for them. */
export const gitHubQuestions: readonly Question[] = toQuestions([
  ["close an issue", "issues_update"],
  ["create a branch", "git_create_ref"],
  ["who am I", "users_get_authenticated"],
  ["star a repository", "activity_star_repo_for_authenticated_user"],
  ["list my organizations", "orgs_list_for_authenticated_user"],
  ["merge a pull request", "pulls_merge"],
  ["comment on an issue", "issues_create_comment"],
  ["add a label to an issue", "issues_add_labels"],
  ["delete a branch", "git_delete_ref"],
  ["show the readme of a repository", "repos_get_readme"],
  ["open a pull request", "pulls_create"],
  ["who follows me", "users_list_followers_for_authenticated_user"],
]);

/** Questions over three documents. Those over GitHub's were used to tune the search, the others only to judge it. */
export const newcomerQuestions: readonly NewcomerQuestions[] = [
  { document: "github", part: "tuned", questions: gitHubQuestions },
  {
    document: "github",
    part: "tuned",
    questions: toQuestions([
      ["rename a repository", "repos_update"],
      ["make a new repository", "repos_create_for_authenticated_user", "repos_create_in_org"],
      ["assign someone to an issue", "issues_add_assignees", "issues_update"],
      ["run a workflow by hand", "actions_create_workflow_dispatch"],
      [
        "see what changed between two branches",
        "repos_compare_commits",
        "repos_compare_commits_with_basehead",
      ],
      ["take a label off an issue", "issues_remove_label"],
      ["show open issues of a repo", "issues_list_for_repo"],
      ["get a file's content", "repos_get_content"],
      [
        "stop a running workflow",
        "actions_cancel_workflow_run",
        "actions_force_cancel_workflow_run",
      ],
      ["my unread notifications", "activity_list_notifications_for_authenticated_user"],
      ["invite a person to my repository", "repos_add_collaborator"],
      ["which languages is this repo written in", "repos_list_languages"],
    ]),
  },
  {
    document: "stripe",
    part: "held out",
    questions: toQuestions([
      [
        "give a customer their money back",
        "post_refunds",
        "post_charges_charge_refund",
        "post_charges_charge_refunds",
      ],
      ["how much money do I have", "get_balance"],
      ["add a new customer", "post_customers"],
      ["stop a subscription", "delete_subscriptions_subscription_exposed_id"],
      ["change the email of a customer", "post_customers_customer"],
      ["remove a customer", "delete_customers_customer"],
      ["email an invoice to the customer", "post_invoices_invoice_send"],
      ["make a discount code", "post_promotion_codes", "post_coupons"],
      ["find a customer by email", "get_customers_search", "get_customers"],
      ["what will the next invoice be", "get_invoices_upcoming"],
      ["send money to my bank account", "post_payouts"],
      ["show all products", "get_products"],
      ["cancel an invoice", "post_invoices_invoice_void"],
      ["who am I", "get_account"],
    ]),
  },
  {
    document: "digitalocean",
    part: "held out",
    questions: toQuestions([
      ["make a new server", "droplets_create"],
      ["turn off a droplet", "droplet_actions_post"],
      ["delete a droplet", "droplets_destroy"],
      ["who am I", "account_get"],
      ["how much do I owe", "balance_get"],
      ["add my public key", "ssh_keys_create"],
      ["show my bills", "invoices_list", "billing_history_list"],
      ["create a dns record", "domains_create_record"],
      ["make a backup of a volume", "volume_snapshots_create"],
      ["which machine sizes are there", "sizes_list"],
      ["attach a disk to a droplet", "volume_actions_post_by_id", "volume_actions_post"],
      ["clear the cdn cache", "cdn_purge_cache"],
      ["add a user to a database", "databases_add_user"],
      ["remove a domain", "domains_delete"],
    ]),
  },
];
