/** After the help of `toolweave`. */
export const examples = `
Examples:
  $ toolweave inspect --openapi https://petstore3.swagger.io/api/v3/openapi.json
  $ toolweave inspect --mcp 'npx -y @modelcontextprotocol/server-memory'
  $ toolweave serve --config toolweave.json
  $ toolweave search 'find a pet by its status' --openapi openapi.yaml
  $ toolweave call get_pet_by_id petId=7 --openapi openapi.yaml
  $ toolweave approvals list
  $ toolweave policy explain delete_pet petId=7 --openapi openapi.yaml
  $ toolweave conform ./my-tools.ts

\`toolweave <command> --help\` has more of them.
`;

/** After the help of `toolweave inspect`. */
export const inspectExamples = `
Examples:
  $ toolweave inspect --openapi openapi.yaml
  $ toolweave inspect --openapi https://api.example.com/openapi.json --filter 'list_*'
  $ toolweave inspect --openapi openapi.yaml --filter get_pet    # and the arguments of this one
  $ toolweave inspect --openapi openapi.yaml --policy strict     # and what it lets run
  $ toolweave inspect --openapi openapi.yaml --json | jq '.tools[].name'
  $ toolweave inspect --config toolweave.json
  $ toolweave inspect --mcp 'npx -y @modelcontextprotocol/server-memory'
  $ toolweave inspect --mcp https://mcp.example.com/mcp --auth 'bearer:$TOKEN'
  $ toolweave inspect --check                       # against toolweave.lock.json

"asks first" marks the calls that a person has to approve, unless --yes does; "denied" those that
the policy never lets run. \`toolweave policy explain\` tells why.
`;

/** After the help of `toolweave lock`. */
export const lockExamples = `
Examples:
  $ toolweave lock                                  # of the toolweave.json of this folder
  $ toolweave lock --config toolweave.json
  $ toolweave inspect --check                       # ends with 1 when a tool has changed
  $ toolweave serve --locked                        # leaves out what has changed

A server can change what it says of a tool after you have looked at it. Keep the file with your
configuration, and look at what changes before you lock again.
`;

/** After the help of `toolweave search`. */
export const searchExamples = `
Examples:
  $ toolweave search cancel an invoice --openapi stripe.json
  $ toolweave search 'rotate the ssh keys' --limit 3 --openapi github.json
  $ toolweave search refund --openapi stripe.json --json | jq -r '.tools[].name'
`;

/** After the help of \`toolweave call\`. */
export const callExamples = `
Examples:
  $ toolweave call get_pet id=7 --openapi openapi.yaml
  $ toolweave call add_pet name=Rex tags=dog tags=big owner.name=Ada --yes --openapi openapi.yaml
  $ toolweave call add_pet --args @pet.json --json --openapi openapi.yaml
  $ toolweave call list_repos --auth 'bearer:$GITHUB_TOKEN' --openapi github.json
  $ toolweave call add_pet name=Rex --policy rules.json --openapi openapi.yaml
  $ toolweave call memory__read_graph --config toolweave.json
  $ toolweave call librarian task='Which notes are from May?'     # an agent of toolweave.json
  $ toolweave call get_photo id=7 --output photo.png --openapi openapi.yaml

A value of --auth or --header that is $NAME, in single quotes, is read from the environment, so that
no secret stands in the list of processes or in the shell's history, or in the store: a call that
waits is kept with what it was made with, but never with a secret.

Where nobody can be asked, a call that needs a person ends with 3 and prints the commands that
approve or reject it: for 24 hours, in any process that has the same store and key.
`;

/** After the help of `toolweave policy`. */
export const policyExamples = `
Examples:
  $ toolweave policy explain delete_pet id=7 --policy strict --openapi openapi.yaml

\`toolweave policy explain --help\` has more of them, and a policy as a file.
`;

/** After the help of `toolweave policy explain`. */
export const explainExamples = `
Examples:
  $ toolweave policy explain delete_pet id=7 --openapi openapi.yaml
  $ toolweave policy explain delete_pet --policy strict --openapi openapi.yaml
  $ toolweave policy explain add_pet name=Rex --policy rules.json --caller ada --role admin \\
      --openapi openapi.yaml

A file has one policy, or a list of which each can only narrow those before it:
  {
    "preset": "supervised",
    "rules": [
      { "effect": "allow", "tools": "add_*", "callers": { "roles": "admin" } },
      { "effect": "deny", "permissions": { "kind": "network", "target": "DELETE *" } }
    ]
  }
Deny goes before ask, and ask before allow, in whatever order they stand.
`;

/** After the help of `toolweave serve`. */
export const serveExamples = `
Examples:
  $ toolweave serve --config toolweave.json
  $ toolweave serve --locked --policy strict
  $ toolweave serve --http
  $ toolweave serve --http 0.0.0.0:8137 --token-env GATEWAY_TOKEN
  $ toolweave serve --openapi https://api.example.com/openapi.json --auth 'bearer:$TOKEN'

A host starts it with this line in its own mcpServers:
  "tools": {
    "command": "npx",
    "args": ["-y", "toolweave", "serve", "--config", "/path/toolweave.json"]
  }

What needs a person is asked of the client's user, where the client can do that. Elsewhere the call
is kept, and its answer has the command of \`toolweave approvals\` that goes on with it; always so
with --approvals out-of-band. Over HTTP other machines are let in with a token only.
`;

