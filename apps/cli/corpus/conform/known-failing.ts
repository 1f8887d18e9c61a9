/** The rules that each document breaks, with the reason, which is in the documents themselves. */
export const brokenByDocuments: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "digitalocean-multi/DigitalOcean-public.v2.yaml": {
    "TW-SPEC-032":
      "app_log_destination_logtail_spec.yml requires `endpoint` and describes `token` only: the value to send is unknown.",
    "TW-SPEC-033":
      "chat_completion_request.yml gives `stop` the default null, which its oneOf of a text and a list refuses.",
    "TW-SPEC-034":
      "databases_patch_config has more than 250 properties: within the budget of a schema there is room for their names alone.",
  },
  "figma-3.1.yaml": {
    "TW-SPEC-032": "putWebhook requires `team_id` in a body that has no such property.",
  },
  "qdrant-3.0.json": {
    "TW-SPEC-041":
      "PUT /collections/{collection_name}/shards has a summary that repeats its operationId, and no description.",
  },
};

/** The rules that each server breaks, with the reason. */
export const brokenByServers: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "server-filesystem": {
    "TW-CONC-004":
      "edit_file reads the file, changes the text and renames a copy into its place without a lock: of several edits at once one remains, and all are answered with success.",
  },
};
