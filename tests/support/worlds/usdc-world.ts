import bs58 from "bs58";
import { expect } from "vitest";
import { buildAllowanceContract } from "../../../lib/contracts/build-allowance";
import { buildRevocationContract } from "../../../lib/contracts/build-revocation";
import { buildWrapContract } from "../../../lib/contracts/build-wrap";
import { getAllowanceContract } from "../../../lib/contracts/get-allowance";
import { ASSETS } from "../../../lib/domain/assets";
import { deriveUsdcAccount } from "../../../lib/domain/dollar-accounts";
import type { Deps } from "../../../lib/ports/deps";
import { buildAllowance } from "../../../lib/services/build-allowance";
import { buildRevocation } from "../../../lib/services/build-revocation";
import { buildWrap } from "../../../lib/services/build-wrap";
import { getAllowance } from "../../../lib/services/get-allowance";
import { recordServiceWallet } from "../../../lib/services/records/service-wallets";
import { toBase64 } from "../../../lib/solana/bytes";
import {
  encodeU64,
  type InstructionLike,
  toSigner,
  toWritable,
  toWritableSigner,
} from "../../../lib/solana/instructions";
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from "../../../lib/solana/programs";
import { TOKEN_ACCOUNT_BYTES } from "../../../lib/solana/token-accounts";
import {
  buildApproveChecked,
  buildInitializeAccount,
  buildTransferChecked,
} from "../../../lib/solana/token-instructions";
import { createEmbeddedSandbox } from "../chain/embedded-sandbox";
import { ONE_SOL } from "../chain/sandbox-rig";
import { callService } from "../client/contract-input";
import { runFor } from "../fakes/fake-deps";
import { signTransaction, type TestWallet, toTestWallet } from "../fixtures/test-wallets";
import { deriveServiceWallet, ownServiceWallet, postSigned, startPosting, stranger, user } from "./relay-rig";

/* The sandbox's real Token program, on which a user may let the savings wallet, or a card, take USDC. */

const { USDC } = ASSETS;
export const savings = toTestWallet("savings");

/** How a saving in USDC is paid: the user signs, or the savings wallet by the user's allowance. */
export const WAYS = ["signature", "allowance"] as const;
export type Way = (typeof WAYS)[number];
export const toPayTerms = (way: Way) =>
  way === "allowance" ? ({ payWith: "USDC", by: "allowance" } as const) : ({ payWith: "USDC" } as const);
export const findSigner = (way: Way): TestWallet => (way === "allowance" ? savings : user);

export const buildUsdcTransfer = (
  { from, to, by = from }: { from: string; to: string; by?: string },
  amount: bigint,
  keys: string[] = [],
) => {
  const accounts = { source: deriveUsdcAccount(from), destination: deriveUsdcAccount(to), authority: by };
  return buildTransferChecked({ ...accounts, ...USDC, amount }, TOKEN_PROGRAM, keys);
};

const buildApproval = (owner: string, delegate: string, amount: bigint) =>
  buildApproveChecked({ account: deriveUsdcAccount(owner), owner, delegate, ...USDC, amount });

/** A transfer in the unchecked form. Source: `Transfer` of `TokenInstruction`. */
export const toUnchecked = ({ programId, accounts, data }: InstructionLike): InstructionLike => {
  const [source, , destination, authority, ...keys] = accounts;
  const bytes = Buffer.from(data, "base64").subarray(0, 9);
  bytes[0] = 3;
  return { programId, accounts: [source!, destination!, authority!, ...keys], data: bytes.toString("base64") };
};
/** Builds the opening of a USDC account that is not the associated one. The payer and the account sign. */
export function buildOpening(payer: string, account: string, owner: string): InstructionLike[] {
  const numbers = [2_039_280n, BigInt(TOKEN_ACCOUNT_BYTES)].flatMap((number) => [...encodeU64(number)]);
  const data = Uint8Array.of(0, 0, 0, 0, ...numbers, ...bs58.decode(TOKEN_PROGRAM));
  const create = { programId: SYSTEM_PROGRAM, accounts: [payer, account].map(toWritableSigner), data: toBase64(data) };
  return [create, buildInitializeAccount({ account, mint: USDC.mint, owner })];
}

/** Builds a SetAuthority that gives an account to another owner. Source: `TokenInstruction`. */
export const buildGift = (account: string, owner: string, newOwner: string): InstructionLike => ({
  programId: TOKEN_PROGRAM,
  accounts: [toWritable(account), toSigner(owner)],
  data: toBase64(Uint8Array.of(6, 2, 1, ...bs58.decode(newOwner))),
});

