import type { Read, Task } from "../task.ts";

const at = { owner: "octo", repo: "app" };

/** A result of many entries is read in pages, as it is too long for a model otherwise. */
async function pages(
  turn: Parameters<Task["plain"]>[0],
  name: string,
  count: number,
  args: object = {},
): Promise<Read[]> {
  const all: Read[] = [];
  for (let page = 1; page <= count; page++) {
    const [list] = (await turn([name, { ...at, per_page: 10, page, ...args }])) as Read[];
    all.push(...(Array.isArray(list) ? list : list.workflow_runs));
  }
  return all;
}

/** Tasks over GitHub's document, with recorded answers. */
export const githubTasks: readonly Task[] = [
  {
    name: "bugs without an assignee",
    source: "github",
    prompt: "Which open issues of octo/app have the label bug and no assignee? Their numbers.",
    plain: async (turn) =>
      (await pages(turn, "issues_list_for_repo", 3))
        .filter(
          ({ labels, assignee }) =>
            assignee === null && labels.some(({ name }: Read) => name === "bug"),
        )
        .map(({ number }) => number),
    describe: ["issues_list_for_repo"],
    scripts: [
      `issues = issues_list_for_repo(owner="octo", repo="app", per_page=100)
[i["number"] for i in issues if not i["assignee"] and "bug" in [l["name"] for l in i["labels"]]]`,
    ],
  },
  {
    name: "size of the open pull requests",
    source: "github",
    prompt:
      "How many lines do the open pull requests of octo/app add and delete together? Leave out drafts.",
    plain: async (turn) => {
      const open = (await pages(turn, "pulls_list", 3, { per_page: 5 })).filter(
        ({ draft }) => !draft,
      );
      const whole = (await turn(
        ...open.map(({ number }) => ["pulls_get", { ...at, pull_number: number }] as const),
      )) as Read[];
      const total = (key: string): number => whole.reduce((sum, pull) => sum + pull[key], 0);
      return [total("additions"), total("deletions")];
    },
    describe: ["pulls_list", "pulls_get"],
    scripts: [
      `pulls = [pulls_get(owner="octo", repo="app", pull_number=p["number"]) for p in pulls_list(owner="octo", repo="app", per_page=100) if not p["draft"]]
[sum([p["additions"] for p in pulls]), sum([p["deletions"] for p in pulls])]`,
    ],
  },
  {
    name: "failed runs by workflow",
    source: "github",
    prompt: "How many of the last 30 workflow runs of octo/app failed, by workflow?",
    plain: async (turn) => {
      const failed: Record<string, number> = {};
      for (const { name, conclusion } of await pages(
        turn,
        "actions_list_workflow_runs_for_repo",
        3,
      ))
        if (conclusion === "failure") failed[name] = (failed[name] ?? 0) + 1;
      return failed;
    },
    describe: ["actions_list_workflow_runs_for_repo"],
    scripts: [
      `result = {}
for r in actions_list_workflow_runs_for_repo(owner="octo", repo="app", per_page=30)["workflow_runs"]:
    if r["conclusion"] == "failure":
        result[r["name"]] = result.get(r["name"], 0) + 1`,
    ],
  },
  {
    name: "commits by author",
    source: "github",
    prompt:
      "How many of the last 40 commits of octo/app are by each author? Sorted by number, most first.",
    plain: async (turn) => {
      const counts = new Map<string, number>();
      for (const { commit } of await pages(turn, "repos_list_commits", 4))
        counts.set(commit.author.name, (counts.get(commit.author.name) ?? 0) + 1);
      return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    },
    describe: ["repos_list_commits"],
    scripts: [
      `counts = {}
for page in [1, 2]:
    for c in repos_list_commits(owner="octo", repo="app", per_page=20, page=page):
        name = c["commit"]["author"]["name"]
        counts[name] = counts.get(name, 0) + 1
sorted([[n, counts[n]] for n in counts], key=lambda p: (-p[1], p[0]))`,
    ],
  },
  {
    name: "branches without work since June",
    source: "github",
    prompt:
      "Which branches of octo/app, without protected ones, have a last commit from before June 2026?",
    plain: async (turn) => {
      const [list] = (await turn(["repos_list_branches", at])) as [Read[]];
      const open = list.filter((branch) => !branch.protected);
      const whole = (await turn(
        ...open.map(({ name }) => ["repos_get_branch", { ...at, branch: name }] as const),
      )) as Read[];
      return whole
        .filter(({ commit }) => commit.commit.author.date < "2026-06")
        .map(({ name }) => name);
    },
    describe: ["repos_list_branches", "repos_get_branch"],
    scripts: [
      `result = []
for b in repos_list_branches(owner="octo", repo="app"):
    if not b["protected"]:
        last = repos_get_branch(owner="octo", repo="app", branch=b["name"])["commit"]["commit"]["author"]["date"]
        if last < "2026-06":
            result.append(b["name"])`,
    ],
  },
  {
    name: "downloads by system",
    source: "github",
    prompt:
      "How often were the files of all releases of octo/app downloaded, by file name? Leave out prereleases.",
    plain: async (turn) => {
      const all = [...(await pages(turn, "repos_list_releases", 2, { per_page: 5 }))].filter(
        ({ prerelease }) => !prerelease,
      );
      const totals: Record<string, number> = {};
      for (const { name, download_count } of all.flatMap(({ assets }) => assets))
        totals[name] = (totals[name] ?? 0) + download_count;
      return totals;
    },
    describe: ["repos_list_releases"],
    scripts: [
      `result = {}
for r in repos_list_releases(owner="octo", repo="app", per_page=100):
    if not r["prerelease"]:
        for a in r["assets"]:
            result[a["name"]] = result.get(a["name"], 0) + a["download_count"]`,
    ],
  },
  {
    name: "label what has no label",
    source: "github",
    prompt:
      "Give every open issue of octo/app without a label the label question. Which ones are they?",
    plain: async (turn) => {
      const bare = (await pages(turn, "issues_list_for_repo", 3)).filter(
        ({ labels }) => labels.length === 0,
      );
      await turn(
        ...bare.map(({ number }) => {
          const body = { labels: ["question"] };
          return ["issues_add_labels", { ...at, issue_number: number, body }] as const;
        }),
      );
      return bare.map(({ number }) => number);
    },
    describe: ["issues_list_for_repo", "issues_add_labels"],
    scripts: [
      `result = [i["number"] for i in issues_list_for_repo(owner="octo", repo="app", per_page=100) if not i["labels"]]
for n in result:
    issues_add_labels(owner="octo", repo="app", issue_number=n, body={"labels": ["question"]})`,
    ],
  },
];
