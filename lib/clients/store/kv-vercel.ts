import { createClient, type VercelKV } from "@vercel/kv";
import { AppError, type ErrorCode } from "../../errors";
import type { Breaker } from "../http/breaker";
import { type StoreCommands, toWriteManyArgs } from "./kv-shared";
import { createRefusalError, createStoreError, describeRefusal, withTimeout } from "./store-failure";
import { STORE_SCRIPTS } from "./store-scripts";

interface VercelStoreOptions {
  url: string;
  token: string;
  /** Time limit of one request, ms. A read whose connection failed is tried once more. */
  timeoutMs: number;
  /** Shared by all users of this store. Absent: calls wait for a hanging store every time. */
  breaker?: Breaker;
}

export function createVercelCommands(options: VercelStoreOptions): StoreCommands {
  const { read, write } = createVercelRequests(options);
  return {
    waitsForReplicas: false,
    getMany: (keys) => read((client) => client.mget(keys)),
    runScript: (script, key, args) => write((client) => client.eval(STORE_SCRIPTS[script], [key], args)),
    writeMany(writes) {
      const { keys, args } = toWriteManyArgs(writes);
      return write((client) => client.eval(STORE_SCRIPTS.writeMany, keys, args));
    },
    async close() {},
  };
}

type StoreRequest = (client: VercelKV) => Promise<unknown>;

/** A read may be sent twice, a write is sent once. Every failure is an AppError upstream_* without the store's text. */
function createVercelRequests({ url, token, timeoutMs, breaker }: VercelStoreOptions) {
  const client = createClient({
    url,
    token,
    // With deserialization on, the string "123" would come back as a number and "null" as null.
    automaticDeserialization: false,
    // Stored values are JSON text, which is valid UTF-8.
    responseEncoding: false,
    enableAutoPipelining: false,
    enableTelemetry: false,
    cache: "no-store",
    // `false` would still try twice. An increment that is repeated after a lost answer counts double.
    retry: { retries: 0 },
    // Drops the connection to a store that hangs. `withTimeout` ends the call earlier, unless this process was suspended.
    signal: () => AbortSignal.timeout(2 * timeoutMs),
  });

  const sendThroughBreaker = (request: StoreRequest) => {
    const sendRequest = () =>
      withTimeout(request(client), timeoutMs).catch((cause) => Promise.reject(toStoreError(cause)));
    return breaker ? breaker.run(sendRequest) : sendRequest();
  };
  const read = (request: StoreRequest) =>
    sendThroughBreaker(request).catch((failure: AppError) => {
      // An idle connection that the store has just closed fails once, immediately.
      if (failure.code === "upstream_unavailable" && !breaker?.isOpen()) return sendThroughBreaker(request);
      throw failure;
    });
  return { read, write: sendThroughBreaker };
}

function toStoreError(cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  const name = (cause as Error | null)?.name;
  // The client's messages quote the command with its values, after this mark.
  const [serverMessage = ""] = String((cause as Error | null)?.message).split(", command was:");
  const refusal = /^Unauthorized/.test(serverMessage) ? "refuses the token" : describeRefusal(serverMessage);
  if (refusal) return createRefusalError(refusal);
  // fetch reports a failed connection as a TypeError with a cause. Other errors concern the answer.
  const networkError = name === "TypeError" ? ((cause as Error).cause as NodeJS.ErrnoException | undefined) : undefined;
  let code: ErrorCode = networkError ? "upstream_unavailable" : "upstream_invalid";
  if (name === "TimeoutError") code = "upstream_timeout";
  // Only the kind of error is logged.
  return createStoreError(code, networkError?.code ?? name ?? "failed");
}
