import { expect, test } from "vitest";
import { fitToSettings } from "../../../../lib/http/pages/files";

const FORMS = [
  [
    '<html data-network="sandbox"><meta content="/social.png"/>',
    '<html data-network="NETWORK"><meta content="ORIGIN/social.png"/>',
  ],
  [
    String.raw`{\"data-network\":\"sandbox\"},{\"content\":\"/social.png\"}`,
    String.raw`{\"data-network\":\"NETWORK\"},{\"content\":\"ORIGIN/social.png\"}`,
  ],
  ['{"data-network":"sandbox","content":"/social.png"}', '{"data-network":"NETWORK","content":"ORIGIN/social.png"}'],
  ['"https://built.example/social.png"', '"ORIGIN/social.png"'],
  ['<html data-origin="">', '<html data-origin="ORIGIN">'],
  [String.raw`{\"data-origin\":\"https://built.example\"}`, String.raw`{\"data-origin\":\"ORIGIN\"}`],
] as const;

test.each(FORMS)("replaces network and origin in a page with those of the settings: %s", (built, fitted) => {
  const settings = { NETWORK: "mainnet-beta", PUBLIC_URL: "https://roundup.example/start?x=1", PORT: 3000 } as const;
  const expected = fitted.replace("NETWORK", "mainnet-beta").replace("ORIGIN", "https://roundup.example");
  expect(fitToSettings(built, settings)).toBe(expected);
  expect(fitToSettings(fitToSettings(built, settings), settings)).toBe(expected);
});

test("uses a relative URL without PUBLIC_URL", () => {
  const built = 'data-network="mainnet-beta" content="https://built.example/social.png"';
  expect(fitToSettings(built, { NETWORK: "sandbox", PUBLIC_URL: undefined, PORT: 3000 })).toBe(
    'data-network="sandbox" content="/social.png"',
  );
});

test("names its own origin in examples, and its port where it has no public one", () => {
  const built = "curl -s http://localhost:3000/api/plans";
  const settings = { NETWORK: "sandbox", PORT: 4000 } as const;
  expect(fitToSettings(built, { ...settings, PUBLIC_URL: "https://roundup.example/start" })).toBe(
    "curl -s https://roundup.example/api/plans",
  );
  expect(fitToSettings(built, { ...settings, PUBLIC_URL: undefined })).toBe("curl -s http://localhost:4000/api/plans");
});