/** Creates the sandbox with these funded wallets. */
function stageSandbox(...wallets: TestWallet[]) {
  const sandbox = createEmbeddedSandbox();
  const { chain, deps } = sandbox;
  for (const { address } of wallets) sandbox.setLamports(address, 100n * ONE_SOL);
  /** Sends a transaction, which its first signer pays, past the service. Returns its signature. */
  const sendNow = (...transaction: Parameters<typeof sandbox.sign>): string => {
    const signature = chain.send(sandbox.sign(...transaction));
    expect(chain.findTransaction(signature)).toMatchObject({ err: null });
    return signature;
  };
  const waitFor = async (signature: string) => {
    await deps.clock.advance(5_000);
    return signature;
  };
  /** Sends a transaction and waits until its slot is full. */
  const send = (...transaction: Parameters<typeof sandbox.sign>) => waitFor(sendNow(...transaction));
  const pay = (usd: number) => waitFor(sandbox.sendPayment(usd));
  const approve = (owner: TestWallet, delegate: string, amount = 100_000_000n) =>
    send([buildApproval(owner.address, delegate, amount)], owner);
  return { ...sandbox, sendNow, send, pay, approve };
}

/** Creates the sandbox with a funded user, stranger and savings wallet, which is registered and has a USDC account. */
export async function stageUsdc() {
  const world = stageSandbox(user, stranger, savings);
  const { chain, deps } = world;
  await recordServiceWallet(deps, savings.address, user.address);
  return {
    ...world,
    wallets: { userPubkey: user.address, serviceWalletPubkey: savings.address },
    /** Sends signed bytes past the service, and waits until they have landed. Returns the signature and the error. */
    async land(bytes: Uint8Array) {
      const signature = chain.send(bytes, { skipPreflight: true });
      await deps.clock.advance(5_000);
      return { signature, error: chain.findTransaction(signature)?.err };
    },
    signBuilt: (build: Build, way: Way) => signAs(findSigner(way), build),
    post: (bytes: Uint8Array) => postSigned(deps, bytes),
  };
}

type Build = { transaction: { base64: string } | null };
const signAs = (signer: TestWallet, { transaction }: Build) =>
  signTransaction(Buffer.from(transaction!.base64, "base64"), signer);

export const card = toTestWallet("card");
export const shop = stranger;
export const [userUsdc, shopUsdc] = [user, shop].map(({ address }) => deriveUsdcAccount(address)) as [string, string];
export const toUnits = (usd: number) => BigInt(Math.round(usd * 10 ** USDC.decimals));

/** Builds the card's transfer out of the user's account. It does not name the user. */
export const buildPull = (usd: number, destination = shopUsdc) =>
  buildTransferChecked({ source: userUsdc, destination, authority: card.address, ...USDC, amount: toUnits(usd) });

/** Counts the calls to the node's port while `work` runs, by method. */
export async function countCalls(deps: Deps, work: () => Promise<unknown>): Promise<Record<string, number>> {
  const { rpc } = deps;
  const counts: Record<string, number> = {};
  deps.rpc = new Proxy(rpc, {
    get(target, method: string) {
      if (method !== "getSlotTime" && method !== "invalidate") counts[method] = (counts[method] ?? 0) + 1;
      return Reflect.get(target, method);
    },
  });
  await work();
  deps.rpc = rpc;
  return counts;
}

/** Creates the sandbox with a funded user and card, for which the user has approved 100 USD. */
export async function stagePulls() {
  const world = stageSandbox(user, card);
  const approveCard = (usd: number) => world.approve(user, card.address, toUnits(usd));
  await approveCard(100);
  return {
    ...world,
    approveCard,
    pull: (usd: number, destination?: string) => world.send([buildPull(usd, destination)], card),
    countCalls: (work: () => Promise<unknown>) => countCalls(world.deps, work),
  };
}

/** Creates the sandbox with a funded user, whose service wallet is registered and empty. */
export async function stageAllowance() {
  const world = stageSandbox(user, card);
  const { deps } = world;
  await deriveServiceWallet(deps);
  const serviceWallet = ownServiceWallet;
  const wallets = { userPubkey: user.address, serviceWalletPubkey: serviceWallet.address };
  const byAllowance = { ...wallets, plan: "forest", ...toPayTerms("allowance") };
  /** Calls a service, and advances the time until a transaction has landed and its slot is full. */
  const run = <T>(pending: Promise<T>) => runFor(5_000, deps, pending);
  const post = (signed: Uint8Array) => run(startPosting(deps, signed));
  const build = (amountUsd = 25) =>
    callService(buildAllowanceContract, buildAllowance, deps, { ...wallets, amountUsd });
  return {
    ...world,
    serviceWallet,
    byAllowance,
    signAs,
    run,
    post,
    build,
    buildRevocation: () => callService(buildRevocationContract, buildRevocation, deps, { userPubkey: user.address }),
    read: (address = serviceWallet.address) =>
      callService(getAllowanceContract, getAllowance, deps, { address: user.address, serviceWallet: address }),
    buildSaving: (txValueUsd: number) =>
      callService(buildWrapContract, buildWrap, deps, { ...byAllowance, txValueUsd }),
    allow: async (amountUsd = 25) => post(signAs(user, await build(amountUsd))),
  };
}
