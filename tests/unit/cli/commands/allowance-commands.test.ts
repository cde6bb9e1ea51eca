import { expect, test } from "vitest";
import { createCliUser } from "../../../support/client/cli-user";

test("the allowance is shown, set and revoked", async () => {
  const { run } = createCliUser();
  const readAllowance = async () => (await run(["allowance"])).outputLines.join("\n");
  expect(await readAllowance()).toMatch(/may take +nothing$/);
  expect(await run(["allowance", "revoke", "--yes"])).toMatchObject({
    exitCode: 3,
    errorLines: ["There is no allowance to end."],
  });
  const set = await run(["allowance", "set", "25", "--yes"]);
  expect([set.exitCode, set.outputLines.join("\n")]).toEqual([
    0,
    expect.stringContaining("$25.00 of your USDC, at most"),
  ]);
  expect(set.outputLines.join("\n")).toMatch(/^Allowance of \$25.00: \w+$/m);
  expect(await readAllowance()).toMatch(/may take +\$25.00$/);
  expect((await run(["allowance", "revoke", "--yes"])).exitCode).toBe(0);
  expect(await readAllowance()).toMatch(/may take +nothing$/);
});

test("an amount outside the limits is refused", async () => {
  const { run, service } = createCliUser();
  for (const amount of ["0", "-1", "x"]) expect((await run(["allowance", "set", amount, "--yes"])).exitCode).toBe(2);
  expect(service.listSentTransactions()).toEqual([]);
});
