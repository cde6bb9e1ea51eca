import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ASSETS } from "../../../lib/domain/assets";

const readPublicFile = (path: string) => readFileSync(`public${path}`);

/** Reads the width and height of a PNG from its first chunk. */
function readPngSize(path: string): string {
  const bytes = readPublicFile(path);
  expect(bytes.subarray(1, 4).toString()).toBe("PNG");
  return `${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`;
}

describe("public/", () => {
  const { icons } = JSON.parse(readPublicFile("/manifest.webmanifest").toString()) as {
    icons: { src: string; sizes: string; type: string; purpose?: string }[];
  };

  test("contains every manifest icon in its stated size, including a maskable one", () => {
    for (const { src, sizes, type } of icons) {
      if (type === "image/png") expect(readPngSize(src)).toBe(sizes);
      else expect(readPublicFile(src).toString()).toMatch(/^<svg /);
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
    expect(readPngSize("/icons/touch-180.png")).toBe("180x180");
    expect(readPngSize("/social.png")).toBe("1200x630");
  });

  test.each(["light", "dark"])("contains a %s dashboard picture under 45 kB", (scheme) => {
    const bytes = readPublicFile(`/dashboard-${scheme}.webp`);
    expect(bytes.subarray(8, 12).toString()).toBe("WEBP");
    expect(bytes.length).toBeLessThan(45_000);
  });

  test.each(Object.keys(ASSETS))("contains a logo of %s without scripts or links", (asset) => {
    const path = `public/coins/${asset.toLowerCase()}.svg`;
    expect(existsSync(path)).toBe(true);
    expect(readFileSync(path, "utf8").replace("http://www.w3.org/2000/svg", "")).not.toMatch(/script|href|https?:/);
  });

  test("contains every picture that the layout references", () => {
    const paths = readFileSync("app/layout.tsx", "utf8").match(/\/[\w./-]+\.(?:png|svg|ico|webmanifest)/g) ?? [];
    expect(paths.length, "the pattern finds the pictures").toBeGreaterThan(3);
    for (const path of paths) expect(existsSync(`public${path}`), path).toBe(true);
  });
});
