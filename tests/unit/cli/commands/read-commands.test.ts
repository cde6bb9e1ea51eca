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
async function createReader() {
  const { run, service } = createCliUser();
  const queries: string[] = [];
  const fetch: NonNullable<typeof service.fetch> = async (address, init) => {
    const { pathname, search } = new URL(address);
    const name = pathname.split("/")[2]!.replace("overview", "status") as keyof typeof EXAMPLES;
    const example = EXAMPLES[name];
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
    new RegExp(`^Service wallet +${serviceWallet}$`, "m"),
    ...savings!.balances.map(
      ({ symbol, amount }) => new RegExp(`^ +${symbol} +[\\d.]*${amount.slice(-4).replace(/0+$/, "")}`, "m"),
    ),
    /^Not saved yet +1 payments of \$27\.63$/m,
    /^SOL +\$150\.00$/m,
    /^No portfolio +A service we depend on took too long/m,
  ])
    expect(text).toMatch(part);
});
