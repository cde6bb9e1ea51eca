import { expect, test } from "vitest";
import { adaptToSettings } from "../../../../lib/http/pages/stored-files";

const PAGE_FORMS = [
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

test.each(PAGE_FORMS)("a page gets the network and origin of the settings: %s", (builtPage, fittedPage) => {
  const settings = { NETWORK: "mainnet-beta", PUBLIC_URL: "https://roundup.example/start?x=1", PORT: 3000 } as const;
  const expectedPage = fittedPage.replace("NETWORK", "mainnet-beta").replace("ORIGIN", "https://roundup.example");
  expect(adaptToSettings(builtPage, settings)).toBe(expectedPage);
  expect(adaptToSettings(adaptToSettings(builtPage, settings), settings)).toBe(expectedPage);
});

test("a page has relative URLs without PUBLIC_URL", () => {
  const builtPage = 'data-network="mainnet-beta" content="https://built.example/social.png"';
  expect(adaptToSettings(builtPage, { NETWORK: "sandbox", PUBLIC_URL: undefined, PORT: 3000 })).toBe(
    'data-network="sandbox" content="/social.png"',
  );
});

test("examples name the deployment's origin, or localhost with its port without PUBLIC_URL", () => {
  const builtPage = "curl -s http://localhost:3000/api/plans";
  const settings = { NETWORK: "sandbox", PORT: 4000 } as const;
  expect(adaptToSettings(builtPage, { ...settings, PUBLIC_URL: "https://roundup.example/start" })).toBe(
    "curl -s https://roundup.example/api/plans",
  );
  expect(adaptToSettings(builtPage, { ...settings, PUBLIC_URL: undefined })).toBe(
    "curl -s http://localhost:4000/api/plans",
  );
});