/** After the help of `toolweave trust`. */
export const trustExamples = `
Examples:
  $ toolweave trust                                 # the toolweave.json of this folder
  $ toolweave trust ~/work/shop
  $ toolweave trust --list
  $ toolweave trust --revoke ~/work/shop

A toolweave.json that a command finds in the current folder may have come with the folder. On a
terminal the first command with it asks; elsewhere, with --json and where CI is set it ends with 3.
The question comes again, with what has changed, when the file changes, or a file that it names:
prompts, envFiles, documents, and files and packages of the folder that programs are started with.
What is trusted is kept for this user alone, in toolweave/trusted of $XDG_CONFIG_HOME or ~/.config.
`;

/** After the help of `toolweave login`. */
export const loginExamples = `
Examples:
  $ toolweave login linear --config toolweave.json
  $ toolweave login --mcp https://mcp.example.com/mcp

Tokens are kept in files of this user alone, in the folder that the configuration names as "store",
else beside the store of \`toolweave approvals\`.
`;

/** After the help of `toolweave approvals`. */
export const approvalsExamples = `
Examples:
  $ toolweave approvals list
  $ toolweave approvals show 3f2a91
  $ toolweave approvals approve 3f2a91
  $ toolweave approvals reject 3f2a91 --reason 'not before Monday'

The store is --store, else $TOOLWEAVE_STORE, else toolweave/approvals.sqlite in $XDG_STATE_HOME or
~/.local/state. Without $HOME, ~ is the home folder that the system has for the user. What waits
there is sealed with $TOOLWEAVE_KEY (32 bytes or more), else with the key in the file beside it
(approvals.sqlite.key), which is made when first needed.
`;

/** After the help of `toolweave approvals list`. */
export const listExamples = `
Examples:
  $ toolweave approvals list
  $ toolweave approvals list --json | jq -r '.calls[] | select(.status == "pending") | .id'

"claimed" runs now, or has just lost its process. "unfinished" began to run and never came to its
end: look at what it did. It is not run again; \`toolweave approvals reject\` takes it off the list.
`;

/** After the help of `toolweave approvals show`. */
export const showExamples = `
Examples:
  $ toolweave approvals show 3f2a91
  $ toolweave approvals show 3f2a91 --json | jq '.requests[].grant'
`;

/** After the help of `toolweave approvals approve`. */
export const approveExamples = `
Examples:
  $ toolweave approvals approve 3f2a91
  $ toolweave approvals approve 3f2a91 --always             # exactly this, from now on
  $ toolweave approvals approve 3f2a91 --arguments '{"id": 8}'
  $ toolweave approvals approve 3f2a91 --auth 'bearer:$TOKEN'

The call is made as it was: with the same document, address, options and policy. Secrets are not
kept, so that --auth and --header have to be given again unless they were $NAME. A call runs once;
if it now does something else than what was shown, it waits anew.
`;

/** After the help of `toolweave approvals reject`. */
export const rejectExamples = `
Examples:
  $ toolweave approvals reject 3f2a91
  $ toolweave approvals reject 3f2a91 --reason 'not before Monday' --by ada
`;

/** After the help of `toolweave approvals resume`. */
export const resumeExamples = `
Examples:
  $ toolweave approvals resume 3f2a91
  $ toolweave approvals resume 3f2a91 --answer '{"type": "input", "value": {"name": "Rex"}}'
  $ toolweave approvals resume 3f2a91 --answer @answers.json

An answer is for the request that its "requestId" names; without it, for all:
  {"type": "approve"}                           to an approval; to auth: "I have signed in"
  {"type": "approve", "grant": "always"}        and to all calls like this one
  {"type": "approve", "arguments": {"id": 8}}   to other arguments
  {"type": "reject", "reason": "not now"}       to anything: the call does not run
  {"type": "input", "value": "Rex"}             to input, or to auth
  {"type": "result", "value": 42}               to a result
Every request needs its answer at once. \`toolweave approvals show <id> --json\` has their ids.
`;

/** After the help of `toolweave approvals grants`. */
export const grantsExamples = `
Examples:
  $ toolweave approvals grants
  $ toolweave approvals grants --json | jq '.grants[].permission'
`;

/** After the help of `toolweave approvals revoke`. */
export const revokeExamples = `
Examples:
  $ toolweave approvals revoke 8c01de
`;

/** After the help of `toolweave conform`. */
export const conformExamples = `
Examples:
  $ toolweave conform ./my-tools.ts
  $ toolweave conform --openapi openapi.yaml
  $ toolweave conform --mcp 'npx -y my-mcp-server --read-only'
  $ toolweave conform --config conformance.json --junit report.xml --badge badge.json
  $ toolweave conform ./my-tools.ts --only TW-SPEC-003 --seed 7     # one rule, as it was
  $ toolweave conform ./my-tools.ts --only SPEC --only NAME --json | jq '.rules[] | .id'

A module exports, as its default: a manifest of @toolweave/conformance, or a list of them; a tool,
or a list of tools; a source; or a function that makes one of these. Without a manifest no tool is
ever called: rules that need calls are "not applicable". A file for --config has such calls:
  {
    "name": "my server",
    "mcp": { "command": "my-mcp-server", "env": { "API_KEY": "$API_KEY" } },
    "samples": {
      "succeedingCalls": [{ "tool": "find_book", "arguments": { "title": "Emma" } }],
      "failingCalls": [{ "tool": "find_book", "arguments": { "title": "" } }]
    },
    "secrets": ["API_KEY"],
    "without": { "slowCalls": "every tool answers at once" }
  }
In place of "mcp" it has "openapi" or "module", a URL or a path beside the file. "secrets" are names
of environment variables. { "subjects": [...] } tests several.
`;
