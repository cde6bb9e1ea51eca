import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ASSETS } from "../../../lib/domain/assets";

const bytesOf = (path: string) => readFileSync(`public${path}`);

/** Reads width and height from the first chunk of a PNG. */
function sizeOf(path: string): string {
  const bytes = bytesOf(path);
  expect(bytes.subarray(1, 4).toString()).toBe("PNG");
  return `${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`;
}

describe("public/", () => {
  const { icons } = JSON.parse(bytesOf("/manifest.webmanifest").toString()) as {
    icons: { src: string; sizes: string; type: string; purpose?: string }[];
  };

  test("contains every manifest icon in its stated size, including a maskable one", () => {
    for (const { src, sizes, type } of icons) {
      if (type === "image/png") expect(sizeOf(src)).toBe(sizes);
      else expect(bytesOf(src).toString()).toMatch(/^<svg /);
    }
    expect(icons.map(({ sizes, purpose }) => [sizes, purpose])).toEqual(
      expect.arrayContaining([
        ["192x192", undefined],
        ["512x512", undefined],
        ["512x512", "maskable"],
      ]),
    );
  });

  test("contains the touch icon and social picture in the required sizes", () => {
    expect(sizeOf("/icons/touch-180.png")).toBe("180x180");
    expect(sizeOf("/social.png")).toBe("1200x630");
  });

  test.each(["light", "dark"])("the picture of the dashboard is small in %s", (scheme) => {
    const bytes = bytesOf(`/dashboard-${scheme}.webp`);
    expect(bytes.subarray(8, 12).toString()).toBe("WEBP");
    expect(bytes.length).toBeLessThan(45_000);
  });

  test.each(Object.keys(ASSETS))("%s has a logo, without a script or an address in it", (asset) => {
    const path = `public/coins/${asset.toLowerCase()}.svg`;
    expect(existsSync(path)).toBe(true);
    expect(readFileSync(path, "utf8").replace("http://www.w3.org/2000/svg", "")).not.toMatch(/script|href|https?:/);
  });

  test("contains every picture that the layout names", () => {
    const named = readFileSync("app/layout.tsx", "utf8").match(/\/[\w./-]+\.(?:png|svg|ico|webmanifest)/g) ?? [];
    expect(named.length).toBeGreaterThan(3);
    for (const path of named) expect(existsSync(`public${path}`), path).toBe(true);
  });
});
