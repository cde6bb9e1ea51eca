import { ApiError } from "../../calls/api-error";

/** Sentences for the codes of Node's errors. Each follows the name of an address. */
const SENTENCES: Record<string, string> = {
  ECONNREFUSED: "refused the connection: no program listens there",
  ENOTFOUND: "has a host name that does not exist",
  EAI_AGAIN: "has a host name that could not be looked up now",
  ECONNRESET: "closed the connection without an answer",
  UND_ERR_SOCKET: "closed the connection without an answer; perhaps it is https, not http",
  ENETUNREACH: "is in a network that this machine does not reach",
  EHOSTUNREACH: "is a machine that does not answer",
  ERR_SSL_WRONG_VERSION_NUMBER: "does not speak TLS; perhaps it is http, not https",
  EPROTO: "does not speak TLS as this machine does",
  ERR_TLS_CERT_ALTNAME_INVALID: "has a TLS certificate for another host name",
  CERT_HAS_EXPIRED: "has an expired TLS certificate",
};

/** Matches the codes of certificates that this machine does not trust. */
const UNTRUSTED_PATTERN = /CERT|VERIFY/;

/** Sentences for errors of fetch that have no code, by their message in Node. */
const MESSAGES: Record<string, string> = {
  "bad port": "is on a port that programs must not call over HTTP: choose another one",
  "unexpected redirect": "redirects to another address, which is not followed: use that address itself",
};

/**
 * Describes why a call got no answer, as the end of a sentence about the address.
 * @param error what fetch threw, or an error with it as cause
 */
export function describeConnectionFailure(error: unknown): string {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current.name === "TimeoutError") return "did not answer in time";
    const code = (current as NodeJS.ErrnoException).code;
    const sentence = SENTENCES[code ?? ""] ?? MESSAGES[current.message];
    if (sentence) return sentence;
    if (code && UNTRUSTED_PATTERN.test(code))
      return `has a TLS certificate that this machine does not trust (${code}); NODE_EXTRA_CA_CERTS can name its authority`;
    if (code && current.cause === undefined) return `could not be called (${code})`;
  }
  return "did not answer";
}

/** Returns the message of an error. For a service that gave no answer, it says why. */
export function describeError(error: Error): string {
  if (error instanceof ApiError && error.code === "offline")
    return `The service ${describeConnectionFailure(error.cause)}.`;
  return error.message || error.name;
}
