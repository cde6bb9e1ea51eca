import { DAY_MS } from "../time";

const PURCHASES: [daysAgo: number, description: string, usd: string][] = [
  [24, "Corner bakery", "4.35"],
  [24, "Metro ticket", "2.90"],
  [23, "Groceries", "37.18"],
  [22, "Bookshop", "18.25"],
  [21, "Coffee", "3.60"],
  [20, "Pharmacy", "12.49"],
  [19, "Cinema", "24.00"],
  [17, "Corner bakery", "5.20"],
  [16, "Lunch", "8.75"],
  [15, "Groceries", "41.32"],
  [14, "Coffee", "3.60"],
  [14, "Metro ticket", "2.90"],
  [12, "Pizza", "15.15"],
  [10, "Flowers", "6.40"],
  [9, "Shirt", "29.99"],
  [7, "Lunch", "11.10"],
  [6, "Corner bakery", "4.35"],
  [5, "Groceries", "52.64"],
  [2, "Magazine", "9.25"],
  [1, "Coffee", "3.60"],
];

/**
 * Returns a sample card export of the past weeks that the parser reads without asking how to interpret it.
 * @param now ms since the epoch
 */
export function createExampleList(now: number): string {
  const rows = PURCHASES.map(([daysAgo, description, usd]) => {
    const day = new Date(now - daysAgo * DAY_MS).toISOString().slice(0, 10);
    return `${day},${description},${usd}\n`;
  });
  return `date,description,amount\n${rows.join("")}`;
}
