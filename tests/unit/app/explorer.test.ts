import { expect, test } from "vitest";
import { buildExplorerLink, parseExplorer } from "@/app/dashboard/_components/explorer";

test("a mainnet transaction links to the chosen explorer, and a sandbox transaction to this site", () => {
  expect(buildExplorerLink("sandbox", "sig", "solscan")).toBe("/tx/sig");
  expect(buildExplorerLink("mainnet-beta", "sig", "explorer")).toBe("https://explorer.solana.com/tx/sig");
  expect(buildExplorerLink("mainnet-beta", "sig", "solscan")).toBe("https://solscan.io/tx/sig");
  expect(buildExplorerLink("mainnet-beta", "sig", "solanafm")).toBe("https://solana.fm/tx/sig");
});

test("the page reads an invalid stored explorer as the default", () => {
  expect(parseExplorer('"solanafm"')).toBe("solanafm");
  for (const text of [null, "broken", '"toString"', '{"name":"solscan"}', "7"]) {
    expect(parseExplorer(text)).toBe("explorer");
  }
});
