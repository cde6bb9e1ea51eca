import bs58 from "bs58";
import { ASSETS } from "../../../lib/domain/assets";
import { deriveUsdcAccount } from "../../../lib/domain/dollar-accounts";
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
import { signTransaction, type TestWallet, toTestWallet } from "../fixtures/test-wallets";
import { postSigned, stranger, user } from "./relay-rig";

/* The sandbox's real Token program, on which a user may let the savings wallet take USDC. */

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

/** Creates the sandbox with a funded user, stranger and savings wallet, which is registered and has a USDC account. */
export async function stageUsdc() {
  const sandbox = createEmbeddedSandbox();
  const { chain, deps } = sandbox;
  for (const { address } of [user, stranger, savings]) sandbox.setLamports(address, 100n * ONE_SOL);
  await recordServiceWallet(deps, savings.address, user.address);
  /** Sends signed bytes past the service, and waits until they have landed. Returns the signature and the error. */
  const land = async (bytes: Uint8Array) => {
    const signature = chain.send(bytes, { skipPreflight: true });
    await deps.clock.advance(5_000);
    return { signature, error: chain.findTransaction(signature)?.err };
  };
  return {
    ...sandbox,
    wallets: { userPubkey: user.address, serviceWalletPubkey: savings.address },
    land,
    signBuilt: ({ transaction }: { transaction: { base64: string } | null }, way: Way) =>
      signTransaction(Buffer.from(transaction!.base64, "base64"), findSigner(way)),
    post: (bytes: Uint8Array) => postSigned(deps, bytes),
    approve: async (owner: TestWallet, delegate: string, amount = 100_000_000n) =>
      land(sandbox.sign([buildApproval(owner.address, delegate, amount)], owner)),
    pay: async (usd: number) => {
      const signature = sandbox.sendPayment(usd);
      await deps.clock.advance(5_000);
      return signature;
    },
  };
}
