import { ASSETS } from "../../../lib/domain/assets";
import { deriveUsdcAccount } from "../../../lib/domain/dollar-accounts";
import { encodeMint, readTokenAccount } from "../../../lib/sandbox/chain/token-accounts";
import type { Result } from "../../../lib/sdk";
import type { PayTerms } from "../../../lib/sdk/requests";
import { TOKEN_PROGRAM } from "../../../lib/solana/programs";
import { deriveAssociatedTokenAddress } from "../../../lib/solana/token-instructions";
import { ONE_SOL, putAccount, putTokens } from "../chain/sandbox-rig";
import { toTestWallet } from "../fixtures/test-wallets";
import { addDelegate } from "../fixtures/token-account";
import type { FaultWorld } from "./fault-world";

/* Runs operations of a saver while calls fail, and checks the chain afterwards. */

export interface RunningOperation {
  /** Makes one attempt. Returns whether the client is done. Otherwise the client retries later. */
  attempt(): Promise<boolean>;
  /** Lists the broken guarantees, after all late calls have taken effect. */
  findViolations(): Promise<string[]> | string[];
}

let destinationCount = 0;
const createDestination = () => toTestWallet(`destination ${destinationCount++}`).address;

export type StartOperation = (world: FaultWorld) => Promise<RunningOperation>;

const isDone = <Data, Build>({ status }: Result<Data, Build>) => status === "done";
const alwaysConfirm = () => true;

/** Returns the signatures of posted transactions that succeeded on the chain. */
const listLandedSignatures = ({ postedSignatures, sandbox: { chain } }: FaultWorld) =>
  [...postedSignatures].filter((signature) => chain.findSignature(signature)?.err === null);

/** Lists a violation unless exactly one posted transaction succeeded on the chain. */
function checkLandedOnce(world: FaultWorld): string[] {
  const landedCount = listLandedSignatures(world).length;
  return landedCount === 1 ? [] : [`it landed ${landedCount} times`];
}

const readLamports = ({ sandbox: { chain } }: FaultWorld, address: string): bigint =>
  chain.getAccount(address)?.lamports ?? 0n;

const readTokens = ({ sandbox: { chain } }: FaultWorld, owner: string, mint: string): bigint => {
  const account = chain.getAccount(deriveAssociatedTokenAddress(owner, mint));
  return account ? readTokenAccount(account)!.amount : 0n;
};

function fundWallets({ sandbox, saver, serviceWallet }: FaultWorld): void {
  sandbox.setLamports(saver, ONE_SOL);
  sandbox.setLamports(serviceWallet, ONE_SOL / 100n);
}

interface Funding {
  /** Runs before every attempt. */
  fundWallet(): void;
  /** Returns whether to sign a build. */
  confirm(): boolean;
}

const createFullFunding = (): Funding => ({ fundWallet: () => {}, confirm: alwaysConfirm });

/** Empties the wallet when the client confirms the first build. Each attempt funds the wallet again. */
const createFundingThatEmptiesOnce = ({ sandbox, saver }: FaultWorld): Funding => {
  let confirmationCount = 0;
  return {
    fundWallet: () => sandbox.setLamports(saver, ONE_SOL),
    confirm() {
      if (confirmationCount++ === 0) sandbox.setLamports(saver, ONE_SOL / 1_000n);
      return true;
    },
  };
};

/** Gives the saver USDC, of which the service wallet may take any amount. */
function fundUsdc({ sandbox: { chain }, saver, serviceWallet }: FaultWorld): void {
  putTokens(chain, saver, ASSETS.USDC.mint, 10n ** 9n);
  const account = chain.getAccount(deriveUsdcAccount(saver))!;
  const data = Uint8Array.from(account.data);
  addDelegate(data, serviceWallet, 10n ** 9n);
  chain.setAccount(deriveUsdcAccount(saver), { ...account, data });
}

const createSaving =
  (createFunding: (world: FaultWorld) => Funding, pay: PayTerms = {}): StartOperation =>
  async (world) => {
    fundWallets(world);
    fundUsdc(world);
    const funding = createFunding(world);
    return {
      async attempt() {
        funding.fundWallet();
        return isDone(await world.roundup.save({ purchasesUsd: [27.63], plan: "tree", ...pay }, funding.confirm));
      },
      findViolations: () => checkLandedOnce(world),
    };
  };

/** Payments of $1.80 and $3.45. Their change is 25 cents, of which SAVED_LAMPORTS remain after the fee. */
const PAYMENT_LAMPORTS = [12_000_000n, 23_000_000n];
const SAVED_LAMPORTS = 1_658_333n;
const SAVED_UNITS = 248_750n;

