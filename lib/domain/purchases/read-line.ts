import { type AmountCell, isCurrency, parseAmountCell } from "./amount-cell";
import { isDateCell } from "./columns";

/** One line of a list without columns, such as "2026-11-02 Coffee 4.35". */
interface LineReading {
  /** The date at the start of the line. Empty when the line starts with another word. */
  date: string;
  description: string;
  /** The amount as written. Empty when the line has none, or when several numbers may be it. */
  amount: string;
  /** The numbers that may be the amount. Empty when the line itself says which number is the amount. */
  candidates: string[];
}

const MONTHS = [
  ...["jan(?:uary?)?", "feb(?:ruary?)?", "mar(?:ch)?", "märz?", "apr(?:il)?", "ma[yi]", "jun[ei]?", "jul[yi]?"],
  ...["aug(?:ust)?", "sept?(?:ember)?", "o[ck]t(?:ober)?", "nov(?:ember)?", "de[cz](?:ember)?"],
];
const MONTH = String.raw`(?:${MONTHS.join("|")})(?!\p{L})\.?`;
const DAY = String.raw`\d{1,2}(?:st|nd|rd|th|\.)?`;
const YEAR = String.raw`(?:19|20)\d\d`;
/** The end of a number: neither more digits nor decimals follow. */
const NUMBER_END = String.raw`(?![.,]?\d)`;
const CARD_PATTERN =
  /(?<!\p{L})(?:visa|master\s?card|maestro|amex|card|debit|credit|ending|x{2,})(?!\p{L})|karte(?!\p{L})|[*•…]/iu;

