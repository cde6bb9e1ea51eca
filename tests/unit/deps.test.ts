import { describe, expect, test } from "vitest";
import { checkDeployment } from "../../lib/deps";
import { EnvError } from "../../lib/env";
import { fakeDeps, unavailable } from "../support/fake-deps";

const onMainnet = (deps = fakeDeps()) =>
  Object.assign(deps, { network: "mainnet-beta", deployment: "https://roundup.example" } as const);

describe("the origin that service wallets hang on", () => {
  test("is taken at mainnet's first start, and every later start is held to it", async () => {
    const deps = onMainnet();
    await checkDeployment(deps);
    await checkDeployment(deps);
    await expect(checkDeployment({ ...deps, deployment: "https://other.example" })).rejects.toThrow(
      /^WALLET_ORIGIN: .*https:\/\/roundup\.example.*move everybody's service wallet/,
    );
    await checkDeployment(deps);
  });

  test("of two processes that start at once with two origins, one does not start", async () => {
    const deps = onMainnet();
    const starts = ["https://a.example", "https://b.example"].map((deployment) =>
      checkDeployment({ ...deps, deployment }),
    );
    const outcomes = await Promise.allSettled(starts);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  test("mainnet does not start while the store cannot say which it was", async () => {
    const deps = onMainnet();
    deps.before = () => {
      throw unavailable();
    };
    const refusal = checkDeployment(deps);
    await expect(refusal).rejects.toBeInstanceOf(EnvError);
    await expect(refusal).rejects.toThrow(/^WALLET_ORIGIN: the store does not answer/);
  });

  test("a sandbox asks nothing", async () => {
    const deps = fakeDeps();
    await checkDeployment(deps);
    expect(deps.calls).toEqual([]);
  });
});
