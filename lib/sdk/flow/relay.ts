import type { executeSwapContract } from "../../contracts/execute-swap";
import { ApiError, type Credentials, postJson } from "../calls/calls";

export type RelayStage = "sending" | "confirming";

export interface Landed {
  txSignature: string;
  slot: number;
}

/** Posts for the outcome this often at most; each post itself waits up to 25 s. */
const ATTEMPTS = 6;

/**
 * Relays signed bytes until they have landed. Posting the same bytes again is always safe, so what is merely unknown, a
 * lost connection included, is asked again.
 * @throws {ApiError} when the chain refused or the transaction expired; `pending` stays pending as transaction_expired never is guessed
 */
export async function relay(
  signedTransaction: string,
  credentials: Credentials,
  onStage: (stage: RelayStage) => void = () => {},
): Promise<Landed> {
  onStage("sending");
  let last: ApiError | null = null;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      const result = await postJson<typeof executeSwapContract>(
        "/api/swap/execute",
        { signedTransaction },
        credentials,
      );
      if (result.confirmed) return { txSignature: result.txSignature, slot: result.slot };
      onStage("confirming");
      last = null;
    } catch (error) {
      if (!(error instanceof ApiError) || !mayPass(error)) throw error;
      last = error;
      await new Promise((resolve) => setTimeout(resolve, (error.retryAfter ?? 2) * 1000));
    }
  }
  throw (
    last ??
    new ApiError("upstream_timeout", "The outcome is not known yet. Look at your activity in a minute.", 0, null)
  );
}

function mayPass({ code, status }: ApiError): boolean {
  return code === "offline" || code === "rate_limited" || status === 502 || status === 503 || status === 504;
}
