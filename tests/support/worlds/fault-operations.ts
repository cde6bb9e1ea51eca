import { ASSETS } from "../../../lib/domain/assets";
import { encodeMint, readTokenAccount } from "../../../lib/sandbox/chain/token-accounts";
import type { Result } from "../../../lib/sdk";
import { TOKEN_PROGRAM } from "../../../lib/solana/programs";
import { deriveAssociatedTokenAddress } from "../../../lib/solana/token-instructions";
import { setTokenBalance } from "../chain/embedded-sandbox";
import { putAccount, SOL } from "../chain/sandbox-rig";
import { quickWallet } from "../fixtures/test-wallets";
import type { FaultWorld } from "./fault-world";

/** Operations of a saver while calls fail, and what the chain must show afterwards. */

export interface Work {
  /** Makes one attempt. @returns whether the client is done; otherwise it retries later */
  attempt(): Promise<boolean>;
  /** Lists the broken guarantees, after all late calls have taken effect. */
  findViolations(): Promise<string[]> | string[];
}

let destinations = 0;
const newDestination = () => quickWallet(`destination ${destinations++}`).address;

export type Operation = (world: FaultWorld) => Promise<Work>;

const isDone = <D, B>({ status }: Result<D, B>) => status === "done";
const confirm = () => true;

/** Returns the posted transactions that succeeded on the chain. */
const listLanded = ({ posted, sandbox: { chain } }: FaultWorld) =>
  [...posted].filter((signature) => chain.findSignature(signature)?.err === null);

function checkLandedOnce(world: FaultWorld): string[] {
  const { length } = listLanded(world);
  return length === 1 ? [] : [`it landed ${length} times`];
}

const readLamports = ({ sandbox: { chain } }: FaultWorld, address: string): bigint =>
  chain.getAccount(address)?.lamports ?? 0n;

const readTokens = ({ sandbox: { chain } }: FaultWorld, owner: string, mint: string): bigint => {
  const account = chain.getAccount(deriveAssociatedTokenAddress(owner, mint));
  return account ? readTokenAccount(account)!.amount : 0n;
};

function fundBoth({ sandbox, saver, service }: FaultWorld): void {
  sandbox.setLamports(saver, SOL);
  sandbox.setLamports(service, SOL / 100n);
}

interface Funding {
  /** Runs before every attempt. */
  fundWallet(): void;
  /** Returns whether to sign a build. */
  confirm(): boolean;
}

const createFullFunding = (): Funding => ({ fundWallet: () => {}, confirm });

/** Empties the wallet when the first build is confirmed, so the network refuses it. The next attempt funds it again. */
const createEmptiedFunding = ({ sandbox, saver }: FaultWorld): Funding => {
  let agreed = 0;
  return {
    fundWallet: () => sandbox.setLamports(saver, SOL),
    confirm() {
      if (agreed++ === 0) sandbox.setLamports(saver, SOL / 1_000n);
      return true;
    },
  };
};

const saving =
  (purseOf: (world: FaultWorld) => Funding): Operation =>
  async (world) => {
    fundBoth(world);
    const purse = purseOf(world);
    return {
      async attempt() {
        purse.fundWallet();
        return isDone(await world.roundup.save({ purchasesUsd: [27.63], plan: "tree" }, purse.confirm));
      },
      findViolations: () => checkLandedOnce(world),
    };
  };

/** Payments of 30 and 45 cents. Their change is 25 cents, of which the fee leaves SAVED_OF_THEM lamports. */
const PAYMENTS = [2_000_000n, 3_000_000n];
const SAVED_LAMPORTS = 1_658_333n;

