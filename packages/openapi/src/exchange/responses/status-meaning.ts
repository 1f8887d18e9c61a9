/** The meaning of a failure status for the model that made the call. */
export interface StatusMeaning {
  /** True if the same call may succeed later. */
  readonly retryable: boolean;
  /** Advice for the model, unless the status and the body already contain it. */
  readonly advice?: string;
}

const theirs = "The API failed: try again later, or with other arguments.";

const later = (advice: string): StatusMeaning => ({ retryable: true, advice });
const never = (advice: string): StatusMeaning => ({ retryable: false, advice });

/** RFC 9110, section 15; RFC 6585; RFC 8470; RFC 4918; 520 to 530: proxies; 529: overloaded. */
const meanings: Readonly<Record<number, StatusMeaning>> = {
  402: never("Payment is required: a person has to pay first."),
  405: never("The API does not support this operation here: use another tool."),
  406: never("The API cannot answer in a supported format."),
  407: never("A proxy requires credentials: the host has to configure them."),
  408: later("The API did not receive the request in time: try again."),
  409: never("The request conflicts with the current state: read that state, then decide."),
  410: never("The resource was removed permanently."),
  412: never("The resource has changed since it was read: read it again, then decide."),
  413: never("The request is larger than the API accepts: send less."),
  414: never("The arguments are too long for a URL: send less."),
  415: never("The API does not accept content of this type."),
  423: never("The resource is locked: another client is working on it."),
  424: never("An action on which the request depends has failed."),
  425: later("The API was not ready for the request: try again."),
  428: never(
    "The API requires the version of the resource: read it first, and send the required condition.",
  ),
  429: later("Too many requests were sent."),
  431: never("The arguments are too long for headers: send less."),
  451: never("The resource is not available for legal reasons."),
  500: never(theirs),
  501: never("The API does not support this: use another tool."),
  502: later(theirs),
  503: later("The API is temporarily overloaded or down: try again later."),
  504: later(`${theirs} The request may still be in progress.`),
  505: never(theirs),
  507: never("The API has no storage left."),
  508: never(theirs),
  511: never("The network requires a sign-in: the host has to complete it."),
  520: later(theirs),
  521: later("The API is temporarily down: try again later."),
  522: later("The API does not answer at the moment: try again later."),
  523: later("The API cannot be reached at the moment: try again later."),
  524: later(`${theirs} The request may still be in progress.`),
  525: never("There is no secure connection to the API: the host has to fix it."),
  526: never("There is no secure connection to the API: the host has to fix it."),
  529: later("The API is overloaded: try again later."),
};

const plain: StatusMeaning = { retryable: false };

/** Returns the meaning of a status; for an undefined status, that of its class (RFC 9110, section 15). */
export function getStatusMeaning(status: number): StatusMeaning {
  return meanings[status] ?? (status >= 500 ? { retryable: false, advice: theirs } : plain);
}
