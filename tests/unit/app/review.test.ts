import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Minimum } from "@/app/dashboard/_flow/review";

const createQuote = (minimumOutputAmount: string) => ({ outputAmount: "0", minimumOutputAmount, outputDecimals: 9 });

/** Returns the text that a review shows for a minimum, in coins with nine decimals. */
const renderMinimum = (minimum: string, previousMinimum?: string) =>
  renderToStaticMarkup(
    createElement(Minimum, {
      quote: createQuote(minimum),
      symbol: "X",
      previousQuote: previousMinimum === undefined ? undefined : createQuote(previousMinimum),
    }),
  ).replace(/<[^>]*>/g, "");

test("a review shows the earlier minimum only if the new one is displayed as a lower number, however small the drop", () => {
  expect(renderMinimum("1999999000", "2000000000")).toBe("1.99999 X, was 2: you would get less now");
  expect(renderMinimum("2000000000", "2000000900"), "both show 2").toBe("2 X");
  expect(renderMinimum("2000000000", "1999999000")).toBe("2 X");
  expect(renderMinimum("2000000000")).toBe("2 X");
});
