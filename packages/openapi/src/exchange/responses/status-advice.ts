/** What a status of failure means for whoever made the call. */
export interface StatusMeaning {
  /** The same call may succeed later. */
  readonly retryable: boolean;
  /** What the model can do, where the status and the body do not say it. */
  readonly advice?: string;
}

const theirs = "The API failed: try again later, or with other arguments.";

const later = (advice: string): StatusMeaning => ({ retryable: true, advice });
const never = (advice: string): StatusMeaning => ({ retryable: false, advice });

/** RFC 9110, section 15; RFC 6585; RFC 8470; RFC 4918; 520 to 530: proxies; 529: overloaded. */
const meanings: Readonly<Record<number, StatusMeaning>> = {
  402: never("It has to be paid for first: a person has to do that."),
  405: never("The API does not do this here: use another tool."),
  406: never("The API has no answer in a form that can be read here."),
  407: never("A proxy wants credentials: the host has to see to it."),
  408: later("The API did not get the request in time: call it again."),
  409: never("It conflicts with what is there: read the current state, then decide."),
  410: never("It is gone for good."),
  412: never("It has changed since it was read: read it again, then decide."),
  413: never("It is more than the API takes: send less."),
  414: never("The arguments are too long for an address: send less."),
  415: never("The API does not take content of this type."),
  423: never("It is locked: somebody else is at work on it."),
  424: never("Something that it depends on has failed before."),
  425: later("The API was not ready for it: call it again."),
  428: never(
    "The API wants to know which version is meant: read it first, and send what it asks for.",
  ),
  429: later("There were too many calls."),
  431: never("The arguments are too long for headers: send less."),
  451: never("It is withheld for legal reasons."),
  500: never(theirs),
  501: never("The API cannot do this: use another tool."),
  502: later(theirs),
  503: later("The API is overloaded or down for a while: call it later."),
  504: later(`${theirs} It may still be at work.`),
  505: never(theirs),
  507: never("The API has no room left."),
  508: never(theirs),
  511: never("The network wants a sign-in: the host has to see to it."),
  520: later(theirs),
  521: later("The API is down for a while: call it later."),
  522: later("The API does not answer for the moment: call it later."),
  523: later("The API cannot be reached for the moment: call it later."),
  524: later(`${theirs} It may still be at work.`),
  525: never("No secure connection to the API: the host has to see to it."),
  526: never("No secure connection to the API: the host has to see to it."),
  529: later("The API is overloaded: call it later."),
};

const plain: StatusMeaning = { retryable: false };

/** What a status means; of one that nobody has defined, what its class means (RFC 9110, section 15). */
export function statusMeaning(status: number): StatusMeaning {
  return meanings[status] ?? (status >= 500 ? { retryable: false, advice: theirs } : plain);
}
