import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

// Answers in the form and the size of GitHub's: the members that its documentation names, with made-up values.

const repo = "https://api.github.com/repos/octo/app";

function user(login: string, id: number): object {
  const url = `https://api.github.com/users/${login}`;
  return {
    login,
    id,
    node_id: `MDQ6VXNlcj${id}`,
    avatar_url: `https://avatars.githubusercontent.com/u/${id}?v=4`,
    gravatar_id: "",
    url,
    html_url: `https://github.com/${login}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: "User",
    site_admin: false,
  };
}

const people = ["ada", "alan", "grace", "edsger", "barbara", "donald"];
const person = (n: number): object => user(people[n % people.length] as string, 1000 + (n % 6));
const day = (n: number): string =>
  `2026-${String(1 + (n % 11)).padStart(2, "0")}-${String(1 + (n % 28)).padStart(2, "0")}T09:00:00Z`;
const names = ["bug", "enhancement", "documentation", "question"];
const label = (n: number): object => ({
  id: 500 + n,
  node_id: `LA_${n}`,
  url: `${repo}/labels/${names[n]}`,
  name: names[n],
  description: `Issues of the kind ${names[n]}`,
  color: "d73a4a",
  default: true,
});
const sha = (n: number): string => (n * 2654435761).toString(16).padStart(40, "a").slice(0, 40);

function issue(n: number): object {
  const url = `${repo}/issues/${n}`;
  return {
    id: 90_000 + n,
    node_id: `I_${n}`,
    url,
    repository_url: repo,
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: `https://github.com/octo/app/issues/${n}`,
    number: n,
    state: "open",
    title: `The page ${n} is not as it should be`,
    body: `When I open page ${n} and press the button, the list stays empty. I expect the entries of last week. It happens in two browsers, and began with the last release.`,
    user: person(n),
    labels: n % 5 === 0 ? [] : [label(n % 4)],
    assignee: n % 3 === 0 ? null : person(n + 1),
    assignees: n % 3 === 0 ? [] : [person(n + 1)],
    milestone: null,
    locked: false,
    active_lock_reason: null,
    comments: (n * 7) % 13,
    closed_at: null,
    created_at: day(n),
    updated_at: day(n + 3),
    author_association: "CONTRIBUTOR",
    state_reason: null,
  };
}

function pull(n: number, whole: boolean): object {
  return {
    ...issue(n),
    id: 70_000 + n,
    draft: n % 4 === 0,
    head: { label: `octo:change-${n}`, ref: `change-${n}`, sha: sha(n), user: person(n) },
    base: { label: "octo:main", ref: "main", sha: sha(1), user: person(0) },
    merge_commit_sha: sha(n + 7),
    ...(whole
      ? {
          merged: false,
          mergeable: true,
          comments: n % 5,
          review_comments: n % 7,
          commits: 1 + (n % 4),
          additions: (n * 37) % 400,
          deletions: (n * 17) % 200,
          changed_files: 1 + (n % 9),
        }
      : {}),
  };
}

function run(n: number): object {
  const flows = ["build", "test", "release", "docs"];
  return {
    id: 30_000 + n,
    name: flows[n % 4],
    node_id: `WFR_${n}`,
    head_branch: "main",
    head_sha: sha(n),
    path: `.github/workflows/${flows[n % 4]}.yml`,
    display_title: `Change ${n}`,
    run_number: n,
    event: "push",
    status: "completed",
    conclusion: n % 6 === 0 || n % 7 === 0 ? "failure" : "success",
    workflow_id: 10 + (n % 4),
    url: `${repo}/actions/runs/${30_000 + n}`,
    html_url: `https://github.com/octo/app/actions/runs/${30_000 + n}`,
    created_at: day(n),
    updated_at: day(n),
    run_attempt: 1,
    jobs_url: `${repo}/actions/runs/${30_000 + n}/jobs`,
    logs_url: `${repo}/actions/runs/${30_000 + n}/logs`,
    actor: person(n),
    head_commit: { id: sha(n), message: `Change ${n}`, timestamp: day(n) },
  };
}

