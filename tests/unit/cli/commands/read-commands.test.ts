import { expect, test } from "vitest";
import { getActivityContract } from "../../../../lib/contracts/get-activity";
import { getOverviewContract } from "../../../../lib/contracts/get-overview";
import { getSpendingContract } from "../../../../lib/contracts/get-spending";
import { createCliUser } from "../../../support/client/cli-user";

/** The example answers of the contracts, by command. */
const EXAMPLES = {
  status: getOverviewContract.exampleAnswer,
  activity: getActivityContract.exampleAnswer,
  spending: getSpendingContract.exampleAnswer,
};

/** Creates a service that answers with the examples and records the query of each request. */
async function createReader(examples = EXAMPLES) {
  const { run, service } = createCliUser();
  const queries: string[] = [];
  const fetch: NonNullable<typeof service.fetch> = async (address, init) => {
    const { pathname, search } = new URL(address);
    const name = pathname.split("/")[2]!.replace("overview", "status") as keyof typeof EXAMPLES;
    const example = examples[name];
    if (!example) return service.fetch!(address, init);
    queries.push(search);
    return Response.json({ ok: true, data: example });
  };
  const readJson = async (...argv: string[]) => {
    const { exitCode, outputLines } = await run([...argv, "--json"], { fetch });
    expect(exitCode).toBe(0);
    return JSON.parse(outputLines.join("\n"));
  };
  return { queries, run: (...argv: string[]) => run(argv, { fetch }), readJson };
}

test("status shows balances, unsaved payments, prices and the parts that could not be read", async () => {
  const { run } = await createReader();
  const { exitCode, outputLines } = await run("status");
  expect(exitCode).toBe(0);
  const { walletAddress, serviceWallet, savings } = getOverviewContract.exampleAnswer;
  const text = outputLines.join("\n");
  for (const part of [
    new RegExp(`^Wallet +${walletAddress}$`, "m"),
    new RegExp(`^Savings wallet +${serviceWallet}$`, "m"),
    ...savings!.balances.map(
      ({ symbol, amount }) => new RegExp(`^ +${symbol} +[\\d.]*${amount.slice(-4).replace(/0+$/, "")}`, "m"),
    ),
    /^Not saved yet +1 payment of \$27\.63$/m,
    /^SOL +\$150\.00$/m,
    /^No portfolio +A service we depend on took too long/m,
  ])
    expect(text).toMatch(part);
});

test("status says that small payments wait", async () => {
  const spending = { ...EXAMPLES.status.spending!, payments: 0, totalUsd: 0, batches: [] };
  const { run } = await createReader({ ...EXAMPLES, status: { ...EXAMPLES.status, spending } });
  const { outputLines } = await run("status");
  expect(outputLines.join("\n")).toMatch(/^Not saved yet +Small payments wait until they reach \$1\.00$/m);
});

test.each([
  [[5.2, 7.6], 120, 2.4, "To save: 2 payments and 120 small ones, $2.40, of $12.80 in all."],
  [null, 0, 0, "Small payments wait until they reach $1.00."],
  [[27.63], 0, 0, undefined],
])("spending names the small payments of batches with the values %j", async (txValuesUsd, count, sumUsd, text) => {
  const [example] = EXAMPLES.spending.batches;
  const batches = txValuesUsd ? [{ ...example!, txValuesUsd, small: { count, sumUsd } }] : [];
  const { run } = await createReader({ ...EXAMPLES, spending: { ...EXAMPLES.spending, batches } });
  const { outputLines, errorLines } = await run("spending");
  expect([outputLines.length, errorLines]).toEqual([1, text ? [text] : []]);
});
