import { expect, test } from "vitest";
import { listPlansContract } from "../../lib/contracts/list-plans";
import { get, readData } from "../support/client/client";

test("200: returns the plans, defaults and assets that the documentation shows", async () => {
  expect(await readData(get("/api/plans"))).toEqual(listPlansContract.exampleAnswer);
});