function commit(n: number): object {
  const who = people[(n * n) % people.length] as string;
  return {
    sha: sha(n),
    node_id: `C_${n}`,
    url: `${repo}/commits/${sha(n)}`,
    html_url: `https://github.com/octo/app/commit/${sha(n)}`,
    commit: {
      author: { name: who, email: `${who}@example.com`, date: day(n) },
      committer: { name: who, email: `${who}@example.com`, date: day(n) },
      message: `Change ${n} of the list of entries`,
      tree: { sha: sha(n + 1), url: `${repo}/git/trees/${sha(n + 1)}` },
      url: `${repo}/git/commits/${sha(n)}`,
      comment_count: 0,
      verification: { verified: true, reason: "valid", signature: null, payload: null },
    },
    author: user(who, 1000 + people.indexOf(who)),
    committer: user(who, 1000 + people.indexOf(who)),
    parents: [{ sha: sha(n + 2), url: `${repo}/commits/${sha(n + 2)}` }],
  };
}

const branches = Array.from({ length: 9 }, (_, n) => (n === 0 ? "main" : `feature-${n}`));
const branch = (name: string): object => {
  const n = branches.indexOf(name);
  return {
    name,
    commit: commit(n * 3 + 1),
    protected: n === 0,
    protection_url: `${repo}/branches/${name}/protection`,
  };
};

function release(n: number): object {
  return {
    id: 200 + n,
    node_id: `RE_${n}`,
    url: `${repo}/releases/${200 + n}`,
    html_url: `https://github.com/octo/app/releases/v1.${n}.0`,
    tag_name: `v1.${n}.0`,
    target_commitish: "main",
    name: `1.${n}`,
    body: `The release 1.${n} with ${n + 3} changes: faster lists, fewer faults, and a page for settings.`,
    draft: false,
    prerelease: n % 5 === 0,
    created_at: day(n),
    published_at: day(n),
    author: person(n),
    assets: ["linux", "macos", "windows"].map((system, index) => ({
      id: 400 + 3 * n + index,
      name: `app-${system}.zip`,
      label: "",
      state: "uploaded",
      content_type: "application/zip",
      size: 1_000_000 + n,
      download_count: (n * 131 + index * 57) % 900,
      created_at: day(n),
      updated_at: day(n),
      browser_download_url: `https://github.com/octo/app/releases/download/v1.${n}.0/app-${system}.zip`,
      uploader: person(n),
    })),
  };
}

function answer(method: string, path: string, query: URLSearchParams): unknown {
  const page = Number(query.get("page") ?? 1);
  const size = Number(query.get("per_page") ?? 30);
  const paged = (total: number, make: (n: number) => object): object[] =>
    Array.from({ length: total }, (_, n) => n + 1)
      .slice((page - 1) * size, page * size)
      .map(make);
  const [, part = "", key = "", sub = ""] =
    /^\/repos\/octo\/app\/(\w+)(?:\/([\w-]+))?(?:\/(\w+))?$/.exec(path) ?? [];
  if (method === "POST" && sub === "labels") return [label(3)];
  if (part === "issues") return paged(30, issue);
  if (part === "pulls")
    return key === "" ? paged(12, (n) => pull(100 + n, false)) : pull(Number(key), true);
  if (part === "actions") return { total_count: 30, workflow_runs: paged(30, run) };
  if (part === "commits") return paged(40, commit);
  if (part === "releases") return paged(10, release);
  if (part === "branches")
    return key === ""
      ? branches.map((name, n) => ({
          name,
          commit: { sha: sha(n * 3 + 1), url: repo },
          protected: n === 0,
        }))
      : branch(key);
  return undefined;
}

/** A server with recorded answers, until it is closed. */
export async function startGithub(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const body = answer(request.method ?? "GET", pathname, searchParams);
    request.resume();
    response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(body ?? { message: "Not Found" }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => void server.close(),
  };
}