const createBatchSaving =
  (createFunding: (world: FaultWorld) => Funding, pay: PayTerms = {}): StartOperation =>
  async (world) => {
    fundWallets(world);
    fundUsdc(world);
    const readSaved = () =>
      pay.payWith === "USDC"
        ? readTokens(world, world.serviceWallet, ASSETS.USDC.mint)
        : readLamports(world, world.serviceWallet);
    const before = readSaved();
    const expected = pay.payWith === "USDC" ? SAVED_UNITS : SAVED_LAMPORTS;
    const payments: string[] = [];
    for (const lamports of PAYMENT_LAMPORTS) payments.push(await world.pay(lamports));
    const funding = createFunding(world);
    return {
      async attempt() {
        funding.fundWallet();
        const { batches, savedThrough } = await world.roundup.spending();
        const [batch] = batches;
        // A lagging node may show only some of the payments.
        if (!batch) return savedThrough === payments.at(-1);
        const { txValuesUsd: purchasesUsd, through } = batch;
        const request = { purchasesUsd, through, after: savedThrough ?? "none", plan: "tree" as const, ...pay };
        await world.roundup.save(request, funding.confirm);
        return false;
      },
      findViolations() {
        const saved = readSaved() - before;
        // Each of two transactions rounds down.
        return saved <= expected && saved >= expected - 2n ? [] : [`${saved} base units were saved`];
      },
    };
  };

let periodCount = 0;

const startTopup: StartOperation = async (world) => {
  fundWallets(world);
  const period = `period-${periodCount++}`;
  return {
    attempt: async () => {
      const { status } = await world.roundup.topup({ amountUsd: 5, period }, alwaysConfirm);
      // The answer may be about the client's own earlier transaction, which it finds on the chain.
      return status === "done" || (status === "elsewhere" && listLandedSignatures(world).length > 0);
    },
    findViolations: () => checkLandedOnce(world),
  };
};

const startSale: StartOperation = async (world) => {
  const { sandbox, serviceWallet } = world;
  fundWallets(world);
  putTokens(sandbox.chain, serviceWallet, ASSETS.BTC.mint, 400_000n);
  const request = { asset: "BTC", into: "USDC", amountBaseUnits: "100000", slippageBps: 100 } as const;
  return {
    attempt: async () => isDone(await world.roundup.sell(request, alwaysConfirm)),
    findViolations() {
      const remainingUnits = readTokens(world, serviceWallet, ASSETS.BTC.mint);
      return remainingUnits === 300_000n
        ? checkLandedOnce(world)
        : [`${remainingUnits} of 400000 remain after 100000 were sold`];
    },
  };
};

const startWithdrawalOfAmount: StartOperation = async (world) => {
  const { sandbox, serviceWallet } = world;
  fundWallets(world);
  putTokens(sandbox.chain, serviceWallet, ASSETS.USDC.mint, 5_000_000n);
  const destination = createDestination();
  const request = { destination, asset: "USDC", amountBaseUnits: "1000000" } as const;
  return {
    attempt: async () => isDone(await world.roundup.withdraw(request, alwaysConfirm)),
    findViolations() {
      const arrivedUnits = readTokens(world, destination, ASSETS.USDC.mint);
      return arrivedUnits === 1_000_000n ? [] : [`${arrivedUnits} of 1000000 arrived`];
    },
  };
};

const SMALL_TOKENS = Array.from({ length: 5 }, (_, i) => toTestWallet(`small token ${i}`).address);
/** The mints of a withdrawal that needs more than one transaction. */
const ALL_TOKENS = [...(["BTC", "ETH", "USDC", "USDT"] as const).map((symbol) => ASSETS[symbol].mint), ...SMALL_TOKENS];

const startWithdrawalInParts: StartOperation = async (world) => {
  const { sandbox, serviceWallet } = world;
  fundWallets(world);
  for (const mint of SMALL_TOKENS) putAccount(sandbox.chain, mint, TOKEN_PROGRAM, encodeMint(null, 6));
  for (const mint of ALL_TOKENS) putTokens(sandbox.chain, serviceWallet, mint, 5_000_000n);
  const destination = createDestination();
  return {
    attempt: async () =>
      isDone(await world.roundup.withdraw({ destination, asset: null, amountBaseUnits: null }, alwaysConfirm)),
    findViolations() {
      const missingMints = ALL_TOKENS.filter((mint) => readTokens(world, destination, mint) !== 5_000_000n);
      const remainingLamports = readLamports(world, serviceWallet);
      return [
        ...missingMints.map((mint) => `${mint} did not arrive completely`),
        ...(remainingLamports === 0n ? [] : [`${remainingLamports} lamports remain`]),
        ...(listLandedSignatures(world).length > 1 ? [] : ["it took one transaction"]),
      ];
    },
  };
};

export const MONEY_OPERATIONS: Record<string, StartOperation> = {
  saving: createSaving(createFullFunding),
  "saving, wallet empty, then funded": createSaving(createFundingThatEmptiesOnce),
  "marked batch": createBatchSaving(createFullFunding),
  "marked batch, wallet empty, then funded": createBatchSaving(createFundingThatEmptiesOnce),
  "saving in USDC": createSaving(createFullFunding, { payWith: "USDC" }),
  "marked batch in USDC": createBatchSaving(createFundingThatEmptiesOnce, { payWith: "USDC" }),
  "marked batch by allowance": createBatchSaving(createFullFunding, { payWith: "USDC", by: "allowance" }),
  "top-up of a period": startTopup,
  sale: startSale,
  "withdrawal of a part": startWithdrawalOfAmount,
  "withdrawal in parts": startWithdrawalInParts,
};