const markedBatch =
  (purseOf: (world: FaultWorld) => Funding): Operation =>
  async (world) => {
    fundBoth(world);
    const before = readLamports(world, world.service);
    const payments: string[] = [];
    for (const lamports of PAYMENTS) payments.push(await world.pay(lamports));
    const purse = purseOf(world);
    return {
      async attempt() {
        purse.fundWallet();
        const { batches, savedThrough } = await world.roundup.spending();
        const [batch] = batches;
        // A lagging node may show only some of the payments.
        if (!batch) return savedThrough === payments.at(-1);
        const { txValuesUsd: purchasesUsd, through } = batch;
        const request = { purchasesUsd, through, after: savedThrough ?? "none", plan: "tree" as const };
        await world.roundup.save(request, purse.confirm);
        return false;
      },
      findViolations() {
        const saved = readLamports(world, world.service) - before;
        // Each of two transactions rounds down.
        return saved <= SAVED_LAMPORTS && saved >= SAVED_LAMPORTS - 2n ? [] : [`${saved} lamports were saved`];
      },
    };
  };

let periods = 0;

const topup: Operation = async (world) => {
  fundBoth(world);
  const period = `period-${periods++}`;
  return {
    attempt: async () => {
      const { status } = await world.roundup.topup({ amountUsd: 5, period }, confirm);
      // The answer may be about the client's own earlier transaction, which it finds on the chain.
      return status === "done" || (status === "elsewhere" && listLanded(world).length > 0);
    },
    findViolations: () => checkLandedOnce(world),
  };
};

const sale: Operation = async (world) => {
  const { sandbox, service } = world;
  fundBoth(world);
  setTokenBalance(sandbox.chain, service, 400_000n, ASSETS.BTC.mint);
  const request = { asset: "BTC", into: "USDC", amountBaseUnits: "100000", slippageBps: 100 } as const;
  return {
    attempt: async () => isDone(await world.roundup.sell(request, confirm)),
    findViolations() {
      const left = readTokens(world, service, ASSETS.BTC.mint);
      return left === 300_000n ? checkLandedOnce(world) : [`${left} of 400000 are left after 100000 were sold`];
    },
  };
};

const withdrawalOfAPart: Operation = async (world) => {
  const { sandbox, service } = world;
  fundBoth(world);
  setTokenBalance(sandbox.chain, service, 5_000_000n);
  const destination = newDestination();
  const request = { destination, asset: "USDC", amountBaseUnits: "1000000" } as const;
  return {
    attempt: async () => isDone(await world.roundup.withdraw(request, confirm)),
    findViolations() {
      const sent = readTokens(world, destination, ASSETS.USDC.mint);
      return sent === 1_000_000n ? [] : [`${sent} came of 1000000`];
    },
  };
};

const SMALL_TOKENS = Array.from({ length: 5 }, (_, i) => quickWallet(`small token ${i}`).address);
/** These need more than one transaction. */
const ALL_TOKENS = [...(["BTC", "ETH", "USDC", "USDT"] as const).map((symbol) => ASSETS[symbol].mint), ...SMALL_TOKENS];

const withdrawalInParts: Operation = async (world) => {
  const { sandbox, service } = world;
  fundBoth(world);
  for (const mint of SMALL_TOKENS) putAccount(sandbox.chain, mint, TOKEN_PROGRAM, encodeMint(null, 6));
  for (const mint of ALL_TOKENS) setTokenBalance(sandbox.chain, service, 5_000_000n, mint);
  const destination = newDestination();
  return {
    attempt: async () =>
      isDone(await world.roundup.withdraw({ destination, asset: null, amountBaseUnits: null }, confirm)),
    findViolations() {
      const missing = ALL_TOKENS.filter((mint) => readTokens(world, destination, mint) !== 5_000_000n);
      const left = readLamports(world, service);
      return [
        ...missing.map((mint) => `${mint} did not come whole`),
        ...(left === 0n ? [] : [`${left} lamports are left`]),
        ...(listLanded(world).length > 1 ? [] : ["it took one part"]),
      ];
    },
  };
};

export const MONEY_OPERATIONS: Record<string, Operation> = {
  saving: saving(createFullFunding),
  "saving, wallet empty, then funded": saving(createEmptiedFunding),
  "marked batch": markedBatch(createFullFunding),
  "marked batch, wallet empty, then funded": markedBatch(createEmptiedFunding),
  "top-up of a period": topup,
  sale,
  "withdrawal of a part": withdrawalOfAPart,
  "withdrawal in parts": withdrawalInParts,
};
