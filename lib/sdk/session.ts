import bs58 from "bs58";
import type { Calls, Credentials } from "./calls/calls";
import { type CreationOptions, createServiceWallet } from "./sign/service-wallet";
import { signIn } from "./sign/sign-in";
import type { TextSigner } from "./sign/texts";

/** Creates a session that shares one sign-in and one key derivation among concurrent callers. */
export function createSession(
  wallet: TextSigner,
  creation: CreationOptions,
  createSessionCalls: (credentials: Credentials | null, signal?: AbortSignal) => Calls,
) {
  const credentials = shareAttempt(() => signIn(createSessionCalls(null), wallet, creation.deployment));
  const getCalls = async (signal?: AbortSignal) => createSessionCalls(await credentials.get(), signal);
  const serviceKeys = shareAttempt(async () => (await createServiceWallet(await getCalls(), wallet, creation)).keys);
  return {
    getCalls,
    getServiceKeys: serviceKeys.get,
    getServiceWallet: async () => bs58.encode((await serviceKeys.get()).publicKey),
    signOut() {
      credentials.discard();
      const keys = serviceKeys.discard();
      void keys?.then(({ secretKey }) => secretKey.fill(0)).catch(() => {});
    },
  };
}

/** Shares one attempt among callers. After a failed or discarded attempt, the next caller starts a new one. */
function shareAttempt<Value>(start: () => Promise<Value>) {
  let sharedAttempt: Promise<Value> | null = null;
  return {
    get(): Promise<Value> {
      if (sharedAttempt !== null) return sharedAttempt;
      const attempt = start();
      sharedAttempt = attempt;
      // After a discard, `sharedAttempt` may be a newer attempt.
      attempt.catch(() => {
        if (sharedAttempt === attempt) sharedAttempt = null;
      });
      return attempt;
    },
    discard(): Promise<Value> | null {
      const attempt = sharedAttempt;
      sharedAttempt = null;
      return attempt;
    },
  };
}
