import { expect, test } from "vitest";
import { createVerifier } from "../../lib/clients/process/verifier";
import type { Contract } from "../../lib/contracts/define";
import { EXAMPLE_WALLET } from "../../lib/contracts/examples";
import { ASSETS } from "../../lib/domain/assets";
import { deriveUsdcAccount } from "../../lib/domain/dollar-accounts";
import { AppError, type ErrorCode } from "../../lib/errors";
import { toBase64 } from "../../lib/solana/bytes";
import { TOKEN_PROGRAM } from "../../lib/solana/programs";
import { buildTokenAccountData } from "../../lib/solana/token-accounts";
import { stageRuntime } from "../support/app/staged-runtime";
import { answerInProcess } from "../support/client/in-process-routes";
import { OPERATIONS, type OperationRequest } from "../support/client/operations";
import { createFakeDeps, createSolAccount, type FakeDeps, runFor } from "../support/fakes/fake-deps";
import { signText, toTestWallet } from "../support/fixtures/test-wallets";
import { AUTH_TEXT, SERVICE_WALLET_TEXT } from "../support/fixtures/wallet-texts";
import { makeKey } from "../support/worlds/keys-rig";
import { deriveServiceWallet, LONG_MS, landAfterSends, signWrap, user } from "../support/worlds/relay-rig";

/*
 * Fails each call of each operation to the store, a node or the market in turn. `answerInProcess` checks each answer
 * against its contract.
 */

const FAILURE_CODES = ["upstream_unavailable", "upstream_invalid", "upstream_timeout"] as const satisfies ErrorCode[];
const signer = toTestWallet("caller of failing upstreams");
const JSON_HEADERS = { "content-type": "application/json" };
const WALLET_HEADERS = { ...JSON_HEADERS, "x-wallet": signer.address, "x-signature": signText(signer, AUTH_TEXT) };
const DERIVATION_SIGNATURE = signText(signer, SERVICE_WALLET_TEXT);
const verifier = createVerifier();

/** Stages ports and a request with which the operation succeeds. */
async function stageOperation({
  contract,
  method,
  path,
  body,
}: OperationRequest): Promise<{ deps: FakeDeps; sendRequest: () => Promise<Response> }> {
  const faucet = {
    airdrop: async () => ({ txSignature: "1" }),
    airdropUsdc: async () => ({ txSignature: "1" }),
    addPastPayments: async () => 0,
  };
  const deps: FakeDeps = Object.assign(createFakeDeps(), { verifier, faucet });
  const serviceWallet = await deriveServiceWallet(deps);
  for (const address of [user.address, serviceWallet])
    deps.chain.accounts.set(address, createSolAccount(1_000_000_000n));
  // An allowance needs the USDC account of the main wallet.
  const data = buildTokenAccountData(ASSETS.USDC.mint, EXAMPLE_WALLET);
  deps.chain.accounts.set(deriveUsdcAccount(EXAMPLE_WALLET), { lamports: 2_039_280n, owner: TOKEN_PROGRAM, data });
  landAfterSends(deps, 1);
  const specialBodies: Record<string, () => Promise<Record<string, unknown>>> = {
    "execute-transaction": async () => ({ signedTransaction: toBase64(await signWrap(deps, serviceWallet)) }),
    "derive-wallet": async () => ({ signature: DERIVATION_SIGNATURE }),
  };
  const requestBody = (await specialBodies[contract.operation]?.()) ?? body;
  const { id, apiKey } = await makeKey(deps, signer);
  stageRuntime(deps);
  deps.calls.length = 0;
  const url = `http://service.invalid${contract.operation === "revoke-key" ? `/api/keys/${id}` : path}`;
  // An API key makes the call use the store, which a signature would not.
  const headers = contract.auth === "caller" ? { ...JSON_HEADERS, "x-api-key": apiKey } : WALLET_HEADERS;
  const init = { method, headers, ...(requestBody && { body: JSON.stringify(requestBody) }) };
  return { deps, sendRequest: async () => runFor(LONG_MS, deps, answerInProcess(url, init, "10.0.0.1")) };
}

let failureCount = 0;
test.each(OPERATIONS)(
  "$contract.operation answers within its contract, and never with 500, when any one of its calls fails",
  async (operation) => {
    const baseline = await stageOperation(operation);
    const { status } = await baseline.sendRequest();
    expect(status).toBeLessThan(300);
    const callCount = baseline.deps.calls.length;
    // Only a fixed answer needs no call.
    expect(callCount > 0).toBe(!(operation.contract as Contract).isFixed);
    for (let failedCallNumber = 1; failedCallNumber <= callCount; failedCallNumber++) {
      // The codes take turns, so each call fails with one of them.
      const code = FAILURE_CODES[failedCallNumber % FAILURE_CODES.length]!;
      const { deps, sendRequest } = await stageOperation(operation);
      deps.beforeCall = () => {
        if (deps.calls.length === failedCallNumber) throw new AppError(code);
      };
      const response = await sendRequest();
      expect({ failedCallNumber, code, status: response.status }).not.toMatchObject({ status: 500 });
      failureCount += Number(response.status >= 500);
    }
  },
);

test("the staged failures cause more 5xx answers than there are operations", () => {
  expect(failureCount).toBeGreaterThan(OPERATIONS.length);
});