/** Numbers that are never an amount. Dates and times without spaces, such as 2026-11-02 and 11:30, need no pattern. */
const NO_AMOUNT_PATTERNS = [
  // A day and a month: "12.05."
  /(?<![\d.,$€£¥₹])(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.(?!\d)/g,
  // "12 May", "12th of May 2026". In "4 May 12", either number may be the day, so both stay.
  new RegExp(
    String.raw`(?<![\d.,])${DAY}\s+(?:of\s+)?${MONTH}(?!\s+\d{1,2}${NUMBER_END})(?:,?\s+${YEAR}${NUMBER_END})?`,
    "giu",
  ),
  // "May 12, 2026", "May 2026"
  new RegExp(
    String.raw`(?<!\p{L}|\d\.?\s+|of\s+)${MONTH}\s+(?:${YEAR}|${DAY})${NUMBER_END}(?:,?\s+${YEAR}${NUMBER_END})?`,
    "giu",
  ),
  // The end of a card's number: "Visa 4242", "card ending in 4242", "**** 4242"
  new RegExp(String.raw`(?:${CARD_PATTERN.source})+(?:\s+in)?[\s:.#-]*\d{4}${NUMBER_END}`, "giu"),
  // "5 pm", "10.30 Uhr"
  /(?<![\d.,])\d{1,2}(?:[.:]\d\d)?\s?(?:[ap]\.?m|uhr|o['’]clock)(?!\p{L})/giu,
];

/** A space that may group thousands, or separate two numbers. */
const SPACE = "[ \\u00a0\\u202f]";
const DIGITS = String.raw`(?:\d{1,3}(?:${SPACE}\d{3})+(?!\d)(?:[.,]\d+)?|[.,]?\d(?:[\d.,'’]*\d)?)`;
const CURRENCY_SIGN = "[$€£¥₹]";
const WORD = String.raw`(?:[A-Za-z]{3,4}|[A-Z]{0,2}\$|[€£¥₹]|[Zz][Łł])`;
/** Words beside a number may be its currency. A word with a space on both sides belongs to the number after it. */
const NUMBER_PATTERN = new RegExp(
  [
    String.raw`(?<=^|[\s(,;|"]|[^\d\s]:)`,
    String.raw`(${WORD}\s?)?`,
    String.raw`(\(\s?${CURRENCY_SIGN}?\s?${DIGITS}\s?\)|[-+−–]?\s?${CURRENCY_SIGN}?\s?${DIGITS}-?)`,
    String.raw`(${WORD}|\s${WORD}(?!\s?[-+]?\d))?`,
    String.raw`(?=$|[\s),;|"]|[.:!?](?:\s|$))`,
  ].join(""),
  "gu",
);

interface LineNumber extends Pick<AmountCell, "currency"> {
  /** Position in the line. */
  index: number;
  /** The number with its sign and currency, as written. Then the amounts that its characters may mean as well. */
  readings: readonly [string, ...string[]];
}

/** A longer line is not a payment, and its patterns would take seconds. */
const MAX_LINE_LENGTH = 500;

function listNumbers(content: string): LineNumber[] {
  if (content.length > MAX_LINE_LENGTH) return [];
  const maskedContent = NO_AMOUNT_PATTERNS.reduce(
    (text, pattern) => text.replace(pattern, (match) => "_".repeat(match.length)),
    content,
  );
  return [...maskedContent.matchAll(NUMBER_PATTERN)].flatMap((match) => {
    const [, before = "", number = "", after = ""] = match;
    const isUnit = (word: string) => word !== "" && word === word.trim() && !isCurrency(word);
    if (isUnit(before) || isUnit(after)) return [];
    const [currencyBefore = "", currencyAfter = ""] = [before, after].map((word) =>
      isCurrency(word.trim()) ? word : "",
    );
    const text = `${currencyBefore}${number}${currencyAfter}`.trim();
    const cell = parseAmountCell(text);
    if (cell === null) return [];
    const index = content.indexOf(text, match.index);
    const otherReadings = [
      ...splitGroups(text),
      ...(content[index - 1] === "," && text.includes(",") ? text.split(",") : []),
      ...moveCurrency(maskedContent.slice(0, index), currencyBefore),
    ];
    return [{ index, currency: cell.currency, readings: [text, ...otherReadings.filter(parseAmountCell)] as const }];
  });
}

const GROUPED_PATTERN = new RegExp(String.raw`^[^$€£¥₹A-Z]*\d${SPACE}(\d{3}.*)$`);

/** Returns 234,50 for "1 234,50", whose space may separate two numbers. Returns nothing when a currency leads. */
function splitGroups(text: string): string[] {
  const [, lastGroup] = GROUPED_PATTERN.exec(text) ?? [];
  return lastGroup ? [lastGroup] : [];
}

/** Returns "4.35 USD" for "4.35 USD 6.20", whose currency may belong to either number. */
function moveCurrency(textBefore: string, currency: string): string[] {
  if (currency === currency.trim()) return [];
  const [previousNumber] = /\S*\d\s?$/.exec(textBefore) ?? [];
  return previousNumber ? [`${previousNumber}${currency}`.trim()] : [];
}

/**
 * Clues that a number is an amount, the strongest first: dollars, another currency, two decimals. Only the numbers with
 * the strongest clue of a line may be its amount. Without any clue, each number may be.
 */
const AMOUNT_CLUES: ((number: LineNumber) => boolean)[] = [
  ({ currency }) => currency === "USD",
  ({ currency }) => currency !== null,
  ({ readings: [text] }) => /[.,]\d\d\D*$/.test(text),
];

/** Returns whether a plain number may be a year, or the end of a card's number that the line names. */
const isDoubtfulReading = (text: string, content: string) =>
  /^(19|20)\d\d$/.test(text) || (/^\d{4}$/.test(text) && CARD_PATTERN.test(content));

/** Reads a line. @param answer the candidate that the user named as the amount, if any */
export function readLine(content: string, answer?: string): LineReading {
  const isAmountAlone = !/\p{L}/u.test(content) && parseAmountCell(content) !== null;
  if (isAmountAlone) return { date: "", description: "", amount: content, candidates: [] };
  const numbers = listNumbers(content);
  const likelyNumbers =
    AMOUNT_CLUES.map((hasClue) => numbers.filter(hasClue)).find(({ length }) => length > 0) ?? numbers;
  const readings = [...new Set(likelyNumbers.flatMap((number) => number.readings))];
  const [firstReading = ""] = readings;
  const candidates = readings.length > 1 || isDoubtfulReading(firstReading, content) ? readings : [];
  const amount = candidates.length === 0 ? firstReading : (candidates.find((candidate) => candidate === answer) ?? "");
  const amountIndex = candidates.length === 0 ? (likelyNumbers[0]?.index ?? 0) : content.lastIndexOf(amount);
  const text = amount === "" ? content : removeAmount(content, amountIndex, amount.length);
  return { ...splitDate(text), amount, candidates };
}

/** Returns the rest of a line, without separators at its ends. */
const removeAmount = (content: string, start: number, length: number): string =>
  `${content.slice(0, start).trimEnd()} ${content.slice(start + length).trimStart()}`.replace(
    /^[\s,;|:"]+|[\s,;|:"]+$/g,
    "",
  );

function splitDate(text: string): Pick<LineReading, "date" | "description"> {
  const [, firstWord = "", otherWords = ""] = /^([^\s,;|]+)[\s,;|]*(.*)$/.exec(text) ?? [];
  return isDateCell(firstWord) ? { date: firstWord, description: otherWords } : { date: "", description: text };
}

/** Returns whether a line has no columns: it has no quotes, and each of its commas is part of a number. */
export function hasNoColumns(content: string): boolean {
  if (!/[,"]/.test(content) || parseAmountCell(content)) return true;
  const contentWithoutNumbers = listNumbers(content).reduceRight(
    (text, { index, readings }) => text.slice(0, index) + text.slice(index + readings[0].length),
    content,
  );
  return !/[,"]/.test(contentWithoutNumbers);
}
