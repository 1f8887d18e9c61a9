import { expect, test } from "vitest";
import { installedPackages, installLines } from "../scripts/rehearsal/install-lines.ts";

const page = `Some text.

npx outside of a block

\`\`\`sh
npm install @toolweave/core   # a comment
  npm create toolweave my-app -- --yes
npx toolweave inspect
npx -y pnpm@12 test
npm test
\`\`\`

\`\`\`text
npx in output
\`\`\`
`;

test("the lines to rehearse are those of shell blocks that install or run published packages", () => {
  expect(installLines(page, "README.md")).toEqual([
    { page: "README.md", line: 6, command: "npm install @toolweave/core   # a comment" },
    { page: "README.md", line: 7, command: "npm create toolweave my-app -- --yes" },
    { page: "README.md", line: 8, command: "npx toolweave inspect" },
  ]);
});

test.each([
  ["npm install @toolweave/core ai   # Node.js 22.19", ["@toolweave/core", "ai"]],
  ["npm install --save-dev vitest", ["vitest"]],
  ["npx toolweave inspect", []],
])("%s installs %j", (command, names) => {
  expect(installedPackages(command)).toEqual(names);
});
