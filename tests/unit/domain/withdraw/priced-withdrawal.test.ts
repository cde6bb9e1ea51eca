import { expect, test } from "vitest";
import { createWithdrawalPlanner, type FeeNode } from "../../../../lib/domain/withdraw/priced-withdrawal";
import { NO_PRIORITY_FEE } from "../../../../lib/solana/budget";
import { toBase64 } from "../../../../lib/solana/bytes";
import { readTransaction } from "../../../../lib/solana/read-transaction";
import { createBlockhash } from "../../../support/fakes/fake-deps";
import { EMPTY_RENT_LAMPORTS } from "../../../support/fixtures/rent";
import { WALLET_AND_DESTINATION } from "../../../support/fixtures/withdrawals";

const ONE_SOL = 10n ** 9n;
const HALF_SOL = ONE_SOL / 2n;
/** Units of a limit and a transfer, and the limit that they lead to. */
const [USED_UNITS, UNIT_LIMIT] = [100, 320];

/** Creates the planner of a withdrawal of 1 SOL. */
function createPlanner(node: Partial<FeeNode>) {
  const accounts = { sources: [], targets: new Map(), stuckTokens: [], unreadCount: 0 };
  const request = { asset: null, amount: null, keepRentMinimum: false };
  const rentLamports = EMPTY_RENT_LAMPORTS;
  const funds = { balanceLamports: ONE_SOL, destinationLamports: ONE_SOL, rentLamports, priority: NO_PRIORITY_FEE };
  const fullNode = { readUnits: async () => USED_UNITS, readFee: async () => 5_000n, ...node };
  return createWithdrawalPlanner(fullNode, WALLET_AND_DESTINATION, accounts, request, funds, createBlockhash(1));
}
const readSent = async (planner: ReturnType<typeof createPlanner>) => (await planner.plan()).withdrawal.sentLamports;

test("a plan sends all but the fee that the node names", async () => {
  expect(await readSent(createPlanner({ readFee: async () => 6_789n }))).toBe(ONE_SOL - 6_789n);
});

test.each([
  ["no fee", null],
  ["less than any network charges", 1n],
  ["more than any network charges", HALF_SOL],
])("a plan counts the highest fee of its bytes if the node names %s", async (_caseName, fee) => {
  const plan = await createPlanner({ readFee: async () => fee }).plan();
  const { networkFeeLamports, sentLamports } = plan.withdrawal;
  // A signature, and half of 720 for it, 600 for two accounts, 5 for the data, the units and 16,384 for loaded data.
  expect(networkFeeLamports).toBe(5_000n + BigInt(Math.ceil((720 + 600 + 5 + UNIT_LIMIT + 16_384) / 2)));
  expect(sentLamports).toBe(ONE_SOL - networkFeeLamports);
});

test("a correction changes the next plan, unless no network can charge it", async () => {
  const planner = createPlanner({});
  planner.correctFee(await planner.plan(), HALF_SOL);
  expect(await readSent(planner)).toBe(ONE_SOL - 5_000n);
  planner.correctFee(await planner.plan(), 7_000n);
  expect(await readSent(planner)).toBe(ONE_SOL - 7_000n);
});

test("a draft that fails is measured again with a quarter of its units", async () => {
  const limits: number[] = [];
  const planner = createPlanner({
    async readUnits(_instructions, draft) {
      limits.push(readTransaction(toBase64(draft)).unitLimit);
      return limits.length === 1 ? null : USED_UNITS;
    },
  });
  const { budgets } = (await planner.plan()).withdrawal;
  expect(limits).toEqual([450, 113]);
  expect(budgets[0]!.unitLimit).toBe(UNIT_LIMIT);
});
